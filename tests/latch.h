/* SPDX-License-Identifier: GPL-3.0-or-later */
/* latch.h - two free satellites held together by an undamped spring, through robots that are late: the case in which
 * a delay makes energy. For the tests of model/passivity.
 *
 * Client: Envisat. Servicer: one rigid body, base and pedestal of the design page, 1505 kg. Both frames in their
 * centres of mass; the spring acts between G on the client and E on the servicer, which start together and
 * with 1 cm/s along the approach. A robot executes the command of delay cycles ago, exactly.
 */
#ifndef FREEFALL_TESTS_LATCH_H
#define FREEFALL_TESTS_LATCH_H

#include <math.h>

#include "model/client.h"
#include "model/mat.h"
#include "model/modes.h"
#include "model/nominal.h"
#include "model/passivity.h"
#include "unity.h"

#define LATCH_DT 1e-3

/* One case of the table of the design page, section 5. */
struct latch_case {
    double stiffness_npm, turning_nmprad;
    int delay;       /* cycles, at least 1 */
    double lead_s;   /* 0: none */
    bool controller; /* the drift is commanded */
    double spin_dps; /* of both, about the client's y axis */
    double duration_s;
};

struct latch_side {
    struct client_model model;
    struct client_state state;
    struct pose grip; /* contact frame in the body */
    double mobility[36];
    struct passivity_model guard_model;
    struct passivity_state guard;
    struct pose queue[PASSIVITY_DELAY_MAX];
};

struct latch_result {
    double rise_j;                          /* greatest rise of the total energy above the start */
    double fall_j;                          /* the same below */
    double observed_j;                      /* both observers at the end */
    double drift_m;                         /* greatest drift */
    double momentum_kgmps, momentum_kgm2ps; /* greatest change of the total */
};

static void latch_mobility(double X[static 36], const struct rigid_model *m)
{
    mat_zero(X, 36);
    for (int i = 0; i < 3; i++) {
        X[6 * i + i] = 1.0 / m->body.mass_kg;
        mat_copy(X + 6 * (i + 3) + 3, m->inverse + 3 * i, 3);
    }
}

/* Both bodies, their contact frames and mobilities. */
static void latch_bodies(struct latch_side side[static 2])
{
    const double envisat[6] = {17023.3, 124825.7, 129112.2, 397.1, -2171.4, 344.2};
    const double base[6] = {1050.0, 1090.0, 880.0, 12.0, -18.0, 9.0}, zero[3] = {0};
    const double pedestal[6] = {0.05, 0.06, 0.03, 0.0, 0.0, 0.0}, offset[3] = {-0.1, 0.0, 0.07};
    /* arm axes in B: z0 = x_B, x0 = -z_B, y0 = y_B */
    const struct pose mount = {.R = {0, 0, 1, 0, 1, 0, -1, 0, 0}, .p = {1.10, 0.0, 0.30}};
    struct body whole, part;
    double com[3], inertia[6];

    body_make(&whole, 1500.0, zero, base);
    body_make(&part, 5.0, offset, pedestal);
    body_place(&part, &mount, &part);
    body_add(&whole, &part);
    body_central(com, inertia, &whole);
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&side[0].model.body, 7827.867, envisat));
    TEST_ASSERT_EQUAL_INT(0, rigid_init(&side[1].model.body, whole.mass_kg, inertia));

    side[0].grip =
        (struct pose){.R = {0, 0, -1, 0, 1, 0, 1, 0, 0}, .p = {2.5863, 0.0, 1.312}}; /* G in T */
    side[1].grip = (struct pose){.R = {0, 0, 1, 0, 1, 0, -1, 0, 0},
                                 .p = {2.18918361 - com[0], -com[1], 0.25105911 - com[2]}};
    for (int i = 0; i < 2; i++) {
        latch_mobility(side[i].mobility, &side[i].model.body);
    }
}

/* F on E in E axes and the energy of the spring, e = pose of E in G. */
static double latch_spring(double F[static 6], const struct latch_case *c, const struct pose *e)
{
    const double *R = e->R, k = c->stiffness_npm, r = c->turning_nmprad;

    mat_vec3_t(F, R, e->p);
    mat_scale(F, -k, F, 3);
    F[3] = -0.5 * r * (R[7] - R[5]);
    F[4] = -0.5 * r * (R[2] - R[6]);
    F[5] = -0.5 * r * (R[3] - R[1]);
    return 0.5 * k * mat_dot3(e->p, e->p) + 0.5 * r * (3.0 - R[0] - R[4] - R[8]);
}

static double latch_kinetic(const struct latch_side side[static 2])
{
    return rigid_energy(&side[0].model.body, &side[0].state.body) +
           rigid_energy(&side[1].model.body, &side[1].state.body);
}

