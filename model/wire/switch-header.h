// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWITCH_HEADER_H
#define SWITCH_HEADER_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// How telemetry looks on the wire: see int-header.h.
enum class TelemetryFormat : uint8_t
{
    NONE,    ///< the frame carries none
    INT_MD,  ///< P4.org's INT-MD, version 2.1
    HPCC,    ///< the header of HPCC (Li et al., SIGCOMM 2019, figure 7)
    PINT,    ///< one digest for all hops, a byte (Ben Basat et al., "PINT", SIGCOMM 2020)
    PINT_16, ///< likewise, two bytes
};

/**
 * @brief What one hop wrote about itself: in-band network telemetry with fields of the model's own
 * width. The wire image has the widths of int-header.h.
 */
struct IntHop
{
    uint32_t switchId{0};      ///< node id of the switch
    uint32_t ingressPort{0};   ///< its port number by which the frame came
    uint32_t egressPort{0};    ///< its port number by which it left
    uint8_t trafficClass{0};   ///< whose queue it stood in
    uint64_t queueBytes{0};    ///< bytes left in that queue when it went
    uint64_t txBytes{0};       ///< bytes of frames that the port had sent, this frame included
    int64_t time{0};           ///< when its first bit left, time steps
    uint64_t bitsPerSecond{0}; ///< rate of the port
};

/// CONGA's fields, which ride in the overlay header (Alizadeh et al., SIGCOMM 2014, section 3.3).
struct CongaFields
{
    uint32_t sourceLeaf{0};     ///< node id of the leaf that the frame came in by
    uint16_t uplink{0};         ///< LBTag: uplink of the source leaf
    uint8_t congestion{0};      ///< CE: most congested link of the path so far, quantized
    uint16_t feedbackUplink{0}; ///< FB_LBTag: uplink of the destination leaf that it is about
    uint8_t feedbackMetric{0};  ///< FB_Metric
    bool valid{false};          ///< a source leaf has stamped the frame
    bool feedbackValid{false};  ///< the two feedback fields mean something
};

/// ConWeave's fields (Song et al., "Network Load Balancing with In-network Reordering Support for
/// RDMA", SIGCOMM 2023, section 3).
struct ConWeaveFields
{
    /// What a frame is to the protocol.
    enum class Type : uint8_t
    {
        NONE,
        DATA,
        RTT_REPLY, ///< answer of the destination ToR to a DATA frame that asked for it
        CLEAR,     ///< the old path's frames have all arrived
        NOTIFY,    ///< a path is congested
    };

    int64_t txTime{0};       ///< when the frame reached its source ToR, time steps
    int64_t tailTime{0};     ///< when the old path's last frame did, time steps
    uint16_t path{0};        ///< number of the path, see ConWeavePaths
    uint16_t choicesLeft{0}; ///< of the path's number, what the switches so far have not used up
    Type type{Type::NONE};
    uint8_t flowClass{0};   ///< of an answer: traffic class of the flow
    uint8_t epoch{0};       ///< of the flow, modulo 4
    bool rerouted{false};   ///< sent on the new path while frames are left on the old one
    bool tail{false};       ///< last one of the old path
    bool wantsReply{false}; ///< RTT_REQUEST
};

/**
 * @brief What switches write into a frame on its way: telemetry, trimming, load balancers' fields.
 *
 * Most frames have none; see FabricFrame::switchHeader.
 */
struct SwitchHeader
{
    bool collectsTelemetry{false}; ///< the sender asked for INT; false in an answer that echoes it
    TelemetryFormat telemetryFormat{TelemetryFormat::NONE};
    uint8_t hopsLeft{0};             ///< so many more may write: what the format has room for
    bool hopsExceeded{false};        ///< INT-MD's E: a hop found no room left
    bool mtuExceeded{false};         ///< INT-MD's M: a hop would have made it too long for its link
    uint16_t pathId{0};              ///< HPCC: 12 bits, exclusive or of the hops' switchId
    std::vector<IntHop> telemetry;   ///< by hop, the first one first
    uint16_t digest{0};              ///< PINT: code of the most utilized hop so far
    bool trimmed{false};             ///< a switch has cut the payload off
    uint32_t trimmedPayloadBytes{0}; ///< what the payload was; read from the wire: only its pad is
                                     ///< right
    CongaFields conga;
    ConWeaveFields conweave;
};

} // namespace ns3

#endif // SWITCH_HEADER_H
