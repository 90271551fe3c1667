// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FIXTURE_H
#define FABRIC_FIXTURE_H

/**
 * @file
 * @brief A fabric under test: built, connected, run and checked in a few lines.
 */

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fabric-helper.h"
#include "ns3/nstime.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

/// Every test that includes this counts in picoseconds: set before main(), when no Time that
/// matters exists yet.
inline const bool g_countsPicoseconds = [] {
    Time::SetResolution(Time::PS);
    return true;
}();

/**
 * @brief Bytes on the wire, written out as the standards give them, so that no test takes a size
 * from the code under test.
 */
namespace bytes
{

/// Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4.
constexpr uint64_t ROCE = 62;
constexpr uint64_t RETH = 16;    ///< in the first frame of a WRITE
constexpr uint64_t IMM = 4;      ///< in the last frame of an operation with immediate data
constexpr uint64_t ACK = 62 + 4; ///< with its AETH: an ACK, a NAK
constexpr uint64_t PAUSE = 64;   ///< a PFC frame
constexpr uint64_t PREAMBLE = 8; ///< before each frame
constexpr uint64_t GAP = 12;     ///< after each frame
constexpr uint64_t QUANTUM = 64; ///< 512 bits, the unit of a pause time

/// @param payload bytes @return size of a frame in the middle of a message, padded to 4 bytes
constexpr uint64_t
Frame(uint64_t payload)
{
    return ROCE + (payload + 3) / 4 * 4;
}

} // namespace bytes

/// Two connected queue pairs; the tests send from a to b.
struct Connection
{
    Ptr<QueuePair> a;
    Ptr<QueuePair> b;
};

/// What congestion or a fault must never break, and what a test wants to know afterwards.
class FabricFixture
{
  public:
    FabricFixture();
    ~FabricFixture();

    // ---- to set before Build

    FabricHelper fabric;
    RdmaHelper rdma;
    double lossRate{0}; ///< of every cable

    // ---- fabrics

    /// One switch. @param hosts around it @param rate of all cables @param delay of all cables
    void BuildStar(uint32_t hosts, const std::string& rate, Time delay);

    /// Host 0, a row of switches, host 1. @param rates of the cables in a row @param delay of each
    void BuildChain(const std::vector<std::string>& rates, Time delay);

    /**
     * Two switches; hosts 0 to n-1 are on the first one, the others on the second one.
     * @param hostsPerSide n
     * @param hostRate of the cables of the hosts
     * @param links parallel cables between the switches
     * @param linkRate of these
     * @param delay of all cables
     */
    void BuildTwoSwitches(uint32_t hostsPerSide,
                          const std::string& hostRate,
                          uint32_t links,
                          const std::string& linkRate,
                          Time delay);

    /// @param graph any fabric
    void Build(const FabricGraph& graph);

    FabricNetwork network;

    /// @param host its number, in order of creation @return its (first) port
    Ptr<FabricNetDevice> Port(uint32_t host) const;
    /// @param host its number @return the NIC behind its first port
    Ptr<RdmaNic> Nic(uint32_t host) const;
    /// @param host its number @return the cable of its first port
    Ptr<FabricChannel> Cable(uint32_t host) const;
    /// @param index in order of creation @return the switch
    Ptr<FabricSwitch> Switch(uint32_t index = 0) const;
    /// @return all NICs
    std::vector<Ptr<RdmaNic>> Nics() const;

    // ---- traffic

    /**
     * @param from number of a host
     * @param to number of another
     * @param configure called with both queue pairs before they are connected
     * @return the connection
     */
    Connection Connect(uint32_t from,
                       uint32_t to,
                       const std::function<void(Ptr<QueuePair>)>& configure = {});

    /// Posts a message that must be accepted.
    void Post(const Connection& connection,
              uint64_t messageBytes,
              RdmaOperation operation = RdmaOperation::WRITE,
              uint64_t id = 0);

    /// Offers room at the receiving end.
    void PostReceive(const Connection& connection, uint64_t roomBytes, uint64_t id = 0);

    /// Runs until nothing is left to do.
    void Run();

    // ---- what happened

    /// A completion and when it came.
    struct Completion
    {
        WorkCompletion wc;
        Time at;
    };

    std::vector<MessageRecord> records;  ///< of all messages, in order of their ends
    std::vector<Completion> completions; ///< of all queue pairs, in order

    /// @param name of a counter @return its sum over all NICs
    uint64_t Total(uint64_t RdmaNicCounters::*name) const;

    /// Nothing is left anywhere: no byte in a buffer or queue, no class stopped, no work request.
    void ExpectDrained();
    /// The parts of each message's time are not negative and add up.
    void ExpectSharesAddUp() const;
    /// All messages have ended well. @param count of messages @param messageBytes of all of them
    void ExpectAllSucceeded(uint64_t count, uint64_t messageBytes) const;
    /// @return frames dropped by all switches
    uint64_t Drops() const;

  private:
    void OnMessage(const MessageRecord& record);
    void OnCompletion(const WorkCompletion& completion);

    Ptr<CompletionQueue> m_queue;
    std::vector<Ptr<QueuePair>> m_pairs;
};

/// @param rate of a link @param count bytes @return how long they take
inline Time
OnWire(const std::string& rate, uint64_t count)
{
    // Exact: at the rates of the tests a byte takes a whole number of picoseconds.
    return PicoSeconds(
        static_cast<int64_t>(count * (uint64_t{8000000000000} / DataRate(rate).GetBitRate())));
}

} // namespace ns3

#endif // FABRIC_FIXTURE_H
