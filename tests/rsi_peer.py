#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""rsi_peer.py - a robot controller written from the interface description alone; it judges our side of the link.

  rsi_peer.py pipe PROGRAM     every case in lock-step, time in the peer's hand (tests/rsi_pipe.c on the other end)
  rsi_peer.py echo PORT N      answers N telegrams as a bare echo
  rsi_peer.py wire PORT N MS   sends N telegrams every MS ms to PORT and prints: answered share, wrong, malformed, p50, p99
"""
import math, random, re, socket, subprocess, sys, time

START = [1200.5, -300.25, 1500.0, 30.0, -20.0, 175.0]
SIX = ["X", "Y", "Z", "A", "B", "C"]
AXES = ["A1", "A2", "A3", "A4", "A5", "A6"]


def telegram(ipoc, place, delay=0, axes=False, root="Type", pretty=False):
    line = "\n" if pretty else ""
    names = AXES if axes else SIX
    values = " ".join('%s="%.4f"' % (n, x) for n, x in zip(names, place))
    text = '<Rob %s="KUKA">%s<%s %s />%s' % (root, line, "AIPos" if axes else "RIst", values, line)
    if not axes:
        text += '<AIPos A1="1.0000" A2="-90.0000" A3="90.0000" A4="0.0000" A5="30.0000" A6="0.0000" />' + line
    text += '<Delay D="%d" />%s<Tech C11="0.0" C12="0.0" />%s<DiL>0</DiL>%s' % (delay, line, line, line)
    return (text + "<IPOC>%d</IPOC>%s</Rob>" % (ipoc, line)).encode()


ANSWER = re.compile(
    r'<Sen Type="ImFree"><EStr>[^<]*</EStr><(RKorr|AKorr)((?: \w+="-?\d+\.\d{4,}"){6}) /><Stop>([01])</Stop>'
    r"<IPOC>(\d+)</IPOC></Sen>")


def understand(data):
    """The corrections, stop and IPOC of an answer; None if a robot would not take it."""
    m = ANSWER.fullmatch(data.decode("ascii", "replace"))
    if not m:
        return None
    pairs = dict(re.findall(r'(\w+)="([^"]+)"', m.group(2)))
    names = SIX if m.group(1) == "RKorr" else AXES
    if sorted(pairs) != sorted(names):
        return None
    return [float(pairs[n]) for n in names], m.group(3) == "1", int(m.group(4))


class Client:
    """Our side, asked line by line."""

    def __init__(self, program, *words):
        self.p = subprocess.Popen([program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line, reply=True):
        self.p.stdin.write(line + "\n")
        if not reply:
            return None
        self.p.stdin.flush()
        return self.p.stdout.readline().strip()

    def datagram(self, t, port, data, last=True):
        r = self.ask("%s %d %d %s" % ("D" if last else "Q", t, port, data.hex()))
        return (r[0], bytes.fromhex(r[2:])) if len(r) > 1 else (r, b"")

    def state(self):
        names = "mode reason lost late foreign duplicates reordered rejected superseded sessions moved limited".split()
        return {n: int(v) if v.isdigit() else v for n, v in zip(names, self.ask("?").split("|"))}

    def close(self):
        self.p.stdin.close()
        self.p.wait(10)


def sine(t):
    t = max(0.0, t - 0.3)
    ramp = t ** 3 * (10 - 15 * t + 6 * t * t) if t < 1 else 1.0
    return [20.0 * ramp * math.sin(2.5 * t), 0.0, -15.0 * ramp * math.sin(2.5 * t), 3.0 * ramp * math.sin(2.5 * t), 0.0, 0.0]


class Robot:
    """HOLDON 1, absolute; the arm is where the correction says, three cycles later."""

    def __init__(self, client, cycle_ms=4, axes=False, motion=sine, clamp=None, **text):
        self.c, self.cycle, self.axes, self.motion, self.clamp, self.text = client, cycle_ms, axes, motion, clamp, text
        self.t, self.ipoc, self.port, self.late, self.k = 10_000_000, 4208163634, 40001, 0, 0
        self.value, self.path = [0.0] * 6, [[0.0] * 6] * 4
        self.answered = self.missed = self.wrong = self.bad = 0
        self.step = [0.0] * 6
        self.drift = 0.0
        self.loop = 0
        self.saturated = None
        self.rng = random.Random(4)

    def submit(self, until):
        """Our loop's set-points, every millisecond."""
        while self.loop * 1_000_000 <= until:
            t = self.loop * 1_000_000
            x = [s + o for s, o in zip(START, self.motion(1e-9 * t))]
            scale = [math.pi / 180] * 6 if self.axes else [1e-3] * 3 + [math.pi / 180] * 3
            self.c.ask("S %d " % t + " ".join("%.17g" % (a * b) for a, b in zip(x, scale)), reply=False)
            self.loop += 1

    def make(self):
        place = [s + o for s, o in zip(START, self.path[0])]
        return telegram(self.ipoc, place, self.late, self.axes, **self.text)

    def take(self, data):
        heard = understand(data)
        if heard is None:
            self.bad += 1
        elif heard[2] != self.ipoc:
            self.wrong += 1
        else:
            self.step = [max(s, abs(a - b)) for s, a, b in zip(self.step, heard[0], self.value)]
            self.value = heard[0]
            self.answered += 1
            return True
        return False

    def advance(self, good):
        self.missed += not good
        self.late += not good
        value = self.value
        if self.clamp:
            value = [max(-self.clamp, min(self.clamp, v)) for v in value]
            if self.saturated is None and value != self.value:
                self.saturated = self.t
        self.path = self.path[1:] + [value]
        self.t += self.cycle * 1_000_000
        self.ipoc += self.cycle
        self.k += 1

    def cycle_once(self, spoil=None, lose_in=False, lose_out=False, copies=1):
        self.submit(self.t + 100_000)
        data = self.make()
        kind, answer = "N", b""
        if not lose_in:
            kind, answer = self.c.datagram(self.t + 100_000, self.port, spoil(data) if spoil else data)
        good = kind == "A" and not lose_out and self.take(answer)
        if good:
            want = self.motion(1e-9 * (self.t + 100_000 - 2_000_000))
            if self.c_running:
                self.drift = max(self.drift, max(abs(a - b) for a, b in zip(self.value, want)))
            for _ in range(copies - 1):
                again = self.c.datagram(self.t + 150_000, self.port, data)
                if again != ("K", answer):
                    self.wrong += 1
        self.advance(good)
        return kind, answer, good

    c_running = False

    def arm(self):
        for _ in range(20):
            self.cycle_once()
        reason = self.c.ask("R arm %d" % (self.t - self.cycle * 1_000_000 + 200_000))
        self.c_running = reason == "fine"
        return reason

    def run(self, n, **how):
        for _ in range(n):
            self.cycle_once(**how)


