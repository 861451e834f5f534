#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tumbling body and its poses for tests/estimate.sh, and the judge of the estimate. Written from the equations
of a free rigid body in principal axes (Euler) and of Hill, with the standard library only: nothing of freefall.

  estimate.py draw SEED DIR [outliers=0.1 dropouts=0.15 noise=3 delay=0.3 ...]   meas.csv, times.csv, truth.csv
  estimate.py judge DIR EST.csv                                                  one line of figures
"""
import csv
import math
import os
import random
import sys


def mul(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def conj(q):
    return (-q[0], -q[1], -q[2], q[3])


def turn(q, v):
    return mul(mul(q, (v[0], v[1], v[2], 0.0)), conj(q))[:3]


def exp(v):
    a = math.sqrt(sum(x * x for x in v))
    k = 0.5 if a < 1e-9 else math.sin(a / 2) / a
    return (v[0] * k, v[1] * k, v[2] * k, math.cos(a / 2))


def unit(q):
    n = math.sqrt(sum(x * x for x in q))
    return tuple(x / n for x in q)


def direction(rng, length):
    v = [rng.gauss(0, 1) for _ in range(3)]
    n = math.sqrt(sum(x * x for x in v))
    return [x * length / n for x in v]


def derivative(x, inertia, n):
    q, w, r, v = x[0:4], x[4:7], x[7:10], x[10:13]
    a = mul(q, (w[0], w[1], w[2], 0.0))
    b = mul((0.0, 0.0, n, 0.0), q)
    dq = [0.5 * (a[i] - b[i]) for i in range(4)]
    dw = [(inertia[1] - inertia[2]) * w[1] * w[2] / inertia[0],
          (inertia[2] - inertia[0]) * w[2] * w[0] / inertia[1],
          (inertia[0] - inertia[1]) * w[0] * w[1] / inertia[2]]
    dv = [2 * n * v[1] + 3 * n * n * r[0], -2 * n * v[0], -n * n * r[2]]
    return dq + dw + list(v) + dv


def step(x, h, inertia, n):
    k1 = derivative(x, inertia, n)
    k2 = derivative([a + h / 2 * b for a, b in zip(x, k1)], inertia, n)
    k3 = derivative([a + h / 2 * b for a, b in zip(x, k2)], inertia, n)
    k4 = derivative([a + h * b for a, b in zip(x, k3)], inertia, n)
    return [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(x, k1, k2, k3, k4)]


def draw(seed, folder, options):
    rng = random.Random(seed)
    n = options.get('n', 1.0381e-3)
    inertia = (4.0, 8.0, 5.0)
    eta = exp([rng.gauss(0, 0.15) for _ in range(3)])  # C to B
    rho = [-0.15, 0.0, 0.0]
    q0 = exp(direction(rng, 3 * rng.random()))
    x = list(q0) + direction(rng, rng.uniform(0.08, 0.16)) + direction(rng, 1.5) + direction(rng, 0.004)
    noise = options.get('noise', 1.0)
    meas, truth = [], []
    for k in range(11601):
        t = k * 0.01
        q = unit(x[0:4])
        mu = mul(q, eta)
        lever = turn(q, rho)
        p = [x[7 + i] + lever[i] for i in range(3)]
        w_c = turn(conj(eta), x[4:7])
        n_b = turn(conj(q), (0, 0, n))
        rel = [x[4 + i] - n_b[i] for i in range(3)]
        rate = turn(q, [rel[1] * rho[2] - rel[2] * rho[1], rel[2] * rho[0] - rel[0] * rho[2], rel[0] * rho[1] - rel[1] * rho[0]])
        if k % 50 == 0:
            truth.append([t] + p + list(mu) + [x[10 + i] + rate[i] for i in range(3)] + list(w_c))
        if k % 50 == 0 and 500 <= k < 9600:
            e = [rng.gauss(0, 0.005 * noise) for _ in range(3)]
            a = [rng.gauss(0, math.radians(1) * noise) for _ in range(3)]
            if rng.random() < options.get('outliers', 0):
                e = [i + j for i, j in zip(e, direction(rng, rng.uniform(0.05, 0.5)))]
                a = [i + j for i, j in zip(a, direction(rng, rng.uniform(0.2, 1.5)))]
            if options.get('lie', 1e9) <= t < options.get('lie', 1e9) + 3:
                e[0] += 0.2
            z = mul(mu, exp(a))
            lost = rng.random() < options.get('dropouts', 0)
            arrival = t + options.get('delay', 0.0) + options.get('jitter', 0.0) * rng.random()
            meas.append([k // 50, t, arrival, 0 if lost else 1] + [p[i] + e[i] for i in range(3)] + list(z)
                        + [0.005, math.radians(1)])
        x = step(x, 0.01, inertia, n)
    meas.sort(key=lambda m: m[2])
    write = lambda name, head, rows: csv.writer(open(os.path.join(folder, name), 'w', newline='')).writerows([head.split(',')] + rows)
    write('meas.csv', 'seq,t_img,t_rx,valid,px,py,pz,qx,qy,qz,qw,sigma_r,sigma_th', meas)
    write('times.csv', 't', [[r[0]] for r in truth])
    write('truth.csv', 't,px,py,pz,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz', truth)


def judge(folder, path):
    read = lambda name: [[float(x) for x in r] for r in list(csv.reader(open(name)))[1:]]
    truth, est = read(os.path.join(folder, 'truth.csv')), read(path)
    first, beyond, valid, late = None, 0, 0, None
    for r, e in zip(truth, est):
        assert abs(r[0] - e[0]) < 1e-9
        if math.isnan(e[2]):
            continue
        pos = math.dist(r[1:4], e[2:5])
        d = mul(conj(r[4:8]), e[5:9])
        att = 2 * math.atan2(math.sqrt(sum(x * x for x in d[:3])), abs(d[3]))
        if e[1] > 0.5:
            valid += 1
            first = e[0] if first is None else first
            beyond += pos > 5 * e[15] or att > 5 * e[16]
        late = (pos * 1e3, math.degrees(att), math.dist(r[8:11], e[9:12]) * 1e3, math.degrees(math.dist(r[11:14], e[12:15])), e[1])
    print('rows %d valid %d first %.1f beyond %d pos %.2f mm att %.2f deg vel %.2f mm/s rate %.3f deg/s valid_late %d'
          % (len(est), valid, first if first is not None else -1, beyond, *late))


if __name__ == '__main__':
    if sys.argv[1] == 'draw':
        draw(int(sys.argv[2]), sys.argv[3], {k: float(v) for k, v in (a.split('=') for a in sys.argv[4:])})
    else:
        judge(sys.argv[2], sys.argv[3])
