/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grip.c - where gripper and client meet. */
#include "tools/lab/grip.h"

#include "model/mat.h"

/* Room that is left to what may accelerate within a period, m: 1000 m/s^2 at 1 kHz. */
#define ROOM 1e-3

void grip_see(struct contact_input *seen, const struct grip_model *m, const struct grip_input *in)
{
    struct pose G, E;
    double V_g[6];

    se3_mul(&G, &in->client, &m->grasp);
    se3_mul(&E, &in->base, &in->gripper);
    se3_relative(&seen->g_ge, &G, &E);
    se3_apply_Ad_inverse(V_g, &m->grasp, in->client_velocity);
    contact_twist(seen->V_ge, &seen->g_ge, V_g, in->gripper_velocity);
    seen->close = in->close;
}

void grip_pull(struct grip_output *out, const struct grip_model *m, const struct contact_state *s,
               double later_s)
{
    struct contact_state then = *s;

    then.latched_s += later_s;
    contact_wrench(&m->contact, &then, &out->seen, &out->wrench);
    se3_apply_Ad_inverse_transpose(out->client, &m->grasp, out->wrench.F_g);
}

bool grip_near(const struct grip_model *m, const struct contact_state *s,
               const struct contact_input *seen, double dt_s)
{
    const double *V = seen->V_ge;
    bool near = s->phase == CONTACT_LATCHED || seen->close;

    for (int i = 0; i < m->contact.pads && !near; i++) {
        const double *x = m->contact.pad[i];
        const double speed = mat_norm3(V) + mat_norm3(V + 3) * mat_norm3(x);
        double place[3];

        se3_point(place, &seen->g_ge, x);
        near = !(place[2] < -(ROOM + 2.0 * dt_s * speed)); /* what is not a number is near */
    }
    return near;
}

void grip_meet(struct grip_output *out, const struct grip_model *m, const struct contact_state *s,
               const struct grip_input *in, double later_s)
{
    grip_see(&out->seen, m, in);
    grip_pull(out, m, s, later_s);
}