results = []


def check(name, good, note=""):
    results.append(good)
    print("%s - peer: %s%s" % ("ok" if good else "not ok", name, " # " + note if note else ""), flush=True)


def spoilers(rng):
    big = b"7" * 4000
    sub = lambda pattern, with_: (lambda d: re.sub(pattern, with_, d, count=1))
    return {
        "cut": lambda d: d[: rng.randrange(1, len(d) - 2)],
        "letters": sub(rb'A1="[^"]*"', b'A1="abc"'),
        "nan": sub(rb'A1="[^"]*"', b'A1="nan"'),
        "inf": sub(rb'A1="[^"]*"', b'A1="inf"'),
        "no root end": lambda d: d.replace(b"</Rob>", b""),
        "random bytes": lambda d: bytes(rng.randrange(256) for _ in d),
        "4000 digits": sub(rb'A1="[^"]*"', b'A1="' + big + b'"'),
        "doubled": sub(rb'A1="([^"]*)"', rb'A1="\1" A1="\1"'),
        "empty": lambda d: b"",
        "300 tags": lambda d: d.replace(b"<Delay", b"<a>" * 300 + b"</a>" * 300 + b"<Delay"),
        "no IPOC": sub(rb"<IPOC>.*</IPOC>", b""),
        "negative IPOC": sub(rb"<IPOC>", b"<IPOC>-"),
        "comma": sub(rb'A1="(-?\d+)\.', rb'A1="\1,'),
        "DOCTYPE": lambda d: b"<!DOCTYPE Rob>" + d,
    }


