#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""DCTCP, a second time: what dctcp-test.cc compares DctcpCongestionOps with.

Written from the paper, RFC 8257 and the description of the HPCC simulator's form, with
decimal numbers of 50 digits instead of doubles, and with sequence numbers (acknowledged to, sent
to) where the module counts bytes.

    python3 dctcp-steps.py > dctcp-steps.csv

The lines are explained in test/support/congestion-steps.h.
"""

from decimal import Decimal, getcontext

getcontext().prec = 50


def F(above, below=1):
    return Decimal(above) / Decimal(below)


LINE = 10 * 10**9
MTU = 1024
FRAME = 1250
BASE_RTT = 8000  # nanoseconds: 8 frames at 10 Gb/s
SECOND = 10**9

DEFAULTS = {
    "Form": "Window",
    "Gain": F(1, 16),
    "InitialAlpha": F(1),
    "RateAi": 615 * 10**6,
    "MinRate": 100 * 10**6,
    "MinWindow": F(1),
    "InitialWindow": F(0),
}
RATES = ("RateAi", "MinRate")


class Dctcp:
    def __init__(self, values):
        self.v = dict(DEFAULTS, **values)
        self.windowed = self.v["Form"] == "Window"
        self.alpha = self.v["InitialAlpha"]
        self.rate = F(LINE)
        product = F(LINE * BASE_RTT, 8 * FRAME * SECOND)  # frames
        self.cwnd = max(self.v["InitialWindow"] or product, self.v["MinWindow"])
        self.ssthresh = None if self.v["InitialWindow"] else F(0)  # None: no limit
        self.observed_from = 0  # bytes acknowledged when the window of data began
        self.observe_until = None  # alpha is renewed by an answer beyond this byte
        self.marked = 0
        self.reduced_until = None  # no cut, no growth up to this byte
        self.acked_to = self.sent_to = 0

    def ack(self, acked_to, sent_to, ecn):
        new = acked_to - self.acked_to
        self.acked_to, self.sent_to = acked_to, sent_to
        self.marked += new if ecn else 0
        round_ends = False
        if self.observe_until is None:
            if new:  # the first one begins the first window of data
                self.observe_until = sent_to
                round_ends = True
        elif acked_to > self.observe_until:
            share = F(self.marked, acked_to - self.observed_from)
            self.alpha += self.v["Gain"] * (share - self.alpha)
            self.marked = 0
            self.observed_from, self.observe_until = acked_to, sent_to
            round_ends = True
        if self.reduced_until is not None and acked_to > self.reduced_until:
            self.reduced_until = None
        if self.reduced_until is not None:
            return
        if ecn:
            self.cut(1 - self.alpha / 2)
        elif self.windowed:
            wants = sent_to - acked_to + new + MTU
            if self.paced_rate() == LINE and self.cwnd * MTU >= wants:
                return  # line rate does not use the window
            frames = F(new, MTU)
            slow_start = self.ssthresh is None or self.cwnd < self.ssthresh
            self.cwnd += frames if slow_start else frames / self.cwnd
        elif round_ends:
            self.rate = min(self.rate + self.v["RateAi"], F(LINE))

    def cut(self, factor):
        self.reduced_until = self.sent_to
        if self.windowed:
            self.cwnd = max(self.cwnd * factor, self.v["MinWindow"])
            self.ssthresh = self.cwnd
        else:
            self.rate = max(self.rate * factor, self.v["MinRate"])

    def paced_rate(self):
        return min(self.cwnd * (8 * FRAME * SECOND) / BASE_RTT, F(LINE))

    def nak(self):
        if self.reduced_until is None:
            self.cut(F(1, 2))

    def timeout(self):
        self.cut(F(1, 2))
        if self.windowed:
            self.cwnd = self.v["MinWindow"]

    def state(self):
        if not self.windowed:
            return f"{float(self.rate)!r},0"
        return f"{float(self.paced_rate())!r},{float(self.cwnd * MTU)!r}"


def text(name, value):
    if name in RATES:
        return f"{value}bps"
    return repr(float(value)) if isinstance(value, Decimal) else str(value)


class Sequence:
    def __init__(self, name, **values):
        print(f"sequence,{name},ns3::DctcpCongestionOps")
        for key, value in dict(DEFAULTS, **values).items():
            print(f"attribute,{key},{text(key, value)}")
        print(f"facts,{LINE},{MTU},{FRAME},{BASE_RTT}")
        self.flow = Dctcp(values)
        print(f"start,{self.flow.state()}")
        self.now = self.acked_to = self.sent_to = 0

    def ack(self, frames, in_flight, ecn=0):
        self.now += 1000
        self.acked_to += frames * MTU
        self.sent_to = self.acked_to + in_flight * MTU
        self.flow.ack(self.acked_to, self.sent_to, ecn)
        print(f"ack,{self.now},{frames * MTU},{in_flight * MTU},100000,0,{ecn},1,"
              f"{self.flow.state()}")

    def acks(self, count, in_flight, marks=()):
        for i in range(count):
            self.ack(1, in_flight, int(i in marks))

    def event(self, what):
        self.now += 1000
        getattr(self.flow, what)()
        print(f"{what},{self.now},{self.flow.state()}")


# Rounds of 8 frames: none, some and all of them marked; at most one cut a round; growth pauses
# after a cut, and for each answer that speaks of marks; coalesced answers.
s = Sequence("window-rounds")
s.acks(20, 8)
s.acks(30, 8, {3, 4, 5, 13, 21})
s.acks(30, 8, set(range(30)))
s.acks(20, 8)
s.ack(4, 12)
s.ack(4, 12, 1)
s.ack(8, 8)
s.ack(1, 3, 1)
s.ack(0, 3, 1)
s.ack(0, 3, 0)
s.acks(12, 3)
s.ack(1, 0)
s.ack(1, 0, 1)
s.ack(1, 0, 1)

# Down to the least window.
s = Sequence("window-floor", Gain=F(1), MinWindow=F(2))
for i in range(12):
    s.acks(3, 2, {0, 1, 2})
s.acks(10, 2)

# Slow start, the first mark ends it; lost frames and timeouts.
s = Sequence("window-slow-start", InitialWindow=F(4), InitialAlpha=F(1, 2))
s.acks(8, 4)
s.acks(9, 8, {8})
s.acks(12, 8)
s.event("nak")
s.event("nak")
s.acks(10, 5)
s.event("timeout")
s.acks(14, 1)
s.event("timeout")
s.event("timeout")
s.acks(6, 1, {3})

# The HPCC simulator's form.
s = Sequence("rate-rounds", Form="Rate", MinRate=1000 * 10**6)
s.acks(10, 8)
s.acks(30, 8, {3, 4, 5, 13, 21})
s.acks(60, 8, set(range(60)))
s.acks(40, 8)
s.event("nak")
s.acks(9, 8)
s.event("timeout")
s.acks(9, 8)

# As the first answer already speaks of a mark.
s = Sequence("rate-first-answer-marked", Form="Rate", Gain=F(1, 4))
s.acks(40, 6, {0, 1, 2, 3, 4, 5, 9, 17, 18, 30})
