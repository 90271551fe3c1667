// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_ENVIRONMENT_H
#define NCCL_ENVIRONMENT_H

#include "collective-plan.h"
#include "collective-request.h"
#include "nccl-constants.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// What NCCL's variables say about its InfiniBand and RoCE transport. What is not set is as it was.
struct NcclTransportSettings
{
    std::optional<uint32_t> queuePairsPerConnection; ///< NCCL_IB_QPS_PER_CONNECTION
    std::optional<bool> splitData;        ///< NCCL_IB_SPLIT_DATA_ON_QPS: all queue pairs carry
                                          ///< a part of each message; else they take turns
    std::optional<int64_t> ackTimeoutPs;  ///< NCCL_IB_TIMEOUT: 4.096 us times 2^value; 0: for ever
    std::optional<uint32_t> retries;      ///< NCCL_IB_RETRY_CNT
    std::optional<uint32_t> trafficClass; ///< NCCL_IB_TC: of the IP header; the DSCP is a quarter
    std::optional<bool> pxn;              ///< NCCL_PXN_DISABLE, NCCL_P2P_PXN_LEVEL
    std::optional<bool> adaptiveRouting;  ///< NCCL_IB_ADAPTIVE_ROUTING
    std::optional<uint64_t> adaptiveRoutingThreshold; ///< NCCL_IB_AR_THRESHOLD, bytes
    std::optional<bool> crossNic; ///< NCCL_CROSS_NIC: a ring may change its rail
};

/// A name that NcclEnvironment knows.
struct NcclVariable
{
    const char* name;
    int64_t least; ///< of a number; a text where least > most
    int64_t most;
    const char* description; ///< what it does here
};

/// @return all names that are known, in alphabetical order
const std::vector<NcclVariable>& GetNcclVariables();

/// @param name of a variable @return whether its value is the path of a file
bool IsNcclFile(const std::string& name);

/**
 * @ingroup ai-fabric
 * @brief NCCL's environment variables, as far as they mean something in a simulation.
 *
 * A name that is not known is an error, so that nobody believes in a setting that does nothing.
 */
class NcclEnvironment
{
  public:
    /**
     * @param name such as "NCCL_ALGO"
     * @param value as in a shell
     * @return empty, or what is wrong; then nothing has changed
     */
    std::string Set(const std::string& name, const std::string& value);

    /**
     * @param assignments NAME=VALUE, separated by white space; numbers of NCCL_THREAD_THRESHOLDS by
     *        commas
     * @return empty, or what is wrong with the first that is
     */
    std::string SetAll(const std::string& assignments);

    /// @param name of a number @return it, where it is set
    std::optional<int64_t> Find(const std::string& name) const;

    /// @param name of a number @param otherwise where it is not set @return it
    int64_t Get(const std::string& name, int64_t otherwise) const;

    /// @param name of a text @return it; empty where it is not set
    std::string GetText(const std::string& name) const;

    /**
     * @param operation one that NCCL has an algorithm for
     * @param algorithm an algorithm
     * @return whether NCCL_ALGO leaves it
     */
    bool Allows(CollectiveOperation operation, NcclAlgorithm algorithm) const;

    /**
     * @param operation one that NCCL has an algorithm for
     * @param protocol a protocol
     * @return whether NCCL_PROTO names it or leaves it out; nothing where NCCL_PROTO says nothing
     */
    std::optional<bool> Allows(CollectiveOperation operation, CollectiveProtocol protocol) const;

    /**
     * @param algorithm TREE or RING
     * @param protocol a protocol
     * @return bytes of a thread below which channels and threads are saved, where
     * NCCL_THREAD_THRESHOLDS sets it
     */
    std::optional<uint64_t> GetThreadThreshold(NcclAlgorithm algorithm,
                                               CollectiveProtocol protocol) const;

    /// @return what concerns the connections
    NcclTransportSettings GetTransport() const;

    /// @return what is set, by name
    const std::map<std::string, std::string>& GetSettings() const
    {
        return m_settings;
    }

  private:
    /// Of an element (algorithm or protocol) of a function: named, left out, or not mentioned.
    using Choice = std::optional<bool>;
    static constexpr uint32_t FUNCTIONS = 5;
    using Choices = std::vector<std::array<Choice, FUNCTIONS>>; ///< by element

    static std::string ParseList(const std::string& name,
                                 const std::string& text,
                                 const std::vector<const char*>& elements,
                                 Choices& choices);
    std::string ParseThresholds(const std::string& text);

    std::map<std::string, std::string> m_settings;
    Choices m_algorithms; ///< empty: NCCL_ALGO is not set
    Choices m_protocols;
    std::array<std::optional<uint64_t>, 6> m_thresholds; ///< tree LL, LL128, Simple, ring likewise
};

} // namespace ns3

#endif // NCCL_ENVIRONMENT_H