def case_clean(program):
    for name, words, how in [("pose", [], {}), ("axes", ["axes"], {"axes": True, "motion": lambda t: [0.3 * x for x in sine(t)]}), ("12 ms", ["pose", "12"], {"cycle_ms": 12}),
                             ("TYPE", [], {"root": "TYPE"}), ("pretty-printed", [], {"pretty": True})]:
        c = Client(program, *words)
        r = Robot(c, **how)
        reason = r.arm()
        r.run(2480)
        s = c.state()
        check("clean, %s: 2500 of 2500 answered, none wrong or malformed" % name,
              reason == "fine" and r.answered == 2500 and not r.wrong and not r.bad and s["mode"] == "RUN", reason + " " + s["reason"])
        c.close()


def case_lockstep(program):
    c = Client(program)
    r = Robot(c)
    r.arm()
    r.run(19980)
    check("lock-step: 20000 of 20000 answered, drift %.1e below 1e-4" % r.drift, r.answered == 20000 and r.drift < 1e-4)
    c.close()


def case_loss(program):
    c = Client(program)
    r = Robot(c)
    r.arm()
    lost = [0, 0]
    for _ in range(2480):
        a, b = r.rng.random() < 0.02, r.rng.random() < 0.02
        lost[0] += a
        lost[1] += b and not a
        r.cycle_once(lose_in=a, lose_out=b)
    r.run(2)
    s = c.state()
    top = [1.0 * 4] * 3 + [0.12 * 4] * 3  # limit of speed times up to four cycles, mm and deg
    check("loss of 2 %% each way: no step above speed times time, lost %d = %d, late %d = %d" % (s["lost"], lost[0], s["late"], sum(lost)),
          all(a <= b for a, b in zip(r.step, top)) and s["lost"] == lost[0] and s["late"] == sum(lost) and s["mode"] == "RUN")
    c.close()


def case_order(program):
    c = Client(program)
    r = Robot(c)
    r.arm()
    held = None
    doubles = swaps = answers_old = 0
    for _ in range(2480):
        if held:
            data, port = held
            r.submit(r.t)
            kind, answer, good = r.cycle_once()
            answers_old += c.datagram(r.t - 3_000_000, port, data)[0] != "N"  # overtaken: comes after its successor
            held = None
            continue
        if r.rng.random() < 0.03:
            held = (r.make(), r.port)
            swaps += 1
            r.advance(False)
            continue
        twice = r.rng.random() < 0.03
        doubles += twice
        r.cycle_once(copies=2 if twice else 1)
    s = c.state()
    check("reordered %d and doubled %d: never twice for one IPOC, the same bytes again" % (swaps, doubles),
          answers_old == 0 and r.wrong == 0 and s["duplicates"] == doubles and s["reordered"] == swaps and s["mode"] == "RUN")
    c.close()


def case_malformed(program):
    c = Client(program)
    r = Robot(c)
    r.arm()
    kinds = list(spoilers(r.rng).items())
    sent = answered = 0
    for _ in range(2480):
        if r.rng.random() < 0.1:
            kind, _, _ = r.cycle_once(spoil=kinds[sent % len(kinds)][1])
            answered += kind != "N"
            sent += 1
        else:
            r.cycle_once()
    s = c.state()
    check("malformed 10 %%: %d of %d kinds, none answered, all counted" % (sent, len(kinds)),
          answered == 0 and s["rejected"] == sent and r.bad == 0 and s["mode"] == "RUN")
    c.close()


