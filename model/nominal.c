/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nominal.c - the motion that is taken out of the lab. */
#include "model/nominal.h"

#include <errno.h>

#include "model/mat.h"
#include "model/so3.h"

/* Motion of the free body, with the same operations client.c uses: equal bits while no force acts. */
RT_SAFE static void follow_body(const struct nominal_model *m, struct nominal_state *s)
{
    const double no_wrench[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    struct motion *n = &s->motion;

    n->pose = s->body.pose;
    rigid_velocity(n->velocity, &m->body, &s->body);
    rigid_acceleration(n->acceleration, &m->body, n->velocity, no_wrench);
}

int nominal_init(const struct nominal_model *m, struct nominal_state *s, const struct pose *g,
                 const double V[static 6])
{
    *s = (struct nominal_state){0};
    s->motion.pose = *g;
    if (!base_all_finite(g->R, 9) || !base_all_finite(g->p, 3) || !base_all_finite(V, 6)) {
        return -EINVAL;
    }
    switch (m->form) {
    case NOMINAL_UNFORCED:
        if (!rigid_ready(&m->body)) {
            return -EINVAL;
        }
        rigid_start(&m->body, &s->body, g, V);
        follow_body(m, s);
        return 0;
    case NOMINAL_GIVEN:
        mat_copy(s->motion.velocity, V, 6);
        return 0;
    case NOMINAL_ABSOLUTE:
        return 0;
    }
    return -EINVAL;
}

RT_SAFE void nominal_step(const struct nominal_model *m, struct nominal_state *s, double dt_s)
{
    const double no_wrench[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

    switch (m->form) {
    case NOMINAL_UNFORCED: /* [REL 4]  M V_n' - ad_{V_n}^T M V_n = 0 */
        rigid_step(&m->body, &s->body, no_wrench, dt_s);
        follow_body(m, s);
        break;
    case NOMINAL_GIVEN: /* V_n' = 0, so exp(dt V_n) is exact */
        se3_step(&s->motion.pose, s->motion.velocity, dt_s);
        so3_orthonormalise(s->motion.pose.R);
        break;
    case NOMINAL_ABSOLUTE:
        break;
    }
}
