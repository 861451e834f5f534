# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of freefall model --json against closed forms written here by hand, and against themselves.

    model.py FREEFALL FOLDER      FOLDER is for files

Prints "ok - name" or "not ok - name" for each.
"""
import json
import math
import random
import subprocess
import sys

program, folder = sys.argv[1:3]
failed = False


def check(name, good):
    global failed
    failed = failed or not good
    print(('ok - ' if good else 'not ok - ') + name)


def write(name, text):
    path = folder + '/' + name
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def run(urdf, state=None):
    words = [program, 'model', urdf, '--json']
    if state is not None:
        words += ['--state', write('state.json', json.dumps(state))]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode != 0 or done.stderr:
        raise SystemExit('not ok - %s: exit %d: %s' % (urdf, done.returncode, done.stderr.decode()))
    return json.loads(done.stdout)


def near(found, expected, tolerance):
    """Numbers, lists and lists of lists, entry by entry."""
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(near(f, e, tolerance) for f, e in zip(found, expected))
    if abs(found - expected) > tolerance:
        print('  found %.17g, expected %.17g' % (found, expected))
        return False
    return True


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def times(A, x):
    return [dot(row, x) for row in A]


def link(name, mass, com, inertia):
    return ('<link name="%s"><inertial><origin xyz="%r %r %r"/><mass value="%r"/><inertia ixx="%r" iyy="%r" izz="%r" '
            'ixy="%r" ixz="%r" iyz="%r"/></inertial></link>' % ((name,) + tuple(com) + (mass,) + tuple(inertia)))


# ---- two links in a plane, the example of every book: joints about z, gravity along -y ----

L1, C1, M1, J1 = 0.8, 0.35, 3.0, 0.2  # length, centre of mass from the joint, mass, inertia about it
C2, M2, J2, TIP = 0.25, 2.0, 0.1, 0.6
ROTOR, G = 0.03, 9.81
TWO = write('two.urdf', '<robot name="two"><link name="ground"/>' + link('upper', M1, (C1, 0, 0), (0.1, J1, J1, 0, 0, 0))
            + link('lower', M2, (C2, 0, 0), (0.05, J2, J2, 0, 0, 0)) + '''<link name="tip"/>
  <joint name="shoulder" type="continuous"><parent link="ground"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.8 0 0"/><axis xyz="0 0 2"/>
    <limit lower="0.5" upper="2.5" effort="10" velocity="2"/></joint>
  <joint name="end" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="0.6 0 0"/></joint>
  <transmission name="t"><joint name="shoulder"/><actuator name="m"><mechanicalReduction>10</mechanicalReduction>
    <rotorInertia>3e-4</rotorInertia></actuator></transmission></robot>''')
q1, q2, d1, d2, t1, t2, fx, fy = 0.7, 1.2, 0.9, -1.7, 2.0, -0.5, 3.0, -4.0
c1, s1, c12, s12, c2, s2 = (math.cos(q1), math.sin(q1), math.cos(q1 + q2), math.sin(q1 + q2), math.cos(q2), math.sin(q2))
k = M2 * L1 * C2
m11 = J1 + J2 + M1 * C1**2 + M2 * (L1**2 + C2**2) + 2 * k * c2 + ROTOR
m12 = J2 + M2 * C2**2 + k * c2
m22 = J2 + M2 * C2**2
bias = [-k * s2 * (2 * d1 * d2 + d2 * d2), k * s2 * d1 * d1]
weight = [-G * (M1 * C1 * c1 + M2 * (L1 * c1 + C2 * c12)), -G * M2 * C2 * c12]
# force (fx, fy) in the axes of the tip; its Jacobian there: [L1 sin q2, L1 cos q2 + TIP] and [0, TIP]
J = [[L1 * s2, 0], [L1 * c2 + TIP, TIP]]
load = [t1 + J[0][0] * fx + J[1][0] * fy, t2 + J[0][1] * fx + J[1][1] * fy]
b = [load[i] + weight[i] - bias[i] for i in range(2)]
det = m11 * m22 - m12 * m12
two = run(TWO, {'base': 'fixed', 'gravity': [0, -G, 0], 'q': [q1, q2], 'dq': [d1, d2], 'tau': [t1, t2],
                'wrench': {'frame': 'tip', 'F': [fx, fy, 0, 0, 0, 0]}})
# a dozen roundings of numbers of size 20
check('two links: mass matrix', near(two['M'], [[m11, m12], [m12, m22]], 1e-14))
check('two links: bias', near(two['bias'], bias, 1e-14))
check('two links: gravity', near(two['gravity'], weight, 1e-13))
check('two links: acceleration', near(two['acceleration'], [(m22 * b[0] - m12 * b[1]) / det, (m11 * b[1] - m12 * b[0]) / det],
                                      1e-12))
check('two links: energy', near(two['energy'], (m11 * d1 * d1 + 2 * m12 * d1 * d2 + m22 * d2 * d2) / 2, 1e-14))
check('two links: tip', near(two['frames']['tip']['p'], [L1 * c1 + TIP * c12, L1 * s1 + TIP * s12, 0], 1e-15)
      and near(two['frames']['tip']['q'], [0, 0, math.sin((q1 + q2) / 2), math.cos((q1 + q2) / 2)], 1e-15))
check('two links: Jacobian', near(two['frames']['tip']['J'], J + [[0, 0], [0, 0], [0, 0], [1, 1]], 1e-15))
check('two links: linear momentum', near(two['momentum'][:2],
                                         [-d1 * (M1 * C1 * s1 + M2 * L1 * s1) - (d1 + d2) * M2 * C2 * s12,
                                          d1 * (M1 * C1 * c1 + M2 * L1 * c1) + (d1 + d2) * M2 * C2 * c12], 1e-14))
two = run(TWO)
# the elbow cannot be straighter than 0.5 rad: law of cosines
check('two links: reach within the range of the elbow',
      near(two['arms'][0]['reach'], math.sqrt(L1**2 + TIP**2 + 2 * L1 * TIP * math.cos(0.5)), 1e-12))
check('two links: no limit is null', two['arms'][0]['joints'][0]['upper'] is None and two['arms'][0]['joints'][1]['upper'] == 2.5)

# ---- one body: a satellite with its centre of mass beside its origin ----

MASS, COM, INERTIA = 12.0, (0.1, -0.2, 0.3), (1.0, 1.1, 1.2, 0.1, -0.2, 0.3)
SATELLITE = write('satellite.urdf', '<robot name="satellite">' + link('body', MASS, COM, INERTIA) + '</robot>')
x, y, z = COM
xx, yy, zz, xy, xz, yz = INERTIA
Jo = [[xx + MASS * (y * y + z * z), xy - MASS * x * y, xz - MASS * x * z],
      [xy - MASS * x * y, yy + MASS * (x * x + z * z), yz - MASS * y * z],
      [xz - MASS * x * z, yz - MASS * y * z, zz + MASS * (x * x + y * y)]]
hat = [[0, -MASS * z, MASS * y], [MASS * z, 0, -MASS * x], [-MASS * y, MASS * x, 0]]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


M = ([[MASS * (i == j) for j in range(3)] + [-hat[i][j] for j in range(3)] for i in range(3)]
     + [hat[i] + Jo[i] for i in range(3)])
v, w = [0.5, -0.4, 0.3], [0.2, 0.7, -0.6]
P = times(M, v + w)
# Newton and Euler about the origin of the body: h = [w x p; w x l + v x p]
h = cross(w, P[:3]) + [a + b for a, b in zip(cross(w, P[3:]), cross(v, P[:3]))]
# turned by 90 deg about x: the world's -z is the body's -y
half = math.sqrt(0.5)
one = run(SATELLITE, {'base': 'floating', 'gravity': [0, 0, -2.0], 'pose': {'p': [1, 2, 3], 'q': [half, 0, 0, half]}, 'V': v + w,
                      'wrench': {'frame': 'body', 'F': [1, 2, 3, 4, 5, 6]}})
g = [0, -2 * MASS, 0] + cross(COM, [0, -2 * MASS, 0])
check('one body: mass matrix', near(one['M'], M, 1e-14))
check('one body: bias', near(one['bias'], h, 1e-14))
check('one body: gravity in body axes', near(one['gravity'], g, 1e-13))
check('one body: momentum', near(one['momentum'], P, 1e-14))
check('one body: energy', near(one['energy'], dot(P, v + w) / 2, 1e-14))
check('one body: Newton and Euler', near(times(M, one['acceleration']), [i + 1 + g[i] - h[i] for i in range(6)], 1e-12))
check('one body: frame', near(one['frames']['body']['p'], [1, 2, 3], 0) and near(one['frames']['body']['q'], [half, 0, 0, half], 1e-15))
plane = run(SATELLITE, {'base': 'planar', 'V': [v[0], v[1], w[2]]})
check('one body in the plane: three rows of the mass matrix',
      near(plane['M'], [[MASS, 0, -MASS * y], [0, MASS, MASS * x], [-MASS * y, MASS * x, Jo[2][2]]], 1e-14))
# about a fixed point in the plane the centrifugal force goes through the centre of mass
check('one body in the plane: bias', near(plane['bias'], [
    -w[2] * (MASS * v[1] + MASS * x * w[2]), w[2] * (MASS * v[0] - MASS * y * w[2]),
    MASS * w[2] * (x * v[0] + y * v[1])], 1e-14))

# ---- the robots of the design: what the numbers say of each other ----

random.seed(5)


def uniform(n, size):
    return [random.uniform(-size, size) for _ in range(n)]


def state_of(robot, base):
    n = sum(len(arm['joints']) for arm in robot['arms'])
    p = uniform(4, 1)
    length = math.sqrt(dot(p, p))
    frame = random.choice(list(robot['frames']))
    return {'base': base, 'gravity': uniform(3, 10), 'pose': {'p': uniform(3, 2), 'q': [c / length for c in p]},
            'V': uniform({'floating': 6, 'planar': 3, 'fixed': 0}[base], 1), 'q': uniform(n, 3), 'dq': uniform(n, 1),
            'tau': uniform(n, 10), 'wrench': {'frame': frame, 'F': uniform(6, 10)}}


for name, mass in (('lbr', 32.61), ('servicer', 1532.61), ('multiarm-a', 25), ('multiarm-b', 55), ('multiarm-c', 80), ('planar', 15.8)):
    urdf = 'config/%s.urdf' % name
    robot = run(urdf)
    good = near(robot['mass'], mass, 1e-9)
    for base in ('floating', 'planar', 'fixed'):
        s = state_of(robot, base)
        r = run(urdf, s)
        nb, nu = len(s['V']), s['V'] + s['dq']
        F = s['wrench']['F']
        J = r['frames'][s['wrench']['frame']]['J']
        pull = [dot([J[i][j] for i in range(6)], F) for j in range(len(nu))]
        tau = [0.0] * nb + s['tau']
        Ma = times(r['M'], r['acceleration'])
        scale = 1e-11 * max(abs(entry) for entry in Ma + r['bias'] + r['gravity'] + pull)
        good = good and near([a + c for a, c in zip(Ma, r['bias'])],
                             [a + c + d for a, c, d in zip(tau, r['gravity'], pull)], scale)
        good = good and near(r['energy'], dot(nu, times(r['M'], nu)) / 2, 1e-12 * mass)
        good = good and all(r['M'][i][j] == r['M'][j][i] for i in range(len(nu)) for j in range(i))
        if base == 'floating':
            good = good and near(r['momentum'], times(r['M'][:6], nu), 1e-12 * mass)
            good = good and near(r['M'][0][0], mass, 1e-9)
    check('%s: mass, M a + bias = tau + gravity + J\'F, energy, momentum, symmetry' % name, good)

check('lbr: reach is the sum of its lengths', near(
    run('config/lbr.urdf')['arms'][0]['reach'], 0.1575 + 0.2025 + 0.2045 + 0.2155 + 0.1845 + 0.2155 + 0.081 + 0.225, 1e-9))
check('multiarm-a: reach is its length', near(run('config/multiarm-a.urdf')['arms'][0]['reach'], 1.6, 1e-9))

# Jacobian of the gripper by differences of its pose: linear part, turned into the gripper's axes
robot = run('config/servicer.urdf')
s = state_of(robot, 'floating')
E = run('config/servicer.urdf', s)['frames']['E']
a, b, c, d = E['q']
R = [[1 - 2 * (b * b + c * c), 2 * (a * b - c * d), 2 * (a * c + b * d)],
     [2 * (a * b + c * d), 1 - 2 * (a * a + c * c), 2 * (b * c - a * d)],
     [2 * (a * c - b * d), 2 * (b * c + a * d), 1 - 2 * (a * a + b * b)]]
good = True
for i in range(7):
    ends = []
    for step in (1e-5, -1e-5):
        moved = dict(s, q=[angle + step * (j == i) for j, angle in enumerate(s['q'])])
        ends.append(run('config/servicer.urdf', moved)['frames']['E']['p'])
    rate = [(p - m) / 2e-5 for p, m in zip(*ends)]
    # truncation 1e-10/6 and rounding 1e-16/1e-5
    good = good and near([E['J'][row][6 + i] for row in range(3)], times(list(zip(*R)), rate), 1e-9)
check('servicer: Jacobian of E equals differences of its pose', good)
sys.exit(failed)
