/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bits_single.c - fingerprints of everything that is about one body, for tests/bits.sh: its motion, its mapping, contact,
 * passivity, sensors and their compensation. Each case draws one situation and lets every function answer.
 *
 * bits.sh sources: model/random.c model/rigid.c model/mapping.c model/nominal.c model/client.c model/modes.c model/passivity.c model/contact.c model/orbit.c model/sensors.c estimation/ftcomp.c estimation/velocity.c
 * bits.sh needs: model/trig.c model/mat.c model/linear.c model/so3.c model/se3.c model/body.c
 */
#include "estimation/ftcomp.h"
#include "estimation/velocity.h"
#include "model/client.h"
#include "model/contact.h"
#include "model/mat.h"
#include "model/modes.h"
#include "model/nominal.h"
#include "model/orbit.h"
#include "model/passivity.h"
#include "model/sensors.h"
#include "tests/bits.h"
#include "tests/draw.h"

#define CASES 400
#define STEPS 20
#define DT    1e-3

/* clang-format off */
#define FUNCTIONS(X)                                                                              \
    X(random_init) X(random_bits) X(random_uniform) X(random_log) X(random_normal)                \
    X(random_normals) X(random_markov_init) X(random_markov_start) X(random_markov_next)          \
    X(rigid_init) X(rigid_ready) X(rigid_start) X(rigid_velocity) X(rigid_acceleration)           \
    X(rigid_step) X(rigid_energy) X(mapping_carried) X(mapping_to_orbit) X(mapping_to_lab)        \
    X(mapping_contact) X(mapping_start) X(mapping_bound) X(nominal_init) X(nominal_step)          \
    X(client_init) X(client_step) X(client_admittance) X(client_impedance)                        \
    X(client_impedance_equal) X(modes_greatest) X(modes_add_mobility) X(passivity_init)           \
    X(passivity_step) X(passivity_lead) X(passivity_command) X(passivity_frequency)               \
    X(passivity_growth) X(contact_init) X(contact_twist) X(contact_wrench) X(contact_next)        \
    X(orbit_init) X(orbit_rate) X(orbit_hill) X(orbit_transition) X(orbit_tide)                   \
    X(orbit_wrench) X(sensors_star_typical) X(sensors_star_init) X(sensors_star_step)             \
    X(sensors_relative_init) X(sensors_relative_step) X(ftcomp_init) X(ftcomp_contact)            \
    X(ftcomp_step) X(ftcomp_feedback) X(ftcomp_identify) X(velocity_init) X(velocity_step)
/* clang-format on */

#define INDEX(name) AT_##name,
#define NAME(name)  #name,
enum { FUNCTIONS(INDEX) COUNT };
static const char *const names[COUNT] = {FUNCTIONS(NAME)};

static struct bits hash[COUNT];
static struct draw dice;

#define ADD(name, x, n) bits_add(&hash[AT_##name], (x), (n))
#define ONE(name, x)    bits_add_one(&hash[AT_##name], (double)(x))

static void draw_pose(struct pose *g, double size)
{
    double u[6];

    draw_vector(&dice, u, 6, size);
    se3_exp(g, u);
}

static void draw_motion(struct motion *m)
{
    draw_pose(&m->pose, 2.0);
    draw_vector(&dice, m->velocity, 6, 0.5);
    draw_vector(&dice, m->acceleration, 6, 0.5);
}

#define ADD_POSE(name, g)                                                                          \
    do {                                                                                           \
        ADD(name, (g).R, 9);                                                                       \
        ADD(name, (g).p, 3);                                                                       \
    } while (0)
#define ADD_MOTION(name, m)                                                                        \
    do {                                                                                           \
        ADD_POSE(name, (m).pose);                                                                  \
        ADD(name, (m).velocity, 6);                                                                \
        ADD(name, (m).acceleration, 6);                                                            \
    } while (0)

/* A body that can exist: J = tr(P) 1 - P of a positive P */
static void draw_body(struct rigid_model *m)
{
    double X[9], P[9];

    draw_vector(&dice, X, 9, 10.0);
    mat_mul3_tn(P, X, X);
    const double trace = P[0] + P[4] + P[8];
    const double J[6] = {trace - P[0], trace - P[4], trace - P[8], -P[1], -P[2], -P[5]};
    const double mass = draw_uniform(&dice, 1.0, 1e4);

    ONE(rigid_init, rigid_init(m, mass, J));
    ADD(rigid_init, m->inverse, 9);
    ONE(rigid_ready, rigid_ready(m));
}

