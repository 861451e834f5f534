/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_control.c - one cycle at a time: modes, refusals, and that nothing commanded ever steps. */
#include "rt/control.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tests/draw.h"
#include "tests/scene.h"
#include "unity.h"

/* On-board software that does what a test tells it. */
struct puppet {
    double base_wrench[6];
    double joint_torque[7];
    uint32_t version; /* 0: the right one */
    int code;
    bool silent;
};

static int puppet_step(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    const struct puppet *p = self;

    if (p->silent) {
        return 0;
    }
    *out = (struct obsw_output){.size = sizeof *out, .cycle = in->cycle, .phase = 3};
    out->version = p->version != 0 ? p->version : OBSW_VERSION;
    mat_copy(out->base_wrench, p->base_wrench, 6);
    mat_copy(out->joint_torque, p->joint_torque, 7);
    return p->code;
}

static const struct obsw_interface puppet_table = {.version = OBSW_VERSION, .step = puppet_step};

static struct control_model model;
static struct control_state state;
static struct control_input in;
static struct control_output out;
static struct puppet puppet;
static uint64_t cycle;

void setUp(void)
{
    puppet = (struct puppet){.version = 0};
    cycle = 0;
    TEST_ASSERT_EQUAL_INT(0, scene_model(&model, &puppet_table, &puppet));
    TEST_ASSERT_EQUAL_INT(0, control_init(&model, &state));
}

void tearDown(void)
{
}

static void step(void)
{
    in.cycle = cycle;
    control_step(&model, &state, &in, &out);
    cycle++;
}

/* A healthy cycle with ideal robots: they are where they were told to be. */
static void next_input(void)
{
    scene_input(&in, cycle);
    if (state.mode != SAFETY_INIT) {
        for (int i = 0; i < CONTROL_ROBOTS; i++) {
            in.robot[i].pose = out.robot[i].pose;
            mat_copy(in.robot[i].velocity, out.robot[i].velocity, 6);
        }
    }
}

static void go(void)
{
    next_input();
    step();
    TEST_ASSERT_EQUAL_INT(SAFETY_READY, out.mode);
    next_input();
    in.request = SAFETY_ASK_ARM;
    step();
    TEST_ASSERT_EQUAL_INT(SAFETY_ARMED, out.mode);
    next_input();
    step();
    TEST_ASSERT_EQUAL_INT(SAFETY_RUN, out.mode);
}

static void run(int cycles)
{
    for (int k = 0; k < cycles; k++) {
        next_input();
        step();
    }
}

static void test_first_command_is_the_measured_pose_to_the_last_bit(void)
{
    struct pose measured[CONTROL_ROBOTS];

    next_input();
    measured[0] = in.robot[0].pose;
    measured[1] = in.robot[1].pose;
    go();
    TEST_ASSERT_EQUAL_MEMORY(&measured[0], &out.robot[0].pose, sizeof measured[0]);
    for (int i = 0; i < 3; i++) { /* through orbit and back: a few roundings of metres */
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, measured[1].p[i], out.robot[1].pose.p[i]);
    }
}

/* No force, co-moving start: in relative coordinates the client does not move at all, while in orbit it tumbles. */
static void test_unforced_client_stands_still_in_the_lab(void)
{
    struct pose start;

    go();
    start = out.robot[CONTROL_CLIENT].pose;
    for (int k = 0; k < 5000; k++) {
        next_input();
        mat_zero(in.wrench.value, 6);
        in.wrench.value[5] = cycle % 2 == 0 ? 0.0 : 5e-324; /* alive, but no torque that counts */
        step();
        TEST_ASSERT_EQUAL_INT(SAFETY_RUN, out.mode);
    }
    TEST_ASSERT_EQUAL_MEMORY(&start, &out.robot[CONTROL_CLIENT].pose, sizeof start);
    TEST_ASSERT_TRUE(fabs(state.flight.client.orbit.pose.R[2]) > 0.2); /* 12 degrees in orbit */
}