def case_foreign(program):
    c = Client(program)
    r = Robot(c)
    r.arm()
    stolen = 0
    for _ in range(500):
        stolen += c.datagram(r.t + 50_000, 40002, r.make())[0] != "N"
        r.cycle_once()
    check("copies from a foreign port: ignored, counted, the robot answered",
          stolen == 0 and c.state()["foreign"] == 500 and r.answered == 520)
    c.close()


def case_stall(program):
    c = Client(program)
    r = Robot(c)
    r.arm()
    r.run(400)
    answers = 0
    for i in range(10):  # the robot's Timeout of 10 ends its telegrams
        last = i == 9
        r.submit(r.t)
        kind, data = c.datagram(r.t + 100_000, r.port, r.make(), last=last)
        answers += kind != "N"
        newest = r.ipoc
        r.advance(False)
    s = c.state()
    check("stall of 60 ms: one answer, to the newest; HOLD, reason named", answers == 1 and understand(data)[2] == newest and
          s["mode"] == "HOLD" and s["reason"] == "we were stalled" and s["superseded"] == 9, s["reason"])
    c.close()


def still(t):
    return [0.0] * 6


def case_sessions(program):
    c = Client(program)
    r = Robot(c, motion=still)
    r.arm()
    r.t += 200_000_000
    r.ipoc += 200
    c.ask("T %d" % (r.t - 80_000_000), reply=False)
    r.submit(r.t)
    s = c.state()
    check("silent for 50 cycles: HOLD", s["mode"] == "HOLD" and s["reason"] == "robot silent", s["reason"])
    r.run(5)
    check("it needs to be armed again", c.state()["mode"] == "HOLD" and r.arm() == "fine" and c.state()["mode"] == "RUN")
    r.t += 200_000_000
    r.port = 40009
    r.run(3)
    s = c.state()
    check("another port after silence: new session in HOLD", s["sessions"] == 2 and s["mode"] == "HOLD", s["reason"])
    check("it can be armed", r.arm() == "fine")
    r.ipoc = 1000
    kinds = [r.cycle_once()[0] for _ in range(5)]
    check("an IPOC that begins again at once is not answered", kinds == ["N"] * 5 and c.state()["sessions"] == 2)
    r.t += 1_100_000_000
    r.run(3)
    s = c.state()
    check("after a second of silence it is a new session in HOLD", s["sessions"] == 3 and s["mode"] == "HOLD", s["reason"])
    check("which can be armed", r.arm() == "fine")
    r.ipoc += 4000
    r.run(3)
    s = c.state()
    check("an IPOC that leaps: HOLD", s["mode"] == "HOLD" and s["reason"] == "counter leapt", s["reason"])
    c.close()


def case_clamp(program):
    c = Client(program)
    r = Robot(c, clamp=5.0)
    r.arm()
    held = None
    for _ in range(500):
        r.cycle_once()
        if r.saturated and c.state()["mode"] == "HOLD":
            held = r.t
            break
    text = c.ask("E")
    ms = (held - r.saturated) * 1e-6 if held and r.saturated else 1e9
    check("silent clamp at 5 mm: found %.0f ms after it (at most 200), named" % ms, ms <= 200 and "clamped" in text, text)
    c.close()


def case_step(program):
    c = Client(program)
    r = Robot(c, motion=lambda t: [400.0 if t > 0.4 else 0.0, 0, 0, 0, 0, 0])
    r.arm()
    r.run(300)
    s = c.state()
    check("a step of 400 mm: %.3f mm in a cycle at most (2 configured), HOLD" % r.step[0],
          r.step[0] <= 2.0 + 1e-6 and s["mode"] == "HOLD" and s["limited"] > 0, s["reason"])
    c.close()