static void chance(uint64_t seed)
{
    struct random_state r;
    struct random_markov markov;
    const double sigma[3] = {1.0, 2.0, 3.0};
    double y[3], x;

    random_init(&r, seed, seed % 7);
    ONE(random_init, r.word[0] >> 12);
    ONE(random_bits, random_bits(&r) >> 12);
    ONE(random_uniform, random_uniform(&r));
    ONE(random_log, random_log(fabs(draw_scaled(&dice, -900, 900))));
    ONE(random_normal, random_normal(&r));
    random_normals(y, &r, sigma, 3);
    ADD(random_normals, y, 3);
    random_markov_init(&markov, 2.0, draw_uniform(&dice, 0.0, 1.0), DT);
    ONE(random_markov_init, markov.keep);
    ONE(random_markov_init, markov.drive);
    x = random_markov_start(&markov, &r);
    ONE(random_markov_start, x);
    ONE(random_markov_next, random_markov_next(&markov, &r, x));
}

static void free_body(const struct rigid_model *m)
{
    struct rigid_state s;
    struct pose g;
    double V[6], w[6], F[6];

    draw_pose(&g, 3.0);
    draw_vector(&dice, V, 6, 0.3);
    draw_vector(&dice, w, 6, 100.0);
    rigid_start(m, &s, &g, V);
    ADD(rigid_start, s.momentum, 6);
    rigid_velocity(F, m, &s);
    ADD(rigid_velocity, F, 6);
    rigid_acceleration(F, m, V, w);
    ADD(rigid_acceleration, F, 6);
    for (int k = 0; k < STEPS; k++) {
        rigid_step(m, &s, w, DT);
    }
    ADD_POSE(rigid_step, s.pose);
    ADD(rigid_step, s.rotation_rest, 9);
    ONE(rigid_energy, rigid_energy(m, &s));
}

static void map(void)
{
    struct motion n, a, b, c;
    struct mapping_bound bound;
    struct pose g;
    double dV[6], dV_dot[6];

    draw_motion(&n);
    draw_motion(&a);
    mapping_carried(dV, dV_dot, &n, &a.pose, a.velocity);
    ADD(mapping_carried, dV, 6);
    ADD(mapping_carried, dV_dot, 6);
    mapping_to_orbit(&b, &n, &a);
    ADD_MOTION(mapping_to_orbit, b);
    mapping_to_lab(&c, &n, &b);
    ADD_MOTION(mapping_to_lab, c);
    mapping_bound(&bound, &n, &c, &b);
    ONE(mapping_bound, bound.speed_bound_mps);
    ONE(mapping_bound, bound.rate_bound_radps);
    mapping_contact(dV, &a.pose, a.velocity);
    ADD(mapping_contact, dV, 6);
    draw_pose(&g, 2.0);
    mapping_start(&b, &c, &a.pose, a.velocity, &g, dV_dot);
    ADD_MOTION(mapping_start, c);
}

static void pushed_client(const struct rigid_model *body, enum nominal_form form)
{
    struct nominal_model nm = {.form = form, .body = *body};
    struct nominal_state n;
    struct client_model m = {.body = *body};
    struct client_state s;
    struct client_input in;
    struct pose g;
    double V[6], F[6];

    draw_pose(&g, 3.0);
    draw_vector(&dice, V, 6, 0.1);
    draw_vector(&dice, F, 6, 50.0);
    ONE(nominal_init, nominal_init(&nm, &n, &g, V));
    ADD_MOTION(nominal_init, n.motion);
    ONE(client_init, client_init(&m, &s, &n.motion, &g, V));
    ADD_MOTION(client_init, s.lab);
    for (int k = 0; k < STEPS; k++) {
        nominal_step(&nm, &n, DT);
        client_step(&m, &s, &n.motion, F, DT);
    }
    ADD_MOTION(nominal_step, n.motion);
    ADD_MOTION(client_step, s.orbit);
    ADD_MOTION(client_step, s.lab);
    mat_copy(in.V_c, s.lab.velocity, 6);
    mat_copy(in.wrench, F, 6);
    mapping_carried(in.dV_c, in.dV_c_dot, &n.motion, &s.lab.pose, in.V_c);
    client_admittance(F, &m, &in);
    ADD(client_admittance, F, 6);
    client_impedance(F, &m, &body->body, &in);
    ADD(client_impedance, F, 6);
    client_impedance_equal(F, &m, &in);
    ADD(client_impedance_equal, F, 6);
}