static void test_same_inputs_give_the_same_bytes(void)
{
    static struct control_state twin;
    static struct control_output twin_out;

    go();
    puppet.base_wrench[1] = 5.0;
    run(50);
    memcpy(&twin, &state, sizeof twin);
    next_input();
    step();
    in.cycle = cycle - 1;
    control_step(&model, &twin, &in, &twin_out);
    TEST_ASSERT_EQUAL_MEMORY(&out, &twin_out, sizeof out);
    TEST_ASSERT_EQUAL_MEMORY(&state, &twin, sizeof state);
}

/* F = m a: the servicer of 1532.6 kg pushed by 8 N along x for a second. */
static void test_base_wrench_of_the_on_board_software_moves_the_servicer(void)
{
    double before, after;

    model.client_velocity[4] = 0.0;
    TEST_ASSERT_EQUAL_INT(0, control_init(&model, &state));
    go();
    puppet.base_wrench[0] = 8.0;
    before = out.robot[CONTROL_SERVICER].pose.p[0];
    run(1000);
    after = out.robot[CONTROL_SERVICER].pose.p[0];
    TEST_ASSERT_EQUAL_INT(SAFETY_RUN, out.mode);
    /* B x is lab -x; the arm is held by the test, not by the model, so only the total mass counts roughly */
    TEST_ASSERT_DOUBLE_WITHIN(3e-4, -0.5 * 8.0 / 1532.61, after - before);
}

static void expect_hold(enum safety_cause cause)
{
    TEST_ASSERT_TRUE(out.mode == SAFETY_HOLD || out.mode == SAFETY_STOP);
    TEST_ASSERT_TRUE((state.first_causes & SAFETY_BIT(cause)) != 0);
}

static void test_software_that_returns_no_number_is_bridged_then_held(void)
{
    go();
    puppet.base_wrench[2] = (double)NAN;
    run(2);
    TEST_ASSERT_EQUAL_INT(SAFETY_RUN, out.mode);
    run(1);
    expect_hold(SAFETY_OBSW_INVALID);
}

static void test_software_of_another_version_is_held(void)
{
    go();
    puppet.version = OBSW_VERSION + 1;
    run(3);
    expect_hold(SAFETY_OBSW_VERSION);
}

static void test_software_that_is_late_is_held(void)
{
    go();
    puppet.silent = true;
    run(3);
    expect_hold(SAFETY_OBSW_LATE);
}

static void test_software_that_asks_for_it_is_held(void)
{
    go();
    puppet.code = -1;
    run(3);
    expect_hold(SAFETY_OBSW_INVALID);
}

static void test_what_the_software_wants_is_limited(void)
{
    go();
    puppet.base_wrench[0] = 1e9;
    puppet.joint_torque[6] = -1e9;
    run(1);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 80.0, state.obsw_out.base_wrench[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, -40.0, state.obsw_out.joint_torque[6]);
}

static void test_stale_missing_and_frozen_samples_hold(void)
{
    go();
    run(10);
    next_input();
    in.wrench.age = 4;
    step();
    expect_hold(SAFETY_WRENCH_STALE);

    setUp();
    go();
    next_input();
    in.joints.velocity[2] = (double)INFINITY;
    step();
    expect_hold(SAFETY_JOINTS_STALE);

    setUp();
    go();
    next_input();
    in.robot[CONTROL_SERVICER].valid = false;
    step();
    expect_hold(SAFETY_ROBOT_LATE);

    setUp();
    go();
    for (int k = 0; k < 60; k++) {
        next_input();
        in.wrench.value[0] = 0.25;
        step();
    }
    expect_hold(SAFETY_WRENCH_FROZEN);
}

static void test_force_over_the_limit_stops(void)
{
    go();
    next_input();
    in.wrench.value[1] = 401.0;
    step();
    TEST_ASSERT_EQUAL_INT(SAFETY_STOP, out.mode);
    TEST_ASSERT_TRUE((state.first_causes & SAFETY_BIT(SAFETY_WRENCH_LIMIT)) != 0);
}

