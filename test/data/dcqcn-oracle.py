#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""DCQCN's reaction point, a second time: what dcqcn-test.cc compares DcqcnCongestionOps with.

Written from the equations, not from the module: an event for every timer (the module has none and
catches up), decimal numbers of 50 digits (the module: doubles), and no short cuts.

    python3 dcqcn-oracle.py > dcqcn-oracle.csv

Lines: "sequence,NAME", "attribute,NAME,VALUE", then for each signal
"step,TIME_NS,SIGNAL,BYTES,RATE,TARGET,ALPHA,TIMER_STAGE,BYTE_STAGE": the state after it.
"""

import heapq
from decimal import Decimal, getcontext

getcontext().prec = 50

US = 1000  # time is counted in nanoseconds
NEVER = 10**18

# Timers that run out together do so in this order; signals from outside come after them.
ALPHA, INCREASE, CUT = 0, 1, 2

PAPER = {
    "LineRate": 40 * 10**9,
    "Gain": "0.00390625",
    "InitialAlpha": "1",
    "AlphaInterval": 55 * US,
    "RateIncreaseInterval": 55 * US,
    "RateDecreaseInterval": 0,
    "ByteCounter": 10 * 10**6,
    "FastRecoveryTimes": 5,
    "RateAi": 40 * 10**6,
    "RateHai": 200 * 10**6,
    "HyperIncreaseGrows": 1,
    "MinRate": 100 * 10**6,
    "MinDecreaseFactor": "0.5",
    "ClampTargetRate": 1,
    "ClampTargetRateAfterIncrease": 0,
    "TimerDriven": 0,
}

HPCC = dict(
    PAPER,
    LineRate=100 * 10**9,
    AlphaInterval=1 * US,
    RateDecreaseInterval=4 * US,
    RateIncreaseInterval=300 * US,
    ByteCounter=0,
    FastRecoveryTimes=1,
    RateAi=20 * 10**6,
    RateHai=200 * 10**6,
    HyperIncreaseGrows=0,
    MinRate=10**9,
    MinDecreaseFactor="0",
    ClampTargetRate=0,
    ClampTargetRateAfterIncrease=1,
    TimerDriven=1,
)

NIC = dict(
    HPCC,
    Gain="0.0048828125",
    InitialAlpha="0.9990234375",
    ByteCounter=32767 * 64,
    RateAi=5 * 10**6,
    RateHai=50 * 10**6,
    MinRate=10**6,
    MinDecreaseFactor="0.5",
)


class ReactionPoint:
    """One sender."""

    def __init__(self, p):
        self.p = p
        self.g = Decimal(p["Gain"])
        self.line = Decimal(p["LineRate"])
        self.rate = self.target = self.line
        self.alpha = Decimal(p["InitialAlpha"])
        self.timer_stage = self.byte_stage = self.bytes = 0
        self.limited = False  # the rate is below line rate, and recovers
        self.seen_cnp = False
        self.no_cut_before = 0
        self.alpha_flag = self.cut_flag = False
        self.events = []  # (time, kind, version)
        self.version = {ALPHA: 0, INCREASE: 0, CUT: 0}

    def start(self, kind, when):
        """Sets a timer, instead of what it was set to."""
        self.version[kind] += 1
        heapq.heappush(self.events, (when, kind, self.version[kind]))

    def run_until(self, now):
        while self.events and self.events[0][0] <= now:
            when, kind, version = heapq.heappop(self.events)
            if version != self.version[kind]:
                continue
            if kind == ALPHA:
                self.alpha = (1 - self.g) * self.alpha + (self.g if self.alpha_flag else 0)
                self.alpha_flag = False
                self.start(ALPHA, when + self.p["AlphaInterval"])
            elif kind == INCREASE:
                if self.limited:
                    self.increase()
                    self.timer_stage += 1
                    self.start(INCREASE, when + self.p["RateIncreaseInterval"])
            else:
                if self.cut_flag:
                    self.cut_flag = False
                    self.cut(when)
                self.start(CUT, when + self.p["RateDecreaseInterval"])

    def cut(self, now):
        p = self.p
        increased_by_timer = self.timer_stage > 0
        increased_by_bytes = self.byte_stage > 0
        if p["ClampTargetRate"]:
            lower_target = True
        elif p["ClampTargetRateAfterIncrease"]:
            lower_target = increased_by_timer or increased_by_bytes
        else:
            lower_target = increased_by_bytes
        if lower_target:
            self.target = self.rate
        lowest_of_one_cut = self.rate * Decimal(p["MinDecreaseFactor"])
        self.rate = max(self.rate - self.rate * self.alpha / 2, lowest_of_one_cut)
        self.rate = max(self.rate, min(Decimal(p["MinRate"]), self.line))
        self.timer_stage = self.byte_stage = self.bytes = 0
        self.limited = True
        self.start(INCREASE, now + p["RateIncreaseInterval"])

    def increase(self):
        p = self.p
        f = p["FastRecoveryTimes"]
        t = self.timer_stage
        b = self.byte_stage if p["ByteCounter"] else t
        if t > f and b > f:
            times = min(t, b) - f if p["HyperIncreaseGrows"] else 1
            self.target += times * p["RateHai"]
        elif t >= f or b >= f:
            self.target += p["RateAi"]
        self.target = min(self.target, self.line)
        self.rate = (self.rate + self.target) / 2
        if self.rate > self.line * (1 - Decimal("1e-6")):
            self.rate = self.target = self.line
            self.limited = False

    # ---- signals

    def cnp(self, now):
        p = self.p
        self.run_until(now)
        if p["TimerDriven"]:
            self.cut_flag = True
            if self.seen_cnp:
                self.alpha_flag = True
            else:
                self.start(ALPHA, now + p["AlphaInterval"])
                self.start(CUT, now + p["RateDecreaseInterval"])
        else:
            if now >= self.no_cut_before:
                self.cut(now)
                self.alpha = (1 - self.g) * self.alpha + self.g
                self.no_cut_before = now + p["RateDecreaseInterval"]
            self.start(ALPHA, now + p["AlphaInterval"])
        self.seen_cnp = True

    def sent(self, now, size):
        self.run_until(now)
        if not self.limited or not self.p["ByteCounter"]:
            return
        self.bytes += size
        while self.limited and self.bytes >= self.p["ByteCounter"]:
            self.bytes -= self.p["ByteCounter"]
            self.increase()
            self.byte_stage += 1

    def look(self, now):
        self.run_until(now)


def sequence(name, base, signals, **changes):
    """signals: (time in ns, "cnp" or "look" or "sent", bytes)"""
    parameters = dict(base, **changes)
    print("sequence,%s" % name)
    for key, value in parameters.items():
        print("attribute,%s,%s" % (key, value))
    point = ReactionPoint(parameters)
    steps = sorted(signals, key=lambda s: s[0])  # keeps the order of equal times
    assert len(steps) >= 20, name
    for when, kind, size in steps:
        if kind == "sent":
            point.sent(when, size)
        else:
            getattr(point, kind)(when)
        state = (point.rate, point.target, point.alpha)
        numbers = ",".join("%.17g" % x for x in state)
        print("step,%d,%s,%d,%s,%d,%d"
              % (when, kind, size, numbers, point.timer_stage, point.byte_stage))


def cnps(*times_us):
    return [(int(t * US), "cnp", 0) for t in times_us]


def looks(start_us, stop_us, step_us):
    return [(int(t * US), "look", 0) for t in range(start_us, stop_us, step_us)]


def sends(start_us, count, step_ns, size):
    return [(int(start_us * US) + i * step_ns, "sent", size) for i in range(count)]


def main():
    # alpha rises by CNPs, falls by its timer, which a CNP restarts; five fast recoveries, then AI.
    sequence("cnps-decay-and-fast-recovery", PAPER,
             cnps(0, 50, 100, 150, 230, 900) + looks(54, 1400, 55))
    # CNPs come each 5 us, cuts happen each 50 us; each CNP holds alpha's decay.
    sequence("burst-within-the-decrease-interval", PAPER,
             cnps(*range(0, 250, 5)) + looks(251, 700, 23), RateDecreaseInterval=50 * US)
    # Both counters run: fast, additive, then growing hyper increase.
    sequence("hyper-by-both-counters", PAPER,
             cnps(0, 50, 100) + sends(101, 100, 6300, 29288),
             ByteCounter=150000, FastRecoveryTimes=2)
    # The same with a fixed step, and a cut in the middle.
    sequence("hyper-of-fixed-step", PAPER,
             cnps(0, 50, 420, 470) + sends(51, 128, 6300, 29288),
             ByteCounter=150000, FastRecoveryTimes=2, HyperIncreaseGrows=0)
    # Timer too slow to count: fast recovery and AI by bytes alone; 350,000 bytes are 3 increases.
    sequence("byte-counter-alone", PAPER,
             cnps(0, 10) + sends(11, 60, 7000, 30000) + [(450 * US, "sent", 350000)]
             + sends(460, 40, 7000, 30000),
             RateIncreaseInterval=10**10, ByteCounter=100000, FastRecoveryTimes=3)
    # No counter but the timer: it counts for both, so hyper increase follows one AI.
    sequence("timer-alone", PAPER,
             cnps(0, 10, 20) + looks(30, 1900, 37), ByteCounter=0, FastRecoveryTimes=2)
    # Neither clamp: only a cut after an increase by bytes lowers the target.
    clamp = (cnps(0, 40, 200, 330, 600, 640) + sends(60, 10, 10000, 20000)
             + sends(420, 12, 10000, 20000) + looks(5, 900, 41))
    sequence("clamp-after-bytes-only", PAPER, clamp, ByteCounter=100000, ClampTargetRate=0)
    sequence("clamp-after-timer-or-bytes", PAPER, clamp, ByteCounter=100000, ClampTargetRate=0,
             ClampTargetRateAfterIncrease=1)
    sequence("clamp-always", PAPER, clamp, ByteCounter=100000)
    # Halved again and again: the floor holds.
    sequence("minimum-rate", PAPER, cnps(*range(0, 1500, 50)) + looks(1501, 2400, 60),
             MinRate=3 * 10**9)
    sequence("minimum-rate-above-line-rate", PAPER, cnps(*range(0, 1000, 50)),
             MinRate=50 * 10**9)
    sequence("minimum-decrease-factor", PAPER,
             cnps(*range(0, 800, 50)) + looks(801, 1900, 55), MinDecreaseFactor="0.9")
    sequence("no-decrease-allowed", PAPER,
             cnps(*range(0, 800, 50)) + looks(801, 1900, 55), MinDecreaseFactor="1")
    # Back to line rate; there the counters stand still; then congested again.
    sequence("line-rate-and-again", PAPER,
             cnps(0, 3000, 3050) + looks(1, 5200, 55) + sends(2, 50, 20000, 4184),
             RateAi=10**9, RateHai=5 * 10**9, ByteCounter=0)
    # The gain at its ends.
    sequence("gain-one", PAPER, cnps(0, 50, 200, 500) + looks(1, 1100, 40), Gain="1")
    sequence("gain-zero", PAPER, cnps(0, 50, 200, 500) + looks(1, 1100, 40), Gain="0",
             InitialAlpha="0.25")
    sequence("no-increase", PAPER, cnps(0, 50) + looks(1, 5000, 190), RateAi=0, RateHai=0)
    # alpha runs out of digits in a long pause, and the next CNP finds it small.
    sequence("seconds-without-a-cnp", PAPER,
             cnps(0, 50, 100) + looks(101, 900, 60) + looks(2000000, 2500000, 100000)
             + cnps(2500000, 2500050, 2500100), AlphaInterval=5 * US)

    # Timer driven. Cuts 4 us after the first CNP and each 4 us while CNPs come; increases 300 us
    # after the last cut, which is also a moment of the cut's timer: the increase goes first.
    sequence("hpcc-first-cut", HPCC, cnps(1, 1.5, 2, 7) + looks(0, 30, 1))
    sequence("hpcc-stream-of-marks", HPCC,
             cnps(*[1 + 0.33 * i for i in range(60)]) + looks(22, 1500, 7))
    sequence("hpcc-cut-and-increase-together", HPCC,
             cnps(1, 302, 304.5, 306, 610) + looks(295, 320, 1) + looks(600, 640, 1))
    sequence("hpcc-hyper", HPCC, cnps(3, 4, 5, 6, 7, 8, 9) + looks(10, 60000, 450))
    sequence("hpcc-long-idle", HPCC, cnps(3, 4) + looks(10, 2000, 100) + cnps(400000, 400003)
             + looks(400004, 400010, 1))
    sequence("hpcc-always-clamped", HPCC,
             cnps(*[1 + 3.1 * i for i in range(30)]) + looks(100, 1500, 49), ClampTargetRate=1)
    # The NIC's: byte counter besides, cut by half at most, alpha from 1023/1024.
    sequence("nic-default", NIC,
             cnps(*[1 + 4.0 * i for i in range(12)]) + sends(50, 200, 14000, 80000)
             + cnps(900, 904, 2000) + looks(2900, 4000, 50))
    sequence("nic-byte-clamp", NIC,
             cnps(1, 5, 300, 305) + sends(10, 120, 5000, 40960) + looks(620, 1400, 50),
             ByteCounter=400000, ClampTargetRateAfterIncrease=0)
    # A look each nanosecond: the cut follows its CNP at once.
    sequence("timer-driven-at-once", HPCC,
             cnps(1, 2, 3, 4) + looks(1, 25, 1), RateDecreaseInterval=1)


if __name__ == "__main__":
    main()
