// SPDX-License-Identifier: GPL-2.0-only
#ifndef HPCC_CONFIG_H
#define HPCC_CONFIG_H

#include "hpcc-topology.h"
#include "input-error.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief config.txt of the HPCC family, in SI units. The name of its key is beside each member.
 *
 * Initial values are those of the family's program.
 */
struct HpccConfig
{
    /// What rates react to, by CC_MODE.
    enum Reaction
    {
        NO_REACTION,
        DCQCN,     ///< 1
        HPCC,      ///< 3
        TIMELY,    ///< 7
        DCTCP,     ///< 8
        HPCC_PINT, ///< 10
    };

    std::string file; ///< it came from

    // files, as the configuration names them; FindHpccFile finds those to read
    std::string topologyFile;       ///< TOPOLOGY_FILE
    std::string flowFile;           ///< FLOW_FILE
    std::string traceFile;          ///< TRACE_FILE
    std::string fctFile{"fct.txt"}; ///< FCT_OUTPUT_FILE
    std::string pfcFile{"pfc.txt"}; ///< PFC_OUTPUT_FILE
    std::string traceOutputFile;    ///< TRACE_OUTPUT_FILE
    std::string queueLengthFile;    ///< QLEN_MON_FILE

    // run
    std::optional<Time> stopTime{MilliSeconds(3010)}; ///< SIMULATOR_STOP_TIME; none: no limit
    bool enableTrace{true};                           ///< ENABLE_TRACE
    Time queueLengthStart{Seconds(2)};                ///< QLEN_MON_START (ns)
    Time queueLengthEnd{MilliSeconds(2100)};          ///< QLEN_MON_END (ns)

    // switches
    bool enableQcn{true};                   ///< ENABLE_QCN: ECN marking
    bool dynamicPfcThreshold{true};         ///< USE_DYNAMIC_PFC_THRESHOLD
    uint64_t bufferBytes{16 << 20};         ///< BUFFER_SIZE (MiB)
    std::map<uint64_t, uint64_t> kminBytes; ///< KMIN_MAP (KB), by bits a second
    std::map<uint64_t, uint64_t> kmaxBytes; ///< KMAX_MAP (KB), by bits a second
    std::map<uint64_t, double> pmax;        ///< PMAX_MAP, by bits a second
    double errorRatePerLink{0};             ///< ERROR_RATE_PER_LINK, where a link says 0
    bool ackHighPriority{false};            ///< ACK_HIGH_PRIO: else ACKs are in class 3 as well
    Time pauseTime{MicroSeconds(5)};        ///< PAUSE_TIME (us)
    uint32_t nicTotalPauseTime{0};          ///< NIC_TOTAL_PAUSE_TIME (ASTRA-sim, SimAI)

    // hosts
    uint32_t packetPayloadBytes{1000}; ///< PACKET_PAYLOAD_SIZE
    uint32_t chunkBytes{0};            ///< L2_CHUNK_SIZE: unit of go-back-to-zero, bytes
    uint32_t ackInterval{0};           ///< L2_ACK_INTERVAL, packets; 0: no ACKs but NACKs
    bool backToZero{false};            ///< L2_BACK_TO_ZERO
    bool hasWindow{true};              ///< HAS_WIN
    bool globalWindow{true};           ///< GLOBAL_T: window and RTT of the longest path for all
    bool variableWindow{false};        ///< VAR_WIN: window in proportion to the rate

    // congestion control
    uint32_t ccMode{1};                          ///< CC_MODE: see GetHpccCcModeName
    Time alphaInterval{MicroSeconds(55)};        ///< ALPHA_RESUME_INTERVAL (us)
    Time rateDecreaseInterval{MicroSeconds(4)};  ///< RATE_DECREASE_INTERVAL (us)
    Time rateIncreaseInterval;                   ///< RP_TIMER (us)
    bool clampTargetRate{false};                 ///< CLAMP_TARGET_RATE
    double ewmaGain{0};                          ///< EWMA_GAIN
    uint32_t fastRecoveryTimes{5};               ///< FAST_RECOVERY_TIMES
    DataRate rateAi{0};                          ///< RATE_AI
    DataRate rateHai{0};                         ///< RATE_HAI
    DataRate minRate{100'000'000};               ///< MIN_RATE
    DataRate dctcpRateAi{1'000'000'000};         ///< DCTCP_RATE_AI
    bool rateBound{true};                        ///< RATE_BOUND: rate and window both hold
    bool fastReact{true};                        ///< FAST_REACT (HPCC)
    double targetUtilization{0.95};              ///< U_TARGET (HPCC)
    uint32_t multiplicativeIncreaseThreshold{5}; ///< MI_THRESH (HPCC)
    uint32_t intMultiple{1};                     ///< INT_MULTI (HPCC)
    bool multiRate{true};                        ///< MULTI_RATE (HPCC)
    bool sampleFeedback{false};                  ///< SAMPLE_FEEDBACK (HPCC)
    double pintLogBase{1.05};                    ///< PINT_LOG_BASE (HPCC-PINT)
    double pintProbability{1.0};                 ///< PINT_PROB (HPCC-PINT)

    /// LINK_DOWN time A B: the link between two nodes goes down.
    struct LinkDown
    {
        Time at; ///< 2 s + the time given, in us
        uint32_t a;
        uint32_t b;
    };

    std::optional<LinkDown> linkDown; ///< none where its time is 0

    std::map<std::string, InputPlace> places; ///< of the keys that were given, for messages

    /**
     * @return what rates react to. There is no reaction in mode 12, which ASTRA-sim's
     * configurations have and its program does not know, and none to marks where there are no marks
     * (ENABLE_QCN 0). A CC_MODE that does not exist is an InputError.
     */
    Reaction GetReaction() const;

    /// @return bytes of HPCC-PINT's digest, by PINT_LOG_BASE
    uint32_t GetPintBytes() const;
};

/**
 * Reads a configuration.
 * @param path of config.txt
 * @param overrides each "KEY=VALUE", beats the file
 * @return it, complete; InputError tells what is wrong
 */
HpccConfig ReadHpccConfig(const std::string& path, const std::vector<std::string>& overrides = {});

/**
 * Finds a file that a configuration names: as it stands from the configuration's folder, or from
 * the folder above, or by its bare name in the configuration's folder. (The published files name
 * mix/topology.txt, and lie in mix/ themselves.)
 * @param config a configuration
 * @param key TOPOLOGY_FILE, FLOW_FILE or TRACE_FILE
 * @return the path; InputError tells where it was looked for
 */
std::string FindHpccFile(const HpccConfig& config, const std::string& key);

/**
 * Checks that every rate of a link at a switch has ECN thresholds, where ENABLE_QCN is on.
 * @param config a configuration
 * @param topology its topology
 */
void CheckHpccThresholds(const HpccConfig& config, const HpccTopology& topology);

/// @param ccMode a value of CC_MODE @return its name, such as DCQCN; "mode N" where it has none
std::string GetHpccCcModeName(uint32_t ccMode);

} // namespace ns3

#endif // HPCC_CONFIG_H
