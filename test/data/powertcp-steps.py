#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""PowerTCP a second time: what powertcp-test.cc compares the two PowerTcpCongestionOps with.

Written from algorithms 1 and 2 of Addanki, Michel and Schmid, NSDI 2022, not from the module. All
numbers are fractions, so nothing is rounded before the last column.

    python3 powertcp-steps.py > powertcp-steps.csv

Lines: "case,NAME,TYPE", "attribute,NAME,VALUE", "given,LINE_RATE,MTU,FRAME,TAU_PS", then for each
answer "step,NOW_PS,RTT_PS,ACKED,SENT,DIGEST,HOPS" (DIGEST is 0; HOPS -1: no telemetry), for each
hop ",SWITCH,PORT,TX_BYTES,QUEUE,TIME_PS,RATE", and ",RATE,WINDOW,POWER,OLD_WINDOW" as they are
after it. Windows but for WINDOW (payload) are bytes on the wire.
"""

from fractions import Fraction as F

US = 10**6  # picoseconds
SECOND = 10**12
G = 10**9


class PowerTcp:
    """Algorithm 1, and what it shares with algorithm 2."""

    def __init__(self, given, gamma=F(9, 10), beta=None, target=F(1), floor=F(1, 2), least=F(1)):
        self.g, self.gamma, self.target, self.floor, self.least = given, gamma, target, floor, least
        self.tau = F(given["tau"], SECOND)
        self.most = F(given["rate"]) * self.tau / 8
        self.beta = self.most / 10 if beta is None else beta
        self.cwnd = self.cwnd_old = self.most
        self.smooth, self.last_update, self.previous = F(1), 0, None

    def average(self, power, dt):
        power = power / self.target
        dt = min(dt, self.tau)
        self.smooth = (self.smooth * (self.tau - dt) + power * dt) / self.tau

    def update_window(self):
        cwnd = self.gamma * (self.cwnd_old / self.smooth + self.beta)
        cwnd += (1 - self.gamma) * self.cwnd
        self.cwnd = min(max(cwnd, self.least), self.most)

    def update_old(self, sent):
        self.cwnd_old, self.last_update = self.cwnd, sent

    def answer(self, now, rtt, acked, sent, hops):
        if not hops:
            return
        path = lambda list_of: [(hop["switch"], hop["port"]) for hop in list_of]
        if self.previous is None or path(hops) != path(self.previous):
            self.previous = hops
            self.update_old(sent)
            return
        if any(new["time"] <= old["time"] for new, old in zip(hops, self.previous)):
            return
        normalized, interval = None, None
        for new, old in zip(hops, self.previous):
            dt = F(new["time"] - old["time"], SECOND)
            gradient = F(8 * (new["queue"] - old["queue"])) / dt
            tx_rate = F(8 * (new["tx"] - old["tx"])) / dt
            b = F(new["rate"])
            current = max(gradient + tx_rate, self.floor * b)
            voltage = 8 * new["queue"] + b * self.tau
            here = current * voltage / (b * b * self.tau)
            if normalized is None or here > normalized:
                normalized, interval = here, dt
        self.previous = hops
        self.average(normalized, interval)
        self.update_window()
        if acked > self.last_update:
            self.update_old(sent)

    def state(self):
        payload = self.cwnd * F(self.g["mtu"], self.g["frame"])
        return 8 * self.cwnd / self.tau, max(1, int(payload)), self.smooth, self.cwnd_old


class Theta(PowerTcp):
    """Algorithm 2."""

    def answer(self, now, rtt, acked, sent, hops):
        if rtt <= 0:
            return
        if self.previous is None:
            self.update_old(sent)
        else:
            old_now, old_rtt = self.previous
            if now <= old_now:
                return
            dt = F(now - old_now, SECOND)
            gradient = F(rtt - old_rtt, SECOND) / dt
            self.average(max(gradient + 1, self.floor) * F(rtt, SECOND) / self.tau, dt)
            if acked > self.last_update:
                self.update_window()
                self.update_old(sent)
        self.previous = (now, rtt)


class Path:
    """Hops whose counters go on by what a step says."""

    def __init__(self, rates, first=10):
        self.hops = [
            dict(switch=first + i, port=i + 1, tx=7000 * i, queue=0, time=i * US, rate=rate)
            for i, rate in enumerate(rates)
        ]

    def tell(self, interval, *changes):
        """interval in ps; of each hop bytes sent and the queue now."""
        for hop, (tx, queue) in zip(self.hops, changes):
            hop["time"] += interval
            hop["tx"] += tx
            hop["queue"] = queue
        return [dict(hop) for hop in self.hops]


def show(number):
    return repr(float(number)) if isinstance(number, F) else str(number)


def run(name, type_name, attributes, given, machine, answers):
    print(f"case,{name},{type_name}")
    for attribute, value in attributes.items():
        print(f"attribute,{attribute},{value}")
    print(f"given,{given['rate']},{given['mtu']},{given['frame']},{given['tau']}")
    for now, rtt, acked, sent, hops in answers:
        machine.answer(now, rtt, acked, sent, hops)
        line = ["step", now, rtt, acked, sent, 0, -1 if hops is None else len(hops)]
        for hop in hops or []:
            line += [hop[key] for key in ("switch", "port", "tx", "queue", "time", "rate")]
        print(",".join(str(item) for item in line + [show(item) for item in machine.state()]))


def telemetry_answers():
    """100 Gb/s is 12500 bytes a microsecond; tau is 10 us, so the window begins at 125000."""
    path = Path([400 * G, 100 * G])
    told = [
        path.tell(US, (0, 0), (0, 0)),  # the first one of the path
        path.tell(US, (12500, 0), (12500, 0)),  # full and empty: power 1
        path.tell(US, (12500, 0), (12500, 12500)),  # the queue grows at line rate: current 2
        path.tell(US, (12500, 0), (12500, 25000)),
        path.tell(US, (12500, 0), (12500, 25000)),  # it stands
        path.tell(4 * US, (50000, 0), (50000, 20000)),  # it falls
        path.tell(8 * US, (50000, 0), (100000, 0)),
        path.tell(2 * US, (10000, 0), (10000, 0)),  # free bandwidth
        path.tell(20 * US, (0, 0), (0, 0)),  # nothing at all: the least current
        path.tell(US, (50000, 90000), (2000, 0)),  # the other hop is the bottleneck
        path.tell(US, (50000, 90000), (9000, 0)),
        None,
        [],
    ]
    old = path.tell(0, (0, 90000), (0, 0))
    for hop in old:
        hop["time"] -= US // 2
    told.append(old)  # out of date
    told.append(path.tell(3 * US, (150000, 0), (37500, 0)))  # back to empty: a current below 0
    for queue in (40000, 80000, 120000, 120000):
        told.append(path.tell(10 * US, (125000, 0), (125000, queue)))
    other = Path([100 * G], 30)
    told.append(other.tell(US, (1, 0)))  # another path
    for queue in (9000000, 9000000, 9000000, 9000000):
        told.append(other.tell(9 * US, (112500, queue)))  # far too much
    for _ in range(4):
        told.append(other.tell(6 * US, (60000, 0)))
    answers, acked = [], 0
    for number, hops in enumerate(told):
        acked += 40000 if number % 3 == 2 else 5000
        answers.append((0, 0, acked, acked + 60000, hops))
    return answers


def delay_answers():
    rtts = [10, 10, 11, 13, 16, 16, 15, 15, 12, 10, 10, 9]
    rtts += [10, 14, 22, 30, 30, 30, 24, 12, 10, 10, 10]
    answers, now, acked = [], 0, 0
    for number, rtt in enumerate(rtts):
        now += (1 if number % 4 else 5) * US
        acked += 40000 if number % 3 == 2 else 5000
        answers.append((now, rtt * US, acked, acked + 60000, None))
        if number == 5:
            answers.append((now, 20 * US, acked + 1000, acked + 60000, None))  # at the same time
        if number == 8:
            answers.append((now + 1, 0, acked + 1000, acked + 60000, None))  # no round trip
    return answers


def main():
    given = dict(rate=100 * G, mtu=1000, frame=1100, tau=10 * US)
    power, theta = "ns3::PowerTcpCongestionOps", "ns3::ThetaPowerTcpCongestionOps"
    run("paper", power, {}, given, PowerTcp(given), telemetry_answers())
    beta = F(150 * 10**6) * 10 / 10**6 / 8
    least = F(100 * 10**6) * 10 / 10**6 / 8
    simulator = {"BetaRate": "150Mbps", "MinRate": "100Mbps"}
    run(
        "simulator",
        power,
        {**simulator, "TargetPower": "0.95"},
        given,
        PowerTcp(given, F(9, 10), beta, F(95, 100), F(1, 2), least),
        telemetry_answers(),
    )
    run("theta-paper", theta, {}, given, Theta(given), delay_answers())
    run(
        "theta-simulator",
        theta,
        {**simulator, "TargetPower": "1.05", "Gamma": "0.7", "MinCurrent": "0.1"},
        given,
        Theta(given, F(7, 10), beta, F(105, 100), F(1, 10), least),
        delay_answers(),
    )


main()
