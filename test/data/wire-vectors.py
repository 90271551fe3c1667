#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Frames of every opcode as bytes, a second time: what wire-vector-test.cc compares the module with.

Written from the standards' layouts, not from the module: headers as lists of (bits, value), CRC-32
bit by bit, the checksums of IPv4 and UDP and the flow hash on their own.

    python3 wire-vectors.py > wire-vectors.txt

Lines: "NAME FIELD=VALUE ... BYTES"; all values in hexadecimal, named as FabricFrame names them.
BYTES goes from the destination address to the byte before the FCS.
"""

import random

RNG = random.Random(4791)

# Header formats: fields as (name, bits). IBA vol. 1: 9.2 and 9.3; the module's own are
# PLACEMENT, SACK, CREDIT and DEMAND.
BTH = [("opcode", 8), ("solicited", 1), ("migrated", 1), ("pad", 2), ("version", 4), ("pkey", 16),
       ("fecn", 1), ("becn", 1), ("reserved", 6), ("destQp", 24), ("ackRequest", 1),
       ("reserved", 7), ("psn", 24)]
RETH = [("remoteAddress", 64), ("remoteKey", 32), ("dmaLength", 32)]
ATOMIC = [("remoteAddress", 64), ("remoteKey", 32), ("atomicData", 64), ("atomicCompare", 64)]
AETH = [("syndrome", 8), ("msn", 24)]
ATOMIC_ACK = [("atomicData", 64)]
IMM = [("immediate", 32)]
INV = [("remoteKey", 32)]
DETH = [("qkey", 32), ("reserved", 8), ("srcQp", 24)]
PLACEMENT = [("messageNumber", 24), ("reserved", 8), ("frameOffset", 32)]
SACK = [("reserved", 8), ("sackBase", 24), ("sackBits", 64)]
CNP_RESERVED = [("reserved", 128)]
CREDIT = [("creditBytes", 64)]
DEMAND = [("demandBytes", 64), ("sentBytes", 64), ("limitBytes", 64)]

# Operation: (name, headers after BTH, has a payload), in the order of the low five bits.
OPERATIONS = {
    0x00: ("SEND_FIRST", [], True),
    0x01: ("SEND_MIDDLE", [], True),
    0x02: ("SEND_LAST", [], True),
    0x03: ("SEND_LAST_IMM", [IMM], True),
    0x04: ("SEND_ONLY", [], True),
    0x05: ("SEND_ONLY_IMM", [IMM], True),
    0x06: ("WRITE_FIRST", [RETH], True),
    0x07: ("WRITE_MIDDLE", [], True),
    0x08: ("WRITE_LAST", [], True),
    0x09: ("WRITE_LAST_IMM", [IMM], True),
    0x0A: ("WRITE_ONLY", [RETH], True),
    0x0B: ("WRITE_ONLY_IMM", [RETH, IMM], True),
    0x0C: ("READ_REQUEST", [RETH], False),
    0x0D: ("READ_RESPONSE_FIRST", [AETH], True),
    0x0E: ("READ_RESPONSE_MIDDLE", [], True),
    0x0F: ("READ_RESPONSE_LAST", [AETH], True),
    0x10: ("READ_RESPONSE_ONLY", [AETH], True),
    0x11: ("ACK", [AETH], False),
    0x12: ("ATOMIC_ACK", [AETH, ATOMIC_ACK], False),
    0x13: ("CMP_SWAP", [ATOMIC], False),
    0x14: ("FETCH_ADD", [ATOMIC], False),
    0x16: ("SEND_LAST_INV", [INV], True),
    0x17: ("SEND_ONLY_INV", [INV], True),
}


def opcodes():
    """(opcode, name, headers, has a payload) of every opcode."""
    for op, (name, headers, payload) in OPERATIONS.items():
        yield 0x00 | op, "RC_" + name, headers, payload
    for op in range(0x0C):
        name, headers, payload = OPERATIONS[op]
        yield 0x20 | op, "UC_" + name, headers, payload
    yield 0x64, "UD_SEND_ONLY", [DETH], True
    yield 0x65, "UD_SEND_ONLY_IMM", [DETH, IMM], True
    yield 0x81, "CNP", [CNP_RESERVED], False
    for op, (name, headers, payload) in OPERATIONS.items():
        if op <= 0x0C or op >= 0x13:  # requests can be placed in any order
            others = [h for h in headers if h is not RETH]
            reth = [RETH] if 0x06 <= op <= 0x0C else []
            headers = [PLACEMENT] + reth + others
        elif op == 0x11:
            headers = [AETH, SACK]
        yield 0xC0 | op, "SR_" + name, headers, payload
    yield 0xE0, "CREDIT", [CREDIT], False
    yield 0xE1, "CREDIT_REQUEST", [DEMAND], False


def pack(fields, values):
    bits, total = 0, 0
    for name, width in fields:
        value = values.get(name, 0)
        assert value < 1 << width, (name, value)
        bits, total = bits << width | value, total + width
    return bits.to_bytes(total // 8, "big")


def ones_complement_sum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(int.from_bytes(data[i:i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def crc32(data):
    """IEEE 802.3, one bit at a time."""
    register = 0xFFFFFFFF
    for byte in data:
        for bit in range(8):
            odd = (register ^ byte >> bit) & 1
            register = register >> 1 ^ (0xEDB88320 if odd else 0)
    return register ^ 0xFFFFFFFF


def murmur3(words):
    """MurmurHash3_x86_32 with seed 0 over 32-bit words."""
    def rotate(x, n):
        return (x << n | x >> 32 - n) & 0xFFFFFFFF

    h = 0
    for word in words:
        k = rotate(word * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
        h = (rotate(h ^ k, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= 4 * len(words)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return h ^ h >> 16


IPV4 = [("version", 4), ("words", 4), ("dscp", 6), ("ecn", 2), ("length", 16), ("ipId", 16),
        ("zero", 1), ("dontFragment", 1), ("more", 1), ("offset", 13), ("ttl", 8),
        ("protocol", 8), ("checksum", 16), ("srcAddress", 32), ("dstAddress", 32)]
IPV6 = [("version", 4), ("dscp", 6), ("ecn", 2), ("ipv6FlowLabel", 20), ("length", 16),
        ("protocol", 8), ("ttl", 8), ("srcIpv6", 128), ("dstIpv6", 128)]
UDP = [("udpSourcePort", 16), ("port", 16), ("udpLength", 16), ("udpChecksum", 16)]
ETHERNET = [("dstMac", 48), ("srcMac", 48), ("etherType", 16)]
TAG = [("trafficClass", 3), ("tciRest", 13), ("etherType", 16)]

# What the ICRC reads as ones: annex A17.3.3.
MASKED_IPV4 = {"dscp": 0x3F, "ecn": 3, "ttl": 0xFF, "checksum": 0xFFFF}
MASKED_IPV6 = {"dscp": 0x3F, "ecn": 3, "ipv6FlowLabel": 0xFFFFF, "ttl": 0xFF}
MASKED_UDP = {"udpChecksum": 0xFFFF}


def random_value(width):
    return RNG.getrandbits(width)


def make(name, opcode, headers, payload_bytes, ipv6, tagged):
    v = {"opcode": opcode}
    for header in [BTH, UDP] + headers + ([IPV6] if ipv6 else [IPV4]):
        for field, width in header:
            if field != "reserved":
                v.setdefault(field, random_value(width))
    v.update(pad=-payload_bytes % 4, version=0, port=4791)
    if RNG.getrandbits(2):
        v["udpChecksum"] = 0  # as nearly everyone sends it
    v["payloadBytes"] = payload_bytes
    payload = bytes(RNG.getrandbits(8) | 1 for _ in range(payload_bytes))

    after_bth = b"".join(pack(h, v) for h in headers) + payload + bytes(v["pad"])
    v["udpLength"] = 8 + 12 + len(after_bth) + 4
    v["protocol"] = 17
    if ipv6:
        ip = dict(v, version=6, length=v["udpLength"])
        layout, masks = IPV6, MASKED_IPV6
    else:
        ip = dict(v, version=4, words=5, length=20 + v["udpLength"], zero=0, more=0, offset=0,
                  checksum=0)
        ip["checksum"] = ones_complement_sum(pack(IPV4, ip)) ^ 0xFFFF
        layout, masks = IPV4, MASKED_IPV4
    masked_bth = bytearray(pack(BTH, v))
    masked_bth[4] = 0xFF
    covered = (b"\xff" * 8 + pack(layout, dict(ip, **masks)) + pack(UDP, dict(v, **MASKED_UDP)) +
               bytes(masked_bth) + after_bth)
    icrc = crc32(covered).to_bytes(4, "little")
    image = pack(layout, ip) + pack(UDP, v) + pack(BTH, v) + after_bth + icrc

    v["etherType"] = 0x86DD if ipv6 else 0x0800
    v["dstMac"], v["srcMac"] = 0x020000000000 | RNG.getrandbits(24), 0x020000ABCDEF
    if tagged:
        v["trafficClass"], v["tciRest"] = RNG.getrandbits(3), RNG.getrandbits(13)
        v["vlanTagged"], v["vlanTci"] = 1, v["trafficClass"] << 13 | v["tciRest"]
        image = pack(ETHERNET, dict(v, etherType=0x8100)) + pack(TAG, v) + image
    else:
        image = pack(ETHERNET, v) + image
    image = image.ljust(60, b"\0")

    ports = v["udpSourcePort"] << 16 | 4791
    if ipv6:
        v["ipv6"] = 1
        words = [v[a] >> 32 * i & 0xFFFFFFFF for a in ("srcIpv6", "dstIpv6") for i in (3, 2, 1, 0)]
        v["flowHash"] = murmur3(words + [ports, 17, v["ipv6FlowLabel"]])
        v["srcAddress"], v["dstAddress"] = v["srcIpv6"] % 2**32, v["dstIpv6"] % 2**32
    else:
        v["flowHash"] = murmur3([v["srcAddress"], v["dstAddress"], ports, 17])
    v["sizeBytes"] = len(image) + 4
    unsaid = {"pad", "version", "port", "udpLength", "protocol", "words", "length", "zero", "more",
              "offset", "checksum", "tciRest"}
    text = " ".join("%s=%x" % (field, value) for field, value in v.items() if field not in unsaid)
    if payload:
        text += " payload=" + payload.hex()
    suffix = ("_IPV6" if ipv6 else "_IPV4") + ("_VLAN" if tagged else "")
    print(name + suffix, text, image.hex())


def main():
    size = 0
    for opcode, name, headers, has_payload in opcodes():
        for ipv6 in (False, True):
            for tagged in (False, True):
                size = (size + 7) % 37
                make(name, opcode, headers, size if has_payload else 0, ipv6, tagged)


if __name__ == "__main__":
    main()