static void test_robot_that_does_not_follow_stops(void)
{
    go();
    next_input();
    in.robot[CONTROL_CLIENT].pose.p[0] += 0.05;
    step();
    TEST_ASSERT_EQUAL_INT(SAFETY_STOP, out.mode);
    TEST_ASSERT_TRUE((state.first_causes & SAFETY_BIT(SAFETY_ROBOT_TRACKING)) != 0);
}

static void test_emergency_stop_then_acknowledged_restart(void)
{
    go();
    next_input();
    in.causes = SAFETY_BIT(SAFETY_ESTOP);
    step();
    TEST_ASSERT_EQUAL_INT(SAFETY_STOP, out.mode);
    run(100);
    TEST_ASSERT_EQUAL_INT(SAFETY_STOP, out.mode);
    next_input();
    in.request = SAFETY_ASK_ACK;
    step();
    TEST_ASSERT_EQUAL_INT(SAFETY_READY, out.mode);
    next_input();
    in.request = SAFETY_ASK_ARM;
    step();
    run(1);
    TEST_ASSERT_EQUAL_INT(SAFETY_RUN, out.mode);
    TEST_ASSERT_EQUAL_UINT64(1, state.run_cycles);
}

static void test_drive_fault_takes_the_torque_away(void)
{
    static const double none[MULTIBODY_LANES] = {0.0};

    go();
    TEST_ASSERT_TRUE(out.torque_on);
    next_input();
    in.causes = SAFETY_BIT(SAFETY_DRIVE);
    step();
    TEST_ASSERT_EQUAL_INT(SAFETY_FAULT, out.mode);
    TEST_ASSERT_FALSE(out.torque_on);
    TEST_ASSERT_EQUAL_MEMORY(none, out.torque, sizeof none);
}

/* Noise on everything, for thousands of cycles: no pose may move faster than its limits, no torque may jump, no
 * output may be anything but a number. */
static void test_no_input_whatever_makes_a_command_step(void)
{
    struct draw draw = {0xc0de};

    for (int k = 0; k < 20000; k++) {
        const struct control_output last = out;
        const bool started = k > 0;

        next_input();
        in.request = (enum safety_request)draw_index(&draw, 5);
        if (draw_index(&draw, 20) == 0) {
            in.wrench.value[draw_index(&draw, 6)] = draw_scaled(&draw, -20, 40);
        }
        if (draw_index(&draw, 200) == 0) {
            in.joints.position[draw_index(&draw, 7)] = (double)NAN;
        }
        if (draw_index(&draw, 200) == 0) {
            in.robot[draw_index(&draw, 2)].pose.p[draw_index(&draw, 3)] = (double)INFINITY;
        }
        if (draw_index(&draw, 300) == 0) {
            in.causes = SAFETY_BIT(draw_index(&draw, SAFETY_CAUSES));
        }
        puppet.base_wrench[draw_index(&draw, 6)] = draw_scaled(&draw, -5, 12);
        puppet.code = draw_index(&draw, 500) == 0 ? 1 : 0;
        step();
        TEST_ASSERT_TRUE(base_all_finite(out.torque, 7));
        for (int i = 0; i < CONTROL_ROBOTS && started && last.mode != SAFETY_INIT; i++) {
            struct pose moved;
            double turn[3];

            se3_relative(&moved, &last.robot[i].pose, &out.robot[i].pose);
            so3_log(turn, moved.R);
            TEST_ASSERT_TRUE(mat_norm3(moved.p) <= 1.001 * model.limit[i].speed_mps * 1e-3);
            TEST_ASSERT_TRUE(mat_norm3(turn) <= 1.001 * model.limit[i].rate_radps * 1e-3);
        }
        for (int i = 0; i < 7 && started && last.torque_on && out.torque_on; i++) {
            TEST_ASSERT_TRUE(fabs(out.torque[i] - last.torque[i]) <= 1.001 * 1e5 * 1e-3);
        }
    }
}

