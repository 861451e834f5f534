/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict.c - the worst of a run against its limits, as a table and as verdict.json. */
#include "tools/verdict.h"

#include <math.h>
#include <string.h>

#include "model/mat.h"
#include "model/so3.h"

#define DEG (180.0 / BASE_PI)

void verdict_init(struct verdict *v, const struct config *c)
{
    const char *kind = config_text(c, "obsw.kind");

    memset(v, 0, sizeof *v);
    v->limit.capture = config_flag(c, "verdict.capture") && strcmp(kind, "zero") != 0;
    v->limit.position_m = config_number(c, "verdict.position");
    v->limit.rotation_rad = config_number(c, "verdict.rotation");
    v->limit.gripper_m = config_number(c, "verdict.gripper");
    v->limit.grasp_rate_radps = config_number(c, "verdict.grasp_rate");
    v->limit.energy_j = config_number(c, "verdict.energy");
}

/* Angular rate of the servicer's base seen from the client, as it truly is. Both turn with the nominal motion, so their lab
 * rates differ as those in orbit do. */
static double relative_rate(const struct loop *l)
{
    const struct motion *robot = l->lab.truth.robot;
    double base[3], w[3];
    struct pose g;

    se3_relative(&g, &robot[WORLD_CLIENT].pose, &robot[WORLD_SERVICER].pose);
    mat_vec3(base, g.R, robot[WORLD_SERVICER].velocity + 3);
    mat_sub(w, base, robot[WORLD_CLIENT].velocity + 3, 3);
    return mat_norm3(w);
}

void verdict_step(struct verdict *v, const struct loop *l)
{
    struct pose lab, orbit, error;
    double turn[3], apart[3], made = 0.0, left = 0.0;

    v->mode = (int)l->out.mode;
    v->causes = l->state.first_causes;
    if (!l->started || l->out.mode != SAFETY_RUN) {
        return;
    }
    v->time_s = l->time_s;
    loop_relative(&lab, &orbit, l);
    se3_relative(&error, &orbit, &lab);
    so3_log(turn, error.R);
    mat_sub(apart, l->lab.truth.grip.p, l->orbit.grip.p, 3);
    v->position_m = fmax(v->position_m, mat_norm3(error.p));
    v->rotation_rad = fmax(v->rotation_rad, mat_norm3(turn));
    v->gripper_m = fmax(v->gripper_m, mat_norm3(apart));
    if (l->lab.latched && !v->latched) {
        v->grasp_s = l->time_s;
        v->grasp_rate_radps = relative_rate(l);
    }
    v->latched = l->lab.latched;
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        made -= l->state.flight.passivity[i].energy_j;
        left -= l->state.flight.passivity[i].effective_j;
    }
    v->made_j = fmax(v->made_j, made);
    v->left_j = fmax(v->left_j, left);
}

enum verdict_status verdict_status(const struct verdict *v, enum verdict_row row)
{
    const struct verdict_limits *m = &v->limit;
    bool good = true;

    switch (row) {
    case VERDICT_CAPTURE:
        if (!m->capture) {
            return VERDICT_SKIP;
        }
        good = v->latched && v->grasp_rate_radps <= m->grasp_rate_radps;
        break;
    case VERDICT_DYNAMICS:
        good = v->position_m <= m->position_m && v->rotation_rad <= m->rotation_rad &&
               v->gripper_m <= m->gripper_m;
        break;
    case VERDICT_ENERGY:
        good = v->left_j <= m->energy_j;
        break;
    default:
        return VERDICT_SKIP;
    }
    return good ? VERDICT_PASS : VERDICT_FAIL;
}

bool verdict_passes(const struct verdict *v)
{
    bool good = v->mode == SAFETY_RUN;

    for (int i = 0; i < VERDICT_ROWS; i++) {
        good = good && verdict_status(v, (enum verdict_row)i) != VERDICT_FAIL;
    }
    return good;
}

