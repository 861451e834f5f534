/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim.c - one simulated mission from its configuration to its verdict. */
#include "tools/sim.h"

#include <errno.h>
#include <math.h>

/* Yielding that is switched off, as rt/scenario.c does it. */
#define SPEED_NONE 1e-15

/* For an answer of on-board software in a process of its own: time is simulated, the wait for it is not. */
#define OBSW_LEAST_S 1.0

/* Where bisection ends. */
#define LEAD_STEP 1e-4

/* Energy below which the noise of the sensor, not the lateness of the robots, may decide the sign, J. */
#define LEAD_ENERGY 1e-5

/* And where the search for an upper end gives up. */
#define LEAD_LEAST 2e-3

int sim_open(struct sim *s, const char *path)
{
    int code = scenario_build(&s->scenario, &s->config, path, stderr);

    if (code == 0) {
        code = facility_build(&s->facility, &s->scenario, &s->config, stderr);
    }
    if (code == 0) {
        code = scenario_obsw_open(&s->lab, &s->scenario, &s->config, OBSW_LEAST_S, stderr);
    }
    if (code == 0) {
        code = scenario_obsw_open(&s->orbit, &s->scenario, &s->config, OBSW_LEAST_S, stderr);
    }
    if (code == 0) {
        s->account.every = (int)config_integer(&s->config, "sim.record");
        code = sim_rewind(s, -1.0, true);
        if (code != 0) {
            fprintf(stderr,
                    "freefall: %s: these values together make no simulation: a limit, delay or "
                    "filter is out of what the parts can do\n",
                    path);
        }
    }
    return code;
}

void sim_close(struct sim *s)
{
    scenario_obsw_close(&s->lab);
    scenario_obsw_close(&s->orbit);
}

int sim_rewind(struct sim *s, double lead_s, bool control)
{
    const struct control_obsw taped = obsw_tape_open(&s->account.tape, &s->lab.obsw);
    struct control_model *m = &s->scenario.control;

    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        if (lead_s >= 0.0) {
            m->lead_s[i] = lead_s;
        }
        if (!control) {
            m->passivity[i].speed_limit_mps = m->passivity[i].rate_limit_radps = SPEED_NONE;
        }
    }
    verdict_init(&s->verdict, &s->config);
    return loop_init(&s->loop, &s->scenario, &s->facility, &taped, &s->orbit.obsw);
}

bool sim_step(struct sim *s, int *error)
{
    struct loop *l = &s->loop;
    int code;

    loop_decide(l);
    code = account_write(&s->account, l);
    *error = *error != 0 ? *error : code;
    verdict_step(&s->verdict, l);
    if (!loop_flies(l)) {
        return false;
    }
    if (l->started && l->time_s + 0.5 * l->control.dt_s >= s->scenario.duration_s) {
        return false;
    }
    loop_move(l);
    return true;
}

/* Energy the lateness has taken out by the end, below 0: made, with this lead and no passivity control. */
static double energy_with(struct sim *s, double lead_s)
{
    double energy = 0.0;
    int error = 0;

    if (sim_rewind(s, lead_s, false) != 0) {
        return (double)NAN;
    }
    while (sim_step(s, &error)) {
    }
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        energy += s->loop.state.flight.passivity[i].energy_j;
    }
    return energy;
}

int sim_find_lead(struct sim *s, double *lead_s, double most_s, double *energy_j)
{
    double low = 0.0, high = most_s;

    *energy_j = energy_with(s, low);
    if (!(*energy_j < -LEAD_ENERGY)) {
        *lead_s = low;
        return -EDOM;
    }
    /* far too much lead may be more than the limits of the robots allow: such a run says nothing */
    *energy_j = energy_with(s, high);
    while (s->verdict.mode != SAFETY_RUN && high > LEAD_LEAST) {
        high *= 0.75;
        *energy_j = energy_with(s, high);
    }
    if (!(*energy_j > LEAD_ENERGY)) {
        *lead_s = high;
        return -EDOM;
    }
    while (high - low > LEAD_STEP) {
        const double middle = 0.5 * (low + high);

        *energy_j = energy_with(s, middle);
        if (*energy_j < 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *lead_s = 0.5 * (low + high);
    return 0;
}