/* ---- one fault at a random cycle of a run that moves ---- */

struct fault {
    const char *name;
    int cause;             /* first reason that must be told */
    enum safety_mode mode; /* where it must lead */
};

enum {
    WRENCH_NAN,
    WRENCH_ABSENT,
    WRENCH_OLD,
    JOINTS_NAN,
    JOINTS_ABSENT,
    JOINTS_OLD,
    JOINT_FAR,
    JOINT_FAST,
    ROBOT_INFINITE,
    ROBOT_ABSENT,
    ROBOT_OLD,
    ROBOT_ZERO,
    VELOCITY_NAN,
    SOFTWARE_NAN,
    SOFTWARE_SILENT,
    SOFTWARE_VERSION,
    SOFTWARE_ERROR,
    FAULTS
};

static const struct fault faults[FAULTS] = {
    [WRENCH_NAN] = {"wrench NaN", SAFETY_WRENCH_STALE, SAFETY_HOLD},
    [WRENCH_ABSENT] = {"wrench absent", SAFETY_WRENCH_STALE, SAFETY_HOLD},
    [WRENCH_OLD] = {"wrench old", SAFETY_WRENCH_STALE, SAFETY_HOLD},
    [JOINTS_NAN] = {"joint NaN", SAFETY_JOINTS_STALE, SAFETY_HOLD},
    [JOINTS_ABSENT] = {"joints absent", SAFETY_JOINTS_STALE, SAFETY_HOLD},
    [JOINTS_OLD] = {"joints old", SAFETY_JOINTS_STALE, SAFETY_HOLD},
    [JOINT_FAR] = {"joint beyond its range", SAFETY_JOINT_LIMIT, SAFETY_STOP},
    [JOINT_FAST] = {"joint too fast", SAFETY_JOINT_LIMIT, SAFETY_STOP},
    [ROBOT_INFINITE] = {"robot infinitely far", SAFETY_ROBOT_LATE, SAFETY_HOLD},
    [ROBOT_ABSENT] = {"robot absent", SAFETY_ROBOT_LATE, SAFETY_HOLD},
    [ROBOT_OLD] = {"robot late", SAFETY_ROBOT_LATE, SAFETY_HOLD},
    [ROBOT_ZERO] = {"robot tells zeros", SAFETY_ROBOT_LATE, SAFETY_HOLD},
    [VELOCITY_NAN] = {"robot velocity NaN", SAFETY_ROBOT_LATE, SAFETY_HOLD},
    [SOFTWARE_NAN] = {"software NaN", SAFETY_OBSW_INVALID, SAFETY_HOLD},
    [SOFTWARE_SILENT] = {"software silent", SAFETY_OBSW_LATE, SAFETY_HOLD},
    [SOFTWARE_VERSION] = {"software version", SAFETY_OBSW_VERSION, SAFETY_HOLD},
    [SOFTWARE_ERROR] = {"software error", SAFETY_OBSW_INVALID, SAFETY_HOLD},
};