static void guard(void)
{
    const struct passivity_model m = {3, 0.02, 0.02, 0.5, 0.0};
    struct passivity_state s;
    struct passivity_input in;
    struct motion lab, ahead, command;
    double X[36], Y[36] = {0};

    draw_vector(&dice, X, 36, 0.1);
    mat_mul_tn(in.mobility, X, X, 6, 6, 6);
    modes_add_mobility(Y, &(struct pose){.R = {0, 1, 0, 0, 0, 1, 1, 0, 0}, .p = {1, 2, 3}},
                       in.mobility);
    ADD(modes_add_mobility, Y, 36);
    draw_vector(&dice, X, 36, 10.0);
    mat_mul_tn(Y, X, X, 6, 6, 6);
    ONE(modes_greatest, modes_greatest(in.mobility, Y));
    ONE(passivity_frequency, passivity_frequency(Y, in.mobility));
    ONE(passivity_growth, passivity_growth(draw_uniform(&dice, 0.0, 40.0), 0.02));
    ONE(passivity_init, passivity_init(&m, &s));
    draw_motion(&lab);
    for (int k = 0; k < STEPS; k++) {
        draw_vector(&dice, in.wrench, 6, 10.0);
        draw_pose(&in.measured, 1e-3);
        draw_pose(&in.model, 1e-3);
        in.contact = k < 15;
        passivity_step(&m, &s, &in, DT);
        ONE(passivity_step, s.effective_j);
        ADD_POSE(passivity_step, s.drift);
        ADD(passivity_step, s.drift_velocity, 6);
    }
    passivity_lead(&ahead, &lab, 0.012);
    ADD_MOTION(passivity_lead, ahead);
    passivity_command(&command, &s, &ahead);
    ADD_MOTION(passivity_command, command);
}

static void grip(void)
{
    struct contact_model m = {.face_npm = 1e4,
                              .face_loss_spm = 1.0,
                              .face_friction = 0.2,
                              .face_slip_mps = 1e-3,
                              .pads = 2,
                              .latch_stiffness = {1e4, 2e4, 3e4, 500, 600, 700},
                              .latch_damping = {1, 2, 3, 4, 5, 6},
                              .latch_ramp_s = 0.01,
                              .latch_pull_s = 0.02,
                              .latch_distance_m = 0.1,
                              .latch_angle_rad = 0.1,
                              .latch_speed_mps = 0.5,
                              .latch_hold_s = 2e-3,
                              .release_n = 5.0,
                              .release_nm = 2.0};
    struct contact_state s;
    struct contact_input in = {.close = true};
    struct contact_output out;
    double V[6];

    draw_vector(&dice, m.pad[0], 3, 0.1);
    draw_vector(&dice, m.pad[1], 3, 0.1);
    ONE(contact_init, contact_init(&m, &s));
    for (int k = 0; k < STEPS; k++) {
        draw_pose(&in.g_ge, 0.04);
        draw_vector(&dice, V, 6, 0.1);
        contact_twist(in.V_ge, &in.g_ge, V, m.latch_damping);
        ADD(contact_twist, in.V_ge, 6);
        draw_vector(&dice, in.V_ge, 6, 0.1);
        contact_next(&m, &s, &in, DT);
        ONE(contact_next, s.phase);
        ADD(contact_next, s.offset, 6);
        contact_wrench(&m, &s, &in, &out);
        ADD(contact_wrench, out.F_e, 6);
        ADD(contact_wrench, out.F_g, 6);
        ONE(contact_wrench, out.energy_j);
    }
}

static void circle(const struct rigid_model *body)
{
    const double normal[3] = {0.0, 0.0, 2.0};
    struct orbit_model m;
    struct pose g;
    double radial[3], x[6], Phi[36], F[6];

    draw_vector(&dice, radial, 2, 1.0);
    radial[2] = 0.0;
    draw_vector(&dice, x, 6, 100.0);
    draw_pose(&g, 3.0);
    ONE(orbit_rate, orbit_rate(draw_uniform(&dice, 2e5, 4e7)));
    ONE(orbit_init, orbit_init(&m, 1.0381e-3, radial, normal));
    ADD(orbit_init, m.track, 3);
    orbit_hill(F, m.rate_radps, x, x + 3);
    ADD(orbit_hill, F, 3);
    orbit_transition(Phi, m.rate_radps, draw_uniform(&dice, -1e4, 1e4));
    ADD(orbit_transition, Phi, 36);
    orbit_tide(F, &m, x, draw_uniform(&dice, 0.0, 1e4));
    ADD(orbit_tide, F, 3);
    orbit_wrench(F, &m, body, &g, draw_uniform(&dice, 0.0, 1e4));
    ADD(orbit_wrench, F, 6);
}