/* What one robot is told in this cycle. */
static void latch_command(struct latch_side *b, const struct latch_case *c, int slot)
{
    struct motion ahead = b->state.lab, command;

    passivity_lead(&ahead, &b->state.lab, c->lead_s);
    passivity_command(&command, &b->guard, &ahead);
    b->queue[slot] = c->controller ? command.pose : ahead.pose;
}

static void latch_start(struct latch_side side[static 2], struct nominal_model *nm,
                        struct nominal_state *n, const struct latch_case *c)
{
    const double approach[6] = {0.0, 0.0, 0.01, 0.0, 0.0, 0.0};
    const double V_t[6] = {0.0, 0.0, 0.0, 0.0, c->spin_dps * BASE_PI / 180.0, 0.0};
    struct motion client, servicer;
    struct pose one, inverse, g_tb;
    double V_s[6];

    latch_bodies(side);
    se3_identity(&one);
    se3_inverse(&inverse, &side[1].grip);
    se3_mul(&g_tb, &side[0].grip, &inverse);
    se3_apply_Ad(V_s, &side[1].grip, approach); /* E moves along its own z */
    mat_zero(V_s + 3, 3);
    mapping_start(&client, &servicer, &one, V_t, &g_tb, V_s);
    nm->form = NOMINAL_UNFORCED;
    nm->body = side[0].model.body;
    TEST_ASSERT_EQUAL_INT(0, nominal_init(nm, n, &client.pose, client.velocity));
    for (int i = 0; i < 2; i++) {
        struct latch_side *b = &side[i];
        const struct motion *at = i == 0 ? &client : &servicer;

        b->guard_model = (struct passivity_model){c->delay, 0.02, 0.02, 0.5, 0.0};
        TEST_ASSERT_EQUAL_INT(0, passivity_init(&b->guard_model, &b->guard));
        TEST_ASSERT_EQUAL_INT(
            0, client_init(&b->model, &b->state, &n->motion, &at->pose, at->velocity));
        for (int k = 1; k <= c->delay; k++) { /* the robot was following before, too */
            struct motion past = b->state.lab;

            se3_step(&past.pose, past.velocity, -LATCH_DT * (c->delay - k) + c->lead_s);
            b->queue[k % c->delay] = past.pose;
        }
    }
}

static void latch_run(struct latch_result *result, const struct latch_case *c)
{
    static struct latch_side side[2]; /* too large for a stack of the product's size */
    struct nominal_model nm;
    struct nominal_state n;
    double total[6], before;

    *result = (struct latch_result){0};
    latch_start(side, &nm, &n, c);
    before = latch_kinetic(side);
    mat_add(total, side[0].state.body.momentum, side[1].state.body.momentum, 6);
    for (int k = 1; k <= (int)(c->duration_s / LATCH_DT) && result->rise_j < 3e4; k++) {
        const int slot = k % c->delay;
        struct pose G, E, e, g_te;
        double F[6], W[2][6], potential, rise, change[6];

        /* the lab: spring between the executed poses */
        se3_mul(&G, &side[0].queue[slot], &side[0].grip);
        se3_mul(&E, &side[1].queue[slot], &side[1].grip);
        se3_relative(&e, &G, &E);
        se3_relative(&g_te, &side[0].queue[slot], &E);
        potential = latch_spring(F, c, &e);
        mapping_contact(W[0], &g_te, F);
        se3_apply_Ad_inverse_transpose(W[1], &side[1].grip, F);

        /* the controller */
        nominal_step(&nm, &n, LATCH_DT);
        for (int i = 0; i < 2; i++) {
            struct latch_side *b = &side[i];
            struct passivity_input in = {.contact = true};

            client_step(&b->model, &b->state, &n.motion, W[i], LATCH_DT);
            se3_mul(&in.measured, &n.motion.pose, &b->queue[slot]);
            in.model = b->state.orbit.pose;
            mat_copy(in.wrench, W[i], 6);
            mat_copy(in.mobility, b->mobility, 36);
            passivity_step(&b->guard_model, &b->guard, &in, LATCH_DT);
            latch_command(b, c, slot);
            result->drift_m = fmax(result->drift_m, mat_norm3(b->guard.drift.p));
        }
        rise = latch_kinetic(side) + potential - before;
        result->rise_j = fmax(result->rise_j, rise);
        result->fall_j = fmax(result->fall_j, -rise);
        mat_add(change, side[0].state.body.momentum, side[1].state.body.momentum, 6);
        mat_sub(change, change, total, 6);
        result->momentum_kgmps = fmax(result->momentum_kgmps, mat_norm3(change));
        result->momentum_kgm2ps = fmax(result->momentum_kgm2ps, mat_norm3(change + 3));
    }
    result->observed_j = side[0].guard.energy_j + side[1].guard.energy_j;
}

#endif