static void capture_text(const struct verdict *v, char *out, size_t size)
{
    if (!v->limit.capture) {
        (void)snprintf(out, size, "nothing is to be held in this scenario");
    } else if (!v->latched) {
        (void)snprintf(out, size, "the client is not held at the end");
    } else {
        (void)snprintf(out, size, "grasp at %.1f s, relative rate %.3f deg/s  (limit %.2f)",
                       v->grasp_s, v->grasp_rate_radps * DEG, v->limit.grasp_rate_radps * DEG);
    }
}

void verdict_text(const struct verdict *v, enum verdict_row row, char *out, size_t size)
{
    const struct verdict_limits *m = &v->limit;

    switch (row) {
    case VERDICT_CAPTURE:
        capture_text(v, out, size);
        break;
    case VERDICT_DYNAMICS:
        (void)snprintf(out, size,
                       "relative pose against reference %.3g mm, %.2g rad, gripper %.3g mm  (limit "
                       "%.3g mm, %.3g rad, %.3g mm)",
                       v->position_m * 1e3, v->rotation_rad, v->gripper_m * 1e3,
                       m->position_m * 1e3, m->rotation_rad, m->gripper_m * 1e3);
        break;
    case VERDICT_ENERGY:
        (void)snprintf(out, size,
                       "made by delay at most %.2g J, not taken out %.2g J  (limit %.2g)",
                       v->made_j, v->left_j, m->energy_j);
        break;
    default:
        (void)snprintf(out, size, "simulated time");
        break;
    }
}

const char *verdict_name(enum verdict_row row)
{
    static const char *const names[VERDICT_ROWS] = {"capture", "dynamics", "energy", "timing"};

    return names[row];
}

const char *verdict_word(enum verdict_status status)
{
    static const char *const words[] = {"PASS", "FAIL", "SKIP"};

    return words[status];
}

void verdict_print(const struct verdict *v, FILE *out)
{
    char text[256];

    for (int i = 0; i < VERDICT_ROWS; i++) {
        const enum verdict_row row = (enum verdict_row)i;

        verdict_text(v, row, text, sizeof text);
        fprintf(out, "%-11s %s   %s\n", verdict_name(row), verdict_word(verdict_status(v, row)),
                text);
    }
    if (v->mode != SAFETY_RUN) {
        fprintf(out, "safety      FAIL   stopped at %.3f s:", v->time_s);
        for (int i = 0; i < SAFETY_CAUSES; i++) {
            if ((v->causes & SAFETY_BIT(i)) != 0) {
                fprintf(out, " %s;", safety_cause_name(i));
            }
        }
        fprintf(out, " mode %s\n", safety_mode_name(v->mode));
    }
}

void verdict_json(const struct verdict *v, struct json *j, const char *scenario, uint64_t seed)
{
    char text[256];

    json_object(j, NULL);
    json_integer(j, "schema", VERDICT_SCHEMA);
    json_string(j, "scenario", scenario);
    json_integer(j, "seed", (int64_t)seed);
    json_string(j, "verdict", verdict_passes(v) ? "PASS" : "FAIL");
    json_string(j, "mode", safety_mode_name(v->mode));
    json_number(j, "time_s", v->time_s);
    json_number(j, "position_m", v->position_m);
    json_number(j, "rotation_rad", v->rotation_rad);
    json_number(j, "gripper_m", v->gripper_m);
    json_bool(j, "latched", v->latched);
    json_number(j, "grasp_s", v->grasp_s);
    json_number(j, "grasp_rate_radps", v->grasp_rate_radps);
    json_number(j, "made_j", v->made_j);
    json_number(j, "left_j", v->left_j);
    json_array(j, "causes");
    for (int i = 0; i < SAFETY_CAUSES; i++) {
        if ((v->causes & SAFETY_BIT(i)) != 0) {
            json_string(j, NULL, safety_cause_name(i));
        }
    }
    json_end(j);
    json_array(j, "rows");
    for (int i = 0; i < VERDICT_ROWS; i++) {
        const enum verdict_row row = (enum verdict_row)i;

        verdict_text(v, row, text, sizeof text);
        json_object(j, NULL);
        json_string(j, "name", verdict_name(row));
        json_string(j, "status", verdict_word(verdict_status(v, row)));
        json_string(j, "text", text);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}
