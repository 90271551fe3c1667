#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Swift, a second time: what swift-test.cc compares SwiftCongestionOps with.

Written from algorithm 1 and section 3.5 of the paper, with decimal numbers of 40 digits instead of
doubles, in the paper's order: all windows are bounded and times of cuts noted at the end.

    python3 swift-steps.py > swift-steps.csv

The lines are explained in test/support/congestion-steps.h.
"""

from decimal import Decimal as D, getcontext

getcontext().prec = 40

LINE = 100 * 10**9
MTU = 4096
FRAME = 4178
BASE_RTT = 8000  # nanoseconds
US = 1000

DEFAULTS = {
    "BaseTarget": 20 * US,
    "BaseTargetRtts": D("1.5"),
    "HopDelay": 3 * US,
    "EndpointTarget": 10 * US,
    "FsRange": D(5),
    "FsMinWindow": D("0.1"),
    "FsMaxWindow": D(100),
    "Ai": D(1),
    "Beta": D("0.8"),
    "MaxDecrease": D("0.5"),
    "MinWindow": D("0.001"),
    "MaxWindow": D(0),
    "InitialWindow": D(0),
    "RetransmitResetThreshold": 3,
}
TIMES = ("BaseTarget", "HopDelay", "EndpointTarget")
LONG_AGO = -10**15


def frames_in(nanoseconds):
    return D(LINE) * D(nanoseconds) / (8 * FRAME * 10**9)


class Swift:
    def __init__(self, values):
        self.v = dict(DEFAULTS, **values)
        self.base = D(self.v["BaseTarget"] or self.v["BaseTargetRtts"] * BASE_RTT)
        first = max(self.v["InitialWindow"] or frames_in(BASE_RTT), self.v["MinWindow"])
        self.window = {"fabric": first, "endpoint": first}
        self.last_decrease = {"fabric": LONG_AGO, "endpoint": LONG_AGO}
        self.rtt = 0
        self.retransmits = 0

    def target(self, hops):
        v = self.v
        fs_range = v["FsRange"] * self.base
        alpha = fs_range / (1 / v["FsMinWindow"].sqrt() - 1 / v["FsMaxWindow"].sqrt())
        beta = -alpha / v["FsMaxWindow"].sqrt()
        scaling = alpha / self.window["fabric"].sqrt() + beta
        return self.base + hops * v["HopDelay"] + max(D(0), min(scaling, fs_range))

    def finish(self, which, new, now, most):
        new = max(self.v["MinWindow"], min(new, most) if most else new)
        if new < self.window[which] and self.decreasing[which]:
            self.last_decrease[which] = now
        self.window[which] = new

    def ack(self, now, acked, rtt, endpoint, hops):
        v = self.v
        self.rtt = rtt
        self.retransmits = 0
        target = self.target(hops)
        most = v["MaxWindow"] or frames_in(target)
        targets = {"fabric": target, "endpoint": D(v["EndpointTarget"] or self.base)}
        delays = {"fabric": D(rtt - endpoint), "endpoint": D(endpoint)}
        can = {w: now - self.last_decrease[w] >= rtt for w in targets}
        self.decreasing = {w: False for w in targets}
        for which in targets:
            cwnd, delay, goal = self.window[which], delays[which], targets[which]
            if delay < goal:
                cwnd += v["Ai"] * acked / (cwnd if cwnd >= 1 else 1)
            elif can[which]:
                self.decreasing[which] = True
                cwnd *= max(1 - v["Beta"] * (delay - goal) / delay, 1 - v["MaxDecrease"])
            self.finish(which, cwnd, now, most)

    def loss(self, now, reset):
        self.decreasing = {w: True for w in self.window}
        for which in self.window:
            cwnd = self.window[which]
            if reset:
                cwnd = self.v["MinWindow"]
            elif now - self.last_decrease[which] >= self.rtt:
                cwnd *= 1 - self.v["MaxDecrease"]
            self.finish(which, cwnd, now, None)

    def nak(self, now):
        self.retransmits = 0
        self.loss(now, False)

    def timeout(self, now):
        self.retransmits += 1
        self.loss(now, self.retransmits >= self.v["RetransmitResetThreshold"])

    def state(self):
        cwnd = min(self.window.values())
        rate = D(LINE)
        if cwnd < 1 and self.rtt:
            rate = min(rate, cwnd * 8 * FRAME * 10**9 / self.rtt)
        return f"{float(rate)!r},{float(max(cwnd, D(1)) * MTU)!r}"


def text(name, value):
    return f"{value}ns" if name in TIMES else str(value)


class Sequence:
    def __init__(self, name, **values):
        print(f"sequence,{name},ns3::SwiftCongestionOps")
        for key, value in dict(DEFAULTS, **values).items():
            print(f"attribute,{key},{text(key, value)}")
        print(f"facts,{LINE},{MTU},{FRAME},{BASE_RTT}")
        self.flow = Swift(values)
        print(f"start,{self.flow.state()}")
        self.now = 0

    def ack(self, gap, frames, rtt_us, endpoint_us=0.0, hops=1):
        self.now += int(gap * US)
        rtt, endpoint = int(rtt_us * US), int(endpoint_us * US)
        acked = int(frames * MTU)
        self.flow.ack(self.now, D(acked) / MTU, rtt, endpoint, hops)
        print(f"ack,{self.now},{acked},65536,{rtt},{endpoint},0,{hops},{self.flow.state()}")

    def event(self, what, gap):
        self.now += int(gap * US)
        getattr(self.flow, what)(self.now)
        print(f"{what},{self.now},{self.flow.state()}")


# Growth, small and large decreases, one a round trip; the target grows with the hops.
s = Sequence("fabric")
for gap, frames, rtt, hops in [
        (5, 1, 10, 1), (5, 1, 20, 1), (5, 4, 25, 1), (5, 1, 31, 1), (5, 1, 40, 1), (20, 1, 40, 1),
        (1, 1, 200, 1), (300, 1, 200, 1), (10, 1, 30, 5), (10, 1, 30, 5), (10, 1, 60, 5),
        (70, 1, 60, 5), (70, 0, 60, 0), (70, 0, 10, 0), (5, 2, 5, 3), (5, 0.5, 5, 3),
        (5, 16, 5, 3), (5, 16, 5, 3), (5, 64, 5, 3), (5, 200, 5, 3)]:
    s.ack(gap, frames, rtt, hops=hops)

# Down below a frame, to the least window, and up again.
s = Sequence("below-a-frame", MinWindow=D("0.01"))
for i in range(14):
    s.ack(1000, 1, 800 + i)
for i in range(8):
    s.ack(1000, 0.25, 50)
for i in range(5):
    s.ack(1000, 1, 100)

# The receiver's window, alone and together with the fabric's.
s = Sequence("endpoint", InitialWindow=D(20))
for gap, rtt, endpoint in [(5, 15, 1), (5, 25, 12), (5, 25, 12), (30, 60, 50), (5, 60, 50),
                           (70, 100, 90), (110, 100, 90), (110, 20, 5), (10, 20, 9.999),
                           (10, 20, 10), (50, 80, 11), (100, 15, 0), (10, 15, 0)]:
    s.ack(gap, 1, rtt, endpoint)

# Targets from the base round trip; a bound of the window.
s = Sequence("base-rtt", BaseTarget=0, HopDelay=0, EndpointTarget=0, MaxWindow=D(30))
for gap, rtt in [(5, 8), (5, 9), (5, 11.9), (5, 12), (5, 12.5), (20, 13), (20, 16), (20, 40),
                 (50, 8), (5, 8), (5, 8), (5, 8)]:
    s.ack(gap, 3, rtt)

# Loss: once a round trip; timeouts in a row.
s = Sequence("loss", InitialWindow=D(16))
s.event("timeout", 5)
s.ack(5, 1, 12)
s.event("nak", 1)
s.event("nak", 1)
s.event("nak", 20)
s.event("timeout", 5)
s.event("timeout", 50)
s.ack(5, 1, 12)
s.event("timeout", 50)
s.event("nak", 50)
s.event("timeout", 50)
s.event("timeout", 1)
s.event("timeout", 1)
s.ack(50, 1, 12)
s.ack(50, 1, 12)
s.ack(5, 1, 300)
