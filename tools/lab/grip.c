/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grip.c - where gripper and client meet. */
#include "tools/lab/grip.h"

void grip_meet(struct grip_output *out, const struct grip_model *m, const struct contact_state *s,
               const struct grip_input *in, double later_s)
{
    struct contact_state then = *s;
    struct pose G, E;
    double V_g[6];

    then.latched_s += later_s;
    se3_mul(&G, &in->client, &m->grasp);
    se3_mul(&E, &in->base, &in->gripper);
    se3_relative(&out->seen.g_ge, &G, &E);
    se3_apply_Ad_inverse(V_g, &m->grasp, in->client_velocity);
    contact_twist(out->seen.V_ge, &out->seen.g_ge, V_g, in->gripper_velocity);
    out->seen.close = in->close;
    contact_wrench(&m->contact, &then, &out->seen, &out->wrench);
    se3_apply_Ad_inverse_transpose(out->client, &m->grasp, out->wrench.F_g);
}