def case_two(program):
    """Arrivals with jitter, clocks at +-150 ppm: what was sent against the trajectory at the true instants."""
    for ppm in (150, -150):
        c = Client(program)
        r = Robot(c)
        begin, worst, missed = r.t, 0.0, 0
        for k in range(15000):
            true = begin + round(k * 4_000_000 * (1 + ppm * 1e-6))
            arrival = true + 100_000 + int(r.rng.expovariate(1 / 40e3))
            r.submit(arrival)
            kind, data = c.datagram(arrival, r.port, r.make())
            if kind != "A":
                missed += 1
                continue
            value = understand(data)[0]
            if k == 20:
                assert c.ask("R arm %d" % (arrival + 100_000)) == "fine"
            if k > 600:
                at = 1e-9 * (true + 100_000 - 2_000_000)
                speed = (sine(at + 5e-4)[0] - sine(at - 5e-4)[0]) * 1e3
                if abs(speed) > 25:
                    worst = max(worst, abs((value[0] - sine(at)[0]) / speed))
            r.value = value
            r.path = r.path[1:] + [value]
            r.t, r.ipoc = true, r.ipoc + 4
        check("clock at %+d ppm, 60 s: %d unanswered, resampled within %.2f us (5 allowed)" % (ppm, missed, 1e6 * worst),
              missed == 0 and worst <= 5e-6)
        c.close()


def pipe(program):
    for case in (case_clean, case_lockstep, case_loss, case_order, case_malformed, case_foreign, case_stall, case_sessions,
                 case_clamp, case_step, case_two):
        case(program)
    return 0 if all(results) else 1


def echo(port, count):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", port))
    s.settimeout(5)
    zero = " ".join('%s="0.0000"' % n for n in SIX)
    for _ in range(count):
        data, who = s.recvfrom(4096)
        ipoc = data[data.index(b"<IPOC>") + 6 : data.index(b"</IPOC>")].decode()
        s.sendto(('<Sen Type="ImFree"><EStr>x</EStr><RKorr %s /><Stop>0</Stop><IPOC>%s</IPOC></Sen>' % (zero, ipoc)).encode(), who)
    return 0


def wire(port, count, ms):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    begin = time.monotonic() + 0.05
    answered = wrong = bad = 0
    times = []
    open_ = set()  # sent and not answered: an answer that comes late is late, not wrong
    for k in range(count):
        due = begin + k * ms * 1e-3
        while time.monotonic() < due:
            time.sleep(max(0.0, min(due - time.monotonic(), 1e-3)))
        sent = time.monotonic()
        s.sendto(telegram(1000 + 4 * k, START), ("127.0.0.1", port))
        open_.add(1000 + 4 * k)
        good = False
        while not good and time.monotonic() < sent + ms * 1e-3:
            s.settimeout(max(1e-4, sent + ms * 1e-3 - time.monotonic()))
            try:
                heard = understand(s.recv(4096))
            except OSError:
                break
            bad += heard is None
            good = heard is not None and heard[2] == 1000 + 4 * k
            wrong += heard is not None and heard[2] not in open_
            open_.discard(heard[2] if heard else None)
        answered += good
        if good:
            times.append(time.monotonic() - sent)
    times.sort()
    p = lambda q: 1e6 * times[min(len(times) - 1, int(q * len(times)))] if times else 0.0
    print("%.3f %d %d %.0f %.0f" % (100.0 * answered / count, wrong, bad, p(0.5), p(0.99)))
    return 0


if __name__ == "__main__":
    mode = sys.argv[1]
    if mode == "pipe":
        sys.exit(pipe(sys.argv[2]))
    if mode == "echo":
        sys.exit(echo(int(sys.argv[2]), int(sys.argv[3])))
    sys.exit(wire(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