static void break_input(int kind, struct draw *draw)
{
    struct control_robot *robot = &in.robot[draw_index(draw, CONTROL_ROBOTS)];

    switch (kind) {
    case WRENCH_NAN:
        in.wrench.value[draw_index(draw, 6)] = (double)NAN;
        break;
    case WRENCH_ABSENT:
        in.wrench = (struct control_wrench){.valid = false};
        break;
    case WRENCH_OLD:
        in.wrench.age = model.threshold.wrench_stale + 1;
        break;
    case JOINTS_NAN:
        in.joints.position[draw_index(draw, 7)] = (double)NAN;
        in.joints.velocity[draw_index(draw, 7)] = -(double)INFINITY;
        break;
    case JOINTS_ABSENT:
        in.joints = (struct control_joints){.valid = false};
        break;
    case JOINTS_OLD:
        in.joints.age = model.threshold.joints_stale + 1;
        break;
    case JOINT_FAR:
        in.joints.position[draw_index(draw, 7)] = 4.0;
        break;
    case JOINT_FAST:
        in.joints.velocity[draw_index(draw, 7)] = -3.0;
        break;
    case ROBOT_INFINITE:
        robot->pose.p[draw_index(draw, 3)] = (double)INFINITY;
        break;
    case ROBOT_ABSENT:
        *robot = (struct control_robot){.valid = false};
        break;
    case ROBOT_OLD:
        robot->age = model.threshold.robot_late + 1;
        break;
    case ROBOT_ZERO:
        *robot = (struct control_robot){.valid = true};
        break;
    case VELOCITY_NAN:
        robot->velocity[draw_index(draw, 6)] = (double)NAN;
        break;
    default:
        break;
    }
}

static void break_software(int kind, struct draw *draw)
{
    if (kind == SOFTWARE_NAN) {
        puppet.base_wrench[draw_index(draw, 6)] = (double)NAN;
        puppet.joint_torque[draw_index(draw, 7)] = (double)NAN;
    }
    puppet.silent = kind == SOFTWARE_SILENT;
    puppet.version = kind == SOFTWARE_VERSION ? OBSW_VERSION + 1 : 0;
    puppet.code = kind == SOFTWARE_ERROR ? -1 : 0;
}

/* Twist between two commands, which the limits speak of. */
static void between(double V[static 6], const struct pose *from, const struct pose *to)
{
    struct pose moved;

    se3_relative(&moved, from, to);
    mat_scale(V, 1.0 / model.dt_s, moved.p, 3);
    so3_log(V + 3, moved.R);
    mat_scale(V + 3, 1.0 / model.dt_s, V + 3, 3);
}

/* Value, speed and acceleration of both commands inside their limits; the twist fed forward is the one of the commands. */
static void check_smooth(const struct control_output *last, double V_last[CONTROL_ROBOTS][6],
                         const char *name)
{
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        const struct limit_model *most = &model.limit[i];
        double V[6], change[6];

        TEST_ASSERT_TRUE_MESSAGE(base_all_finite(out.robot[i].velocity, 6), name);
        TEST_ASSERT_TRUE_MESSAGE(base_all_finite(out.robot[i].acceleration, 6), name);
        between(V, &last->robot[i].pose, &out.robot[i].pose);
        mat_sub(change, V, V_last[i], 6);
        /* a hundredth: the twist of a step turns with the body */
        TEST_ASSERT_TRUE_MESSAGE(mat_norm3(V) <= 1.01 * most->speed_mps, name);
        TEST_ASSERT_TRUE_MESSAGE(mat_norm3(V + 3) <= 1.01 * most->rate_radps, name);
        TEST_ASSERT_TRUE_MESSAGE(
            mat_norm3(change) <= 1.01 * most->acceleration_mps2 * model.dt_s + 1e-9, name);
        TEST_ASSERT_TRUE_MESSAGE(
            mat_norm3(change + 3) <= 1.01 * most->rotation_radps2 * model.dt_s + 1e-9, name);
        mat_sub(change, out.robot[i].velocity, V, 6);
        TEST_ASSERT_TRUE_MESSAGE(mat_norm3(change) <= 1.01 * most->acceleration_mps2 * model.dt_s,
                                 name);
        mat_copy(V_last[i], V, 6);
    }
}

