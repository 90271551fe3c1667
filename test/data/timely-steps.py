#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""TIMELY and Patched TIMELY, a second time: what timely-test.cc compares the module with.

Written from the papers' algorithms, with fractions instead of doubles, and with sequence numbers
(acknowledged to, sent to) where the module counts bytes.

    python3 timely-steps.py > timely-steps.csv

The lines are explained in test/support/congestion-steps.h.
"""

from fractions import Fraction as F

US = 1000  # nanoseconds
MBPS = 10**6
LINE = 10 * 10**9
MTU = 1024
FRAME = 1106

DEFAULTS = {
    "Alpha": F(7, 8),
    "MinRtt": 20 * US,
    "TLow": 50 * US,
    "THigh": 500 * US,
    "RateAi": 10 * MBPS,
    "MinRate": 10 * MBPS,
    "MinDecreaseFactor": F(0),
    "InitialRateShare": F(1),
    "Completion": "Segment",
    "Segment": 16384,
    "Beta": F(4, 5),
    "RateHai": 50 * MBPS,
    "HyperAfter": 5,
    "HyperCountsIncreases": 0,
}
TIMES = ("MinRtt", "TLow", "THigh")
RATES = ("RateAi", "MinRate", "RateHai")
ONLY_TIMELY = ("RateHai", "HyperAfter", "HyperCountsIncreases")


class Timely:
    """Rates in bits a second, times in nanoseconds, both exact."""

    def __init__(self, values, patched):
        self.v = dict(DEFAULTS, **values)
        self.patched = patched
        self.rate = LINE * self.v["InitialRateShare"]
        self.previous = None
        self.difference = F(0)
        self.negative = 0  # gradients below 0 in a row
        self.increases = 0  # increases in a row
        self.completed = 0  # segments
        self.round_end = 0

    def ack(self, acked_to, sent_to, rtt):
        if self.v["Completion"] == "Round":
            if acked_to <= self.round_end:
                return
            self.round_end = sent_to
        else:
            segments = acked_to // self.v["Segment"]
            if segments == self.completed:
                return
            self.completed = segments
        if self.previous is not None:
            self.update(F(rtt), F(rtt - self.previous))
        self.previous = rtt

    def update(self, rtt, new_difference):
        v = self.v
        self.difference = (1 - v["Alpha"]) * self.difference + v["Alpha"] * new_difference
        gradient = self.difference / v["MinRtt"]
        self.negative = self.negative + 1 if gradient < 0 else 0
        grows = rtt < v["TLow"] or (rtt <= v["THigh"] and gradient <= 0)
        self.increases = self.increases + 1 if grows else 0
        row = self.increases if v["HyperCountsIncreases"] else self.negative
        hyper = not self.patched and row >= v["HyperAfter"]
        step = v["RateHai"] if hyper else v["RateAi"]
        low_step = step if v["HyperCountsIncreases"] else v["RateAi"]
        before = self.rate
        if rtt < v["TLow"]:
            rate = before + low_step
        elif rtt > v["THigh"]:
            rate = before * (1 - v["Beta"] * (1 - v["THigh"] / rtt))
        elif self.patched:
            if gradient <= F(-1, 4):
                weight = F(0)
            elif gradient >= F(1, 4):
                weight = F(1)
            else:
                weight = 2 * gradient + F(1, 2)
            error = (rtt - v["TLow"]) / v["TLow"]
            rate = v["RateAi"] * (1 - weight) + before * (1 - v["Beta"] * weight * error)
        elif gradient <= 0:
            rate = before + step
        else:
            rate = before * (1 - v["Beta"] * gradient)
        self.rate = min(LINE, max(rate, v["MinRate"], before * v["MinDecreaseFactor"]))


def text(name, value):
    if name in TIMES:
        return f"{value}ns"
    if name in RATES:
        return f"{value}bps"
    return repr(float(value)) if isinstance(value, F) else str(value)


def run(name, patched, values, signals):
    """signals: (acknowledged to, sent to, round trip in ns)"""
    kind = "ns3::PatchedTimelyCongestionOps" if patched else "ns3::TimelyCongestionOps"
    print(f"sequence,{name},{kind}")
    for key, value in dict(DEFAULTS, **values).items():
        if not (patched and key in ONLY_TIMELY):
            print(f"attribute,{key},{text(key, value)}")
    print(f"facts,{LINE},{MTU},{FRAME},{20 * US}")
    flow = Timely(values, patched)
    print(f"start,{float(flow.rate)!r},0")
    now, before = 0, 0
    for acked_to, sent_to, rtt in signals:
        now += 10 * US
        flow.ack(acked_to, sent_to, rtt)
        print(f"ack,{now},{acked_to - before},{sent_to - acked_to},{rtt},0,0,0,"
              f"{float(flow.rate)!r},0")
        before = acked_to


def segments(rtts_us):
    """One answer a segment."""
    return [(16384 * (i + 1), 16384 * (i + 9), int(rtt * US)) for i, rtt in enumerate(rtts_us)]


# TIMELY, each branch: no change at the first event; rising, above 0: decreases, the third one so
# steep that MinRate stops it; below TLow; above THigh; falling: five in a row, the fifth and sixth
# hyperactive; equal round trips: the average goes on falling, then one that rises a little ends the
# row; the boundaries themselves belong to the middle.
BRANCHES = [60, 62, 65, 120, 45, 40, 49, 600, 1000, 500, 480, 470, 465, 460, 455, 455, 455, 456, 456,
            456, 50, 49, 300, 100, 95, 90, 85, 80, 75, 50]
run("timely-branches", False, {"MinRate": 100 * MBPS}, segments(BRANCHES))

# At line rate nothing is added; a bound on one decrease; another start.
run("timely-bounds", False, {"MinDecreaseFactor": F(1, 2), "InitialRateShare": F(1, 4)},
    segments([60, 100, 180, 400, 900, 3000, 40, 30, 20, 20, 20, 200, 100, 60, 58]))
run("timely-line-rate", False, {"RateAi": 4000 * MBPS},
    segments([60, 70, 40, 40, 40, 40, 70, 69, 68, 67, 66, 65, 64]))

# Answers smaller than a segment, and one that ends several at once.
PARTS = [(4096 * (i + 1), 4096 * (i + 10), (55 + (7 * i) % 11) * US) for i in range(20)]
run("timely-part-segments", False, {}, PARTS + [(60 * 4096, 70 * 4096, 52 * US),
                                                (61 * 4096, 70 * 4096, 51 * US),
                                                (64 * 4096, 70 * 4096, 70 * US)])

# The HPCC simulator: an event a round trip; hyperactive after five increases of any kind.
ROUNDS = [(1000 * (i + 1), 1000 * (i + 1) + 4000, (40 + i) * US) for i in range(45)]
ROUNDS += [(46000 + 5000 * i, 46000 + 5000 * i + 4000, rtt * US)
           for i, rtt in enumerate([80, 120, 90, 80, 700, 650, 60, 55, 54, 53, 52, 51, 50, 51, 49])]
run("timely-hpcc-simulator", False,
    {"Completion": "Round", "HyperAfter": 6, "HyperCountsIncreases": 1, "MinRate": 1000 * MBPS,
     "InitialRateShare": F(1, 2)}, ROUNDS)

# Patched TIMELY: weights 0, 1 and between, both thresholds, the bounds.
PATCHED = dict(Beta=F(1, 125))
run("patched-branches", True, dict(PATCHED, InitialRateShare=F(1, 2)), segments(BRANCHES))
run("patched-weights", True, dict(PATCHED, InitialRateShare=F(1, 2)),
    segments([100, 101, 102, 101, 100, 104, 110, 120, 120, 120, 118, 112, 100, 90, 90, 91, 90, 90,
              90, 89, 90, 90, 60, 55, 50, 50, 51]))
run("patched-fixed-point", True, dict(PATCHED, InitialRateShare=F(1, 2)), segments([62.5] * 12))
run("patched-bounds", True, {"Beta": F(4, 5), "MinRate": 500 * MBPS},
    segments([60, 100, 200, 300, 400, 450, 480, 490, 60, 55, 45]))
