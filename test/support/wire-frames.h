// SPDX-License-Identifier: GPL-2.0-only
#ifndef WIRE_FRAMES_H
#define WIRE_FRAMES_H

#include "ns3/fabric-frame.h"

#include <cstdint>

/**
 * @file
 * @brief RoCE frames of every opcode, with fields that differ from their defaults.
 */

namespace wire_test
{

using namespace ns3;

/// What the standards say of an opcode.
struct OpcodeSize
{
    uint8_t opcode;          ///< value on the wire
    uint32_t extensionBytes; ///< RETH 16, AtomicETH 28, AETH 4, AtomicAckETH 8, ImmDt 4, IETH 4,
                             ///< DETH 8; ours: placement 8, SACK 12, credit 8, demand 24
    bool payload;            ///< whether application bytes may follow
};

/// All that the module has.
constexpr OpcodeSize OPCODES[] = {
    {0x00, 0, true},          // RC SEND First
    {0x01, 0, true},          // RC SEND Middle
    {0x02, 0, true},          // RC SEND Last
    {0x03, 4, true},          // RC SEND Last with Immediate
    {0x04, 0, true},          // RC SEND Only
    {0x05, 4, true},          // RC SEND Only with Immediate
    {0x06, 16, true},         // RC WRITE First
    {0x07, 0, true},          // RC WRITE Middle
    {0x08, 0, true},          // RC WRITE Last
    {0x09, 4, true},          // RC WRITE Last with Immediate
    {0x0a, 16, true},         // RC WRITE Only
    {0x0b, 16 + 4, true},     // RC WRITE Only with Immediate
    {0x0c, 16, false},        // RC READ request
    {0x0d, 4, true},          // RC READ response First
    {0x0e, 0, true},          // RC READ response Middle
    {0x0f, 4, true},          // RC READ response Last
    {0x10, 4, true},          // RC READ response Only
    {0x11, 4, false},         // RC Acknowledge
    {0x12, 4 + 8, false},     // RC ATOMIC Acknowledge
    {0x13, 28, false},        // RC CMP_SWAP
    {0x14, 28, false},        // RC FETCH_ADD
    {0x16, 4, true},          // RC SEND Last with Invalidate
    {0x17, 4, true},          // RC SEND Only with Invalidate
    {0x20, 0, true},          // UC SEND First
    {0x21, 0, true},          // UC SEND Middle
    {0x22, 0, true},          // UC SEND Last
    {0x23, 4, true},          // UC SEND Last with Immediate
    {0x24, 0, true},          // UC SEND Only
    {0x25, 4, true},          // UC SEND Only with Immediate
    {0x26, 16, true},         // UC WRITE First
    {0x27, 0, true},          // UC WRITE Middle
    {0x28, 0, true},          // UC WRITE Last
    {0x29, 4, true},          // UC WRITE Last with Immediate
    {0x2a, 16, true},         // UC WRITE Only
    {0x2b, 16 + 4, true},     // UC WRITE Only with Immediate
    {0x64, 8, true},          // UD SEND Only
    {0x65, 8 + 4, true},      // UD SEND Only with Immediate
    {0x81, 16, false},        // CNP: 16 reserved bytes
    {0xc0, 8, true},          // SR SEND First
    {0xc1, 8, true},          // SR SEND Middle
    {0xc2, 8, true},          // SR SEND Last
    {0xc3, 8 + 4, true},      // SR SEND Last with Immediate
    {0xc4, 8, true},          // SR SEND Only
    {0xc5, 8 + 4, true},      // SR SEND Only with Immediate
    {0xc6, 8 + 16, true},     // SR WRITE First
    {0xc7, 8 + 16, true},     // SR WRITE Middle
    {0xc8, 8 + 16, true},     // SR WRITE Last
    {0xc9, 8 + 16 + 4, true}, // SR WRITE Last with Immediate
    {0xca, 8 + 16, true},     // SR WRITE Only
    {0xcb, 8 + 16 + 4, true}, // SR WRITE Only with Immediate
    {0xcc, 8 + 16, false},    // SR READ request
    {0xcd, 4, true},          // SR READ response First
    {0xce, 0, true},          // SR READ response Middle
    {0xcf, 4, true},          // SR READ response Last
    {0xd0, 4, true},          // SR READ response Only
    {0xd1, 4 + 12, false},    // SR Acknowledge
    {0xd2, 4 + 8, false},     // SR ATOMIC Acknowledge
    {0xd3, 8 + 28, false},    // SR CMP_SWAP
    {0xd4, 8 + 28, false},    // SR FETCH_ADD
    {0xd6, 8 + 4, true},      // SR SEND Last with Invalidate
    {0xd7, 8 + 4, true},      // SR SEND Only with Invalidate
    {0xe0, 8, false},         // CREDIT
    {0xe1, 24, false},        // CREDIT_REQUEST
};

/// What stands below BTH.
struct Underlay
{
    const char* name;
    bool ipv6;
    bool vlan;
};

constexpr Underlay UNDERLAYS[] = {
    {"IPv4", false, false},
    {"IPv4 in a VLAN", false, true},
    {"IPv6", true, false},
    {"IPv6 in a VLAN", true, true},
};

/// Sets the extension headers' fields, as far as the opcode has them. @param f the frame
inline void
SetExtensionFields(FabricFrame& f)
{
    RdmaOpcodeTraits traits = GetOpcodeTraits(f.opcode);
    if (traits.hasReth || traits.hasAtomicEth)
    {
        f.remoteAddress = 0x7f01'2345'6789'abc8;
        f.remoteKey = 0xcafe0123;
    }
    if (traits.hasReth)
    {
        f.dmaLength = 0x7fffffff;
    }
    if (traits.hasAtomicEth)
    {
        f.atomicData = 0x1020304050607080;
        f.atomicCompare = 0x8877665544332211;
    }
    if (traits.hasAtomicAckEth)
    {
        f.atomicData = 0xf0e0d0c0b0a09080;
    }
    if (traits.hasDeth)
    {
        f.qkey = 0x11111111;
        f.srcQp = 0x987654;
    }
    if (traits.hasPlacement)
    {
        f.messageNumber = 0xfedcba;
        f.frameOffset = 0x7fff0000;
    }
    if (traits.hasSack)
    {
        f.sackBase = 0xfffffe;
        f.sackBits = 0x8000000000000001;
    }
    if (traits.hasCredit)
    {
        f.creditBytes = 0x0123456789abcdef;
    }
    if (traits.hasDemand)
    {
        f.demandBytes = 0xfedcba9876543210;
        f.sentBytes = 0x0011223344556677;
        f.limitBytes = 0x8899aabbccddeeff;
    }
    if (traits.hasImmediate)
    {
        f.immediate = 0xdeadbeef;
    }
    if (traits.hasInvalidate)
    {
        f.remoteKey = 0xbadc0de5;
    }
    if (traits.hasAeth)
    {
        f.syndrome = 0x6a;
        f.msn = 0x123456;
    }
}

/// Sets the fields of tag and IP header. @param f the frame @param underlay which of them
inline void
SetUnderlay(FabricFrame& f, const Underlay& underlay)
{
    if (underlay.vlan)
    {
        f.vlanTagged = true;
        f.trafficClass = 5;
        f.vlanTci = 0xb123; // PCP 5, DEI, VLAN 0x123
    }
    if (underlay.ipv6)
    {
        f.ipv6 = true;
        f.etherType = 0x86dd;
        f.srcIpv6 = {0xfd, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0a, 0x01, 0x02, 0x03};
        f.dstIpv6 = {0xfd, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0a, 0x04, 0x05, 0x06};
        f.ipv6FlowLabel = 0xabcde;
        f.ipId = 0;
        f.flowHash = FlowHash6(f.srcIpv6, f.dstIpv6, f.ipv6FlowLabel, f.udpSourcePort);
    }
}

/// A frame whose fields are all unlike their defaults, as far as the opcode carries them.
/// @param o the opcode @param payloadBytes if it may have any @param underlay below it @return it
inline FramePtr
MakeRoce(const OpcodeSize& o, uint32_t payloadBytes, const Underlay& underlay = UNDERLAYS[0])
{
    FramePtr f = FabricFrame::Create();
    f->opcode = static_cast<RdmaOpcode>(o.opcode);
    f->srcMac = Mac48Address("02:00:00:00:00:01");
    f->dstMac = Mac48Address("02:00:00:00:00:02");
    f->srcAddress = 0x0a010203;
    f->dstAddress = 0x0a040506;
    f->ipId = 0xbeef;
    f->dscp = 26;
    f->ecn = EcnField::ECT0;
    f->ttl = 61;
    f->udpSourcePort = 0xc123;
    f->flowHash = 0x829bac1a; // see Wire.FlowHash
    f->solicited = true;
    f->migrated = false;
    f->ackRequest = true;
    f->fecn = true;
    f->becn = true;
    f->pkey = 0x8001;
    f->destQp = 0xfedcba;
    f->psn = 0xabcdef;
    SetExtensionFields(*f);
    SetUnderlay(*f, underlay);
    f->payloadBytes = o.payload ? payloadBytes : 0;
    f->ComputeSize();
    return f;
}

} // namespace wire_test

#endif // WIRE_FRAMES_H