/* A run that moves, a fault of thirty cycles, and what follows: nothing steps, the reason is told, drives and grip stay. */
static void survive(int kind, struct draw *draw)
{
    const int at = 20 + draw_index(draw, 200), until = at + 30;
    double V[CONTROL_ROBOTS][6] = {{0.0}};
    struct control_output last;

    setUp();
    go();
    for (int i = 0; i < 6; i++) {
        puppet.base_wrench[i] = draw_uniform(draw, -20.0, 20.0);
    }
    for (int k = 0; k < until + 100; k++) {
        const bool broken = k >= at && k < until;

        last = out;
        next_input();
        in.wrench.value[0] += draw_uniform(draw, -0.5, 0.5);
        if (broken) {
            break_input(kind, draw);
            break_software(kind, draw);
        }
        step();
        check_smooth(&last, V, faults[kind].name);
        TEST_ASSERT_TRUE_MESSAGE(out.torque_on, faults[kind].name);
        for (int i = 0; i < 7; i++) { /* gravity load of the posture, whatever the samples say */
            TEST_ASSERT_TRUE_MESSAGE(!broken || faults[kind].cause == SAFETY_JOINT_LIMIT ||
                                         fabs(out.torque[i] - last.torque[i]) < 20.0,
                                     faults[kind].name);
        }
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(faults[kind].mode, out.mode, faults[kind].name);
    TEST_ASSERT_TRUE_MESSAGE((state.first_causes & SAFETY_BIT(faults[kind].cause)) != 0,
                             faults[kind].name);
    for (int i = 0; i < CONTROL_ROBOTS; i++) { /* and it has come to rest */
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.0, draw_size(out.robot[i].velocity, 6));
    }
}

static void test_any_fault_at_any_cycle_holds_with_its_reason_and_nothing_steps(void)
{
    for (int seed = 1; seed <= 25; seed++) {
        struct draw draw = {0xfa017u * (uint64_t)seed};

        for (int kind = 0; kind < FAULTS; kind++) {
            survive(kind, &draw);
        }
    }
}

static void test_models_that_cannot_work_are_refused(void)
{
    struct control_model wrong = model;

    wrong.dt_s = 0.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, control_init(&wrong, &state));
    wrong = model;
    wrong.obsw.table = NULL;
    TEST_ASSERT_EQUAL_INT(-EINVAL, control_init(&wrong, &state));
    wrong = model;
    wrong.limit[1].jerk_mps3 = -1.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, control_init(&wrong, &state));
    wrong = model;
    wrong.client.body.body.mass_kg = 0.0;
    wrong.client.body.inverse[0] = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, control_init(&wrong, &state));
    wrong = model;
    wrong.joint_rate_radps[3] = 0.0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, control_init(&wrong, &state));
    wrong = model;
    wrong.joint_low_rad[6] = wrong.joint_high_rad[6];
    TEST_ASSERT_EQUAL_INT(-EINVAL, control_init(&wrong, &state));
    wrong = model;
    wrong.threshold.force_n = (double)NAN;
    TEST_ASSERT_EQUAL_INT(-EINVAL, control_init(&wrong, &state));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_first_command_is_the_measured_pose_to_the_last_bit);
    RUN_TEST(test_unforced_client_stands_still_in_the_lab);
    RUN_TEST(test_same_inputs_give_the_same_bytes);
    RUN_TEST(test_base_wrench_of_the_on_board_software_moves_the_servicer);
    RUN_TEST(test_software_that_returns_no_number_is_bridged_then_held);
    RUN_TEST(test_software_of_another_version_is_held);
    RUN_TEST(test_software_that_is_late_is_held);
    RUN_TEST(test_software_that_asks_for_it_is_held);
    RUN_TEST(test_what_the_software_wants_is_limited);
    RUN_TEST(test_stale_missing_and_frozen_samples_hold);
    RUN_TEST(test_force_over_the_limit_stops);
    RUN_TEST(test_robot_that_does_not_follow_stops);
    RUN_TEST(test_emergency_stop_then_acknowledged_restart);
    RUN_TEST(test_drive_fault_takes_the_torque_away);
    RUN_TEST(test_no_input_whatever_makes_a_command_step);
    RUN_TEST(test_any_fault_at_any_cycle_holds_with_its_reason_and_nothing_steps);
    RUN_TEST(test_models_that_cannot_work_are_refused);
    return UNITY_END();
}
