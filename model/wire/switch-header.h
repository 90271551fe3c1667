// SPDX-License-Identifier: GPL-2.0-only
#ifndef SWITCH_HEADER_H
#define SWITCH_HEADER_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief What one hop wrote about itself: in-band network telemetry with fields of the model's own
 * width. The wire image has the widths of int-header.h.
 */
struct IntHop
{
    uint32_t switchId;      ///< node id of the switch
    uint32_t egressPort;    ///< its port number
    uint64_t queueBytes;    ///< bytes waiting in the frame's egress queue when it left
    uint64_t txBytes;       ///< bytes that the port had sent, this frame included
    int64_t time;           ///< when its first bit left, time steps
    uint64_t bitsPerSecond; ///< rate of the port
};

/// CONGA's fields, which ride in the overlay header (Alizadeh et al., SIGCOMM 2014, section 3.3).
struct CongaFields
{
    uint32_t sourceLeaf{0};    ///< node id of the leaf that the frame came in by
    uint8_t uplink{0};         ///< LBTag: uplink of the source leaf
    uint8_t congestion{0};     ///< CE: most congested link of the path so far, quantized
    uint8_t feedbackUplink{0}; ///< FB_LBTag: uplink of the destination leaf that the metric is of
    uint8_t feedbackMetric{0}; ///< FB_Metric
    bool valid{false};         ///< a source leaf has stamped the frame
    bool feedbackValid{false}; ///< the two feedback fields mean something
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
    bool collectsTelemetry{false};   ///< the sender asked for INT
    std::vector<IntHop> telemetry;   ///< by hop, the first one first
    bool trimmed{false};             ///< a switch has cut the payload off
    uint32_t trimmedPayloadBytes{0}; ///< what the payload was
    CongaFields conga;
    ConWeaveFields conweave;
};

} // namespace ns3

#endif // SWITCH_HEADER_H
