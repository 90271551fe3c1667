#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""NSCC (Ultra Ethernet 1.0) stepped through a fixed sequence of answers, by its equations as
doc/congestion-credit.rst has them. Writes nscc-steps.csv, which nscc-test.cc compares with.

A port of 100 Gb/s, a base round trip of 12 us (so a = 1), frames of 4096 bytes of payload and 4202
on the wire; target delay 9 us, fair decrease with 0.8.

    python3 nscc-steps.py > nscc-steps.csv
"""

MTU, WIRE = 4096.0, 4202.0
RATE = 100e9 / 8 / 1e6  # bytes a microsecond, on the wire
RTT = 12.0  # microseconds, as all times here
TARGET, GAIN, GAMMA, FD = 9.0, 0.0125, 0.8, 0.8
ALPHA = 4 * MTU / 12.0  # bytes a microsecond below the target, a round trip
FI, ETA, FAST = 5 * MTU, 0.15 * MTU, 0.25


class State:
    base = RTT
    window = 0.0
    average = 0.0
    pending = 0.0  # sum of increase times bytes
    received = 0.0
    adjusted = 0.0
    empty = 0.0
    fast = False
    decreased = None
    achieved = 0.0
    look = None
    loss = False
    ignore = ignored = 0.0
    in_flight = 0.0

    @property
    def bdp(self):
        return RATE * MTU / WIRE * self.base

    @property
    def largest(self):
        return 1.5 * self.bdp

    def bound(self):
        self.window = min(max(self.window, MTU), self.largest)

    def learn(self, delay, marked):
        sample = self.base / 4 if (delay > TARGET and not marked) else delay
        self.average += GAIN * (sample - self.average)

    def quick_adapt(self, now, marked, delay, lost):
        hit = marked and self.ignored < self.ignore
        if not hit and (self.look is None or now > self.look):
            cause = self.loss or lost or delay > 4 * TARGET
            if self.look is not None and cause and self.achieved < self.largest / 8:
                self.window = max(self.achieved, MTU)
                self.ignore, self.ignored = self.in_flight, 0.0
                self.loss = False
                hit = True
            self.achieved = 0.0
            self.look = now + self.base + TARGET
        if hit:
            self.pending = self.received = 0.0
        return hit

    def ack(self, now, acked, in_flight, rtt, marked):
        self.achieved += acked
        self.received += acked
        self.ignored += acked
        self.in_flight = in_flight
        self.base = min(self.base, rtt)
        delay = rtt - self.base
        self.learn(delay, marked)
        if self.quick_adapt(now, marked, delay, False):
            return "quick"
        if not marked and delay >= TARGET:
            branch = "fair-increase"
            self.pending += FI * acked
        elif not marked:
            branch = "proportional"
            if delay < 1.0:
                self.empty += acked
                if self.fast or self.empty > self.window:
                    self.fast = True
                    self.window += FAST * acked
                    branch = "fast"
            else:
                self.empty, self.fast = 0.0, False
            if not self.fast:
                self.pending += ALPHA * acked * (TARGET - delay)
        elif delay >= TARGET:
            branch = "held-decrease"
            self.fast, self.empty = False, 0.0
            due = self.decreased is None or now - self.decreased > self.base
            if self.average > TARGET and due:
                branch = "decrease"
                cut = GAMMA * (self.average - TARGET) / self.average
                self.window *= 1 - min(cut, 0.5)
                self.decreased = now
        else:
            branch = "fair-decrease"
            self.window -= FD * acked * self.window / self.bdp
        self.bound()
        if self.received > 8 * MTU or now - self.adjusted > RTT:
            branch += "+force"
            self.window += self.pending / self.window
            if now - self.adjusted >= RTT:
                branch += "+eta"
                self.window += ETA
                self.adjusted = now
            self.pending = self.received = 0.0
        self.bound()
        return branch

    def lose(self, now):
        self.ignored += MTU
        self.learn(RTT, True)
        self.loss = True
        if self.quick_adapt(now, True, 0.0, True):
            return "quick"
        self.window -= MTU
        self.bound()
        return "lost"

    def timeout(self):
        self.loss = True
        self.window -= MTU
        self.bound()
        return "timeout"


def sequence():
    """(kind, time since the last, acked, in flight, round trip, receiver's part, marked)"""
    frame = int(MTU)
    for _ in range(32):  # the average climbs over the target: decreases, one a base round trip
        yield "ack", 2, frame, 200000, 12 + 30 + 1, 1, 1
    for _ in range(3):  # trimmed ones take their size
        yield "trim", 1, 0, 120000, 0, 0, 0
    for _ in range(4):  # long delay without marks: fair increase
        yield "ack", 3, 3 * frame, 100000, 12 + 20, 0, 0
    for _ in range(6):  # short delay: proportional increase
        yield "ack", 3, 3 * frame, 100000, 12 + 3, 0, 0
    for _ in range(3):  # a mark without delay: fair decrease
        yield "ack", 3, 2 * frame, 100000, 12 + 4, 0, 1
    yield "nak", 1, 0, 0, 0, 0, 0
    yield "timeout", 50, 0, 0, 0, 0, 0
    yield "ack", 1, frame, 60000, 12 + 2, 0, 0  # little was achieved, and something lost
    yield "ack", 30, frame, 60000, 12 + 2, 0, 0
    for _ in range(3):  # answers for what was in flight count for nothing if they are marked
        yield "ack", 1, frame, 50000, 12 + 40, 0, 1
    yield "ack", 1, frame, 50000, 12 + 40, 0, 0
    yield "ack", 30, frame, 50000, 12 + 50, 0, 0  # quick adapt by delay alone
    for _ in range(9):  # no queue: first proportional, then fast
        yield "ack", 4, 2 * frame, 40000, 12, 0, 0
    for _ in range(3):  # a shorter round trip is the new base
        yield "ack", 4, 8 * frame, 40000, 11.5, 0, 0
    for _ in range(13):  # up to the largest window of that base
        yield "ack", 4, 16 * frame, 40000, 11.5, 0, 0
    yield "ack", 20, frame, 40000, 12.75, 0, 0
    yield "trim", 1, 0, 40000, 0, 0, 0


def main():
    print("kind,now_ps,acked,in_flight,rtt_ps,endpoint_ps,marked,window,average_ps,branch")
    state = State()
    state.window = state.largest
    now = 0.0
    for kind, gap, acked, in_flight, rtt, endpoint, marked in sequence():
        now += gap
        if kind == "ack":
            branch = state.ack(now, acked, in_flight, rtt - endpoint, bool(marked))
        elif kind == "trim":
            state.in_flight = in_flight
            branch = state.lose(now)
        elif kind == "nak":
            branch = state.lose(now)
        else:
            branch = state.timeout()
        steps = [round(t * 1e6) for t in (now, rtt, endpoint)]
        print(f"{kind},{steps[0]},{acked},{in_flight},{steps[1]},{steps[2]},{marked},"
              f"{state.window:.6f},{state.average * 1e6:.6f},{branch}")


main()