static void watch(uint64_t seed)
{
    struct sensors_star_model star;
    struct sensors_star_state ss;
    const struct sensors_relative_model nav = {.timing = {2000000, 3000000},
                                               .position_m = {1e-3, 2e-3, 3e-3},
                                               .attitude_rad = {1e-3, 2e-3, 3e-3},
                                               .velocity_mps = {1e-3, 2e-3, 3e-3},
                                               .rate_radps = {1e-3, 2e-3, 3e-3},
                                               .correlation_s = 0.01};
    struct sensors_relative_state ns;

    sensors_star_typical(&star);
    ADD(sensors_star_typical, star.noise_rad, 3);
    star.timing = nav.timing;
    ONE(sensors_star_init, sensors_star_init(&star, &ss, seed, 1));
    ADD(sensors_star_init, ss.bias, 3);
    ONE(sensors_relative_init, sensors_relative_init(&nav, &ns, seed, 2));
    ADD(sensors_relative_init, ns.error, 12);
    for (int k = 0; k < STEPS; k++) {
        struct motion client, base;

        draw_motion(&client);
        draw_motion(&base);
        ONE(sensors_star_step, sensors_star_step(&star, &ss, &base, k * (int64_t)1000000));
        ADD(sensors_star_step, ss.sample.q, 4);
        ONE(sensors_relative_step,
            sensors_relative_step(&nav, &ns, &client, &base, k * (int64_t)1000000));
        ADD_POSE(sensors_relative_step, ns.sample.g_tb);
        ADD(sensors_relative_step, ns.sample.V_t, 6);
    }
}

static void compensate(const struct rigid_model *body)
{
    const double J[6] = {2, 3, 4, 0.1, 0.2, 0.3}, com[3] = {0.1, -0.2, 0.3};
    struct ftcomp_model m = {.bias = {1, 2, 3, 4, 5, 6}, .filter_hz = 100.0};
    struct ftcomp_state s;
    struct ftcomp_input in = {.gravity = {0.0, 0.0, -9.81}};
    struct ftcomp_sample sample[FTCOMP_POSES_MIN];
    struct ftcomp_fit fit;
    struct velocity_model vm = {2e-5, DT, 8, 24};
    struct velocity_state vs;
    struct velocity_output out;
    double F[6];

    body_make(&m.tool, 30.0, com, J);
    draw_pose(&m.g_tf, 0.5);
    ONE(ftcomp_init, ftcomp_init(&m, &s));
    ONE(ftcomp_feedback, ftcomp_feedback(&m, &body->body));
    ONE(velocity_init, velocity_init(&vm, &vs));
    for (int k = 0; k < STEPS; k++) {
        draw_motion(&in.lab);
        draw_vector(&dice, in.measured, 6, 100.0);
        ftcomp_contact(F, &m, in.measured, in.lab.velocity, in.lab.acceleration, in.gravity);
        ADD(ftcomp_contact, F, 6);
        ftcomp_step(&m, &s, &in, F, DT);
        ADD(ftcomp_step, F, 6);
        const uint32_t raw = (uint32_t)draw_index(&dice, 1 << 24);
        const bool present = draw_index(&dice, 5) != 0;

        velocity_step(&vm, &vs, raw, present, &out);
        ONE(velocity_step, out.position_rad);
        ONE(velocity_step, out.velocity_radps);
        ONE(velocity_step, out.lag_s);
    }
    for (int k = 0; k < FTCOMP_POSES_MIN; k++) {
        draw_direction(&dice, sample[k].gravity, 9.81);
        mat_scale(sample[k].measured, 30.0, sample[k].gravity, 3);
        draw_vector(&dice, sample[k].measured + 3, 3, 5.0);
    }
    ONE(ftcomp_identify, ftcomp_identify(&fit, sample, FTCOMP_POSES_MIN));
    ADD(ftcomp_identify, fit.bias, 6);
    ADD(ftcomp_identify, fit.com, 3);
    ONE(ftcomp_identify, fit.mass_kg);
    ONE(ftcomp_identify, fit.residual_nm);
    ONE(ftcomp_identify, fit.com_sigma_m);
}

int main(void)
{
    dice.state = 20;
    for (int i = 0; i < COUNT; i++) {
        bits_start(&hash[i]);
    }
    for (int k = 0; k < CASES; k++) {
        struct rigid_model body;

        draw_body(&body);
        chance((uint64_t)k);
        free_body(&body);
        map();
        pushed_client(&body, k % 3);
        guard();
        grip();
        circle(&body);
        watch((uint64_t)k);
        compensate(&body);
    }
    for (int i = 0; i < COUNT; i++) {
        bits_print(&hash[i], names[i]);
    }
    return 0;
}
