// SPDX-License-Identifier: GPL-3.0-or-later
// peer_kdl.cc - KDL doing the three units it offers: the arm on the ground.
//
// Seven segments, all with joints about z, no fixed ones in between: the fastest chain KDL can have for this arm. The root of
// the chain is the base; as the first joint sits on the base's z axis, its own offset goes into the tip of its segment.
// KDL wants the inertia of a link in the frame of the segment's tip.
#include "tests/perf/perf.h"

extern "C" {
#include "tests/robots.h"
}

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include <algorithm>
#include <vector>

namespace
{

constexpr int joints = 7;

KDL::Frame frame_of(const robots_pose &g)
{
    double R[9];
    robots_rotation(R, g.q);
    return KDL::Frame(KDL::Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]),
                      KDL::Vector(g.p[0], g.p[1], g.p[2]));
}

// The link's inertia, told in the frame tip (its pose in the link).
KDL::RigidBodyInertia inertia_of(const robot &r, int link, const KDL::Frame &tip)
{
    robots_mass m;
    robots_merge(&m, &r, link);
    const KDL::RotationalInertia I(m.inertia[0], m.inertia[1], m.inertia[2], m.inertia[3],
                                   m.inertia[4], m.inertia[5]);
    return tip.Inverse() *
           KDL::RigidBodyInertia(m.mass_kg, KDL::Vector(m.com[0], m.com[1], m.com[2]), I);
}

KDL::Chain chain_of(const robot &r)
{
    KDL::Chain chain;
    const KDL::Frame end = frame_of(r.frame[0].place);

    for (int i = 0; i < joints; i++) {
        const KDL::Frame before =
            i == 0 ? frame_of(robots_joint(&r, 0)->place) : KDL::Frame::Identity();
        const KDL::Frame tip = i + 1 < joints ? frame_of(robots_joint(&r, i + 1)->place) : end;
        chain.addSegment(
            KDL::Segment(KDL::Joint(KDL::Joint::RotZ), before * tip, inertia_of(r, i, tip)));
    }
    return chain;
}

struct peer {
    KDL::Chain chain = chain_of(robots_fixed);
    KDL::ChainDynParam dynamics{chain, KDL::Vector::Zero()};
    KDL::ChainFkSolverPos_recursive poses{chain};
    KDL::ChainJntToJacSolver jacobian{chain};
    KDL::JntArray q{joints}, qd{joints}, bias{joints};
    KDL::JntSpaceInertiaMatrix mass{joints};
    KDL::Jacobian J{joints};
    std::vector<KDL::Frame> frame = std::vector<KDL::Frame>(joints);
};

void *open_peer()
{
    return new peer;
}

void unit_mass(void *self, const perf_state *s)
{
    peer &p = *static_cast<peer *>(self);
    std::copy_n(s->q, joints, p.q.data.data());
    p.dynamics.JntToMass(p.q, p.mass);
}

void unit_bias(void *self, const perf_state *s)
{
    peer &p = *static_cast<peer *>(self);
    std::copy_n(s->q, joints, p.q.data.data());
    std::copy_n(s->qd, joints, p.qd.data.data());
    p.dynamics.JntToCoriolis(p.q, p.qd, p.bias);
}

void unit_fk_jac(void *self, const perf_state *s)
{
    peer &p = *static_cast<peer *>(self);
    std::copy_n(s->q, joints, p.q.data.data());
    p.poses.JntToCart(p.q, p.frame);
    p.jacobian.JntToJac(p.q, p.J);
}

// The tip of segment i is where joint i + 1 sits; the last tip is the end-effector.
int put_fk_jac(double *out, const peer &p)
{
    const KDL::Frame &end = p.frame[joints - 1];
    const KDL::Frame first = frame_of(robots_joint(&robots_fixed, 0)->place);
    double *x = out;

    for (int i = 0; i < joints; i++) {
        const KDL::Vector &origin = i == 0 ? first.p : p.frame[i - 1].p;
        x = std::copy_n(origin.data, 3, x);
    }
    x = std::copy_n(end.M.data, 9, x);
    x = std::copy_n(end.p.data, 3, x);
    for (int row = 0; row < 6; row++) {
        for (int i = 0; i < joints; i++) {
            const KDL::Twist local = end.M.Inverse(p.J.getColumn(i));
            *x++ = row < 3 ? local.vel[row] : local.rot[row - 3];
        }
    }
    return static_cast<int>(x - out);
}

int result(double *out, void *self, perf_unit unit, const perf_state *)
{
    const peer &p = *static_cast<const peer *>(self);

    switch (unit) {
    case PERF_FIX_MASS:
        std::copy_n(p.mass.data.data(), joints * joints, out);
        return joints * joints;
    case PERF_FIX_BIAS:
        std::copy_n(p.bias.data.data(), joints, out);
        return joints;
    case PERF_FIX_FK_JAC:
        return put_fk_jac(out, p);
    default:
        return 0;
    }
}

perf_library table()
{
    perf_library t{};
    t.name = "KDL";
    t.build = PERF_BUILD;
    t.open = open_peer;
    t.unit[PERF_FIX_MASS] = unit_mass;
    t.unit[PERF_FIX_BIAS] = unit_bias;
    t.unit[PERF_FIX_FK_JAC] = unit_fk_jac;
    t.result = result;
    return t;
}

} // namespace

extern "C" PERF_EXPORT const perf_library perf_library;
const struct perf_library perf_library = table();
