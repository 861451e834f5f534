/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit.c - loads the libraries and sees to it that they do the same work. */
#include "tests/perf/unit.h"
#include "tests/robots.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    double tolerance; /* largest difference over largest number of the result */
} units[PERF_UNITS] = {
    [PERF_FK_JAC] = {"fk+jac", 1e-11},
    [PERF_CRBA] = {"crba", 1e-11},
    [PERF_BIAS] = {"bias", 1e-11},
    [PERF_FORWARD] = {"fwd-dyn", 1e-9},
    [PERF_EVAL] = {"eval", 1e-9},
    [PERF_CYCLE] = {"cycle", 1e-11},
    /* one step of two fourth-order methods for the attitude, which differ by some (w h)^5 */
    [PERF_PLANT] = {"plant-rk4", 1e-8},
    [PERF_20_KINDYN] = {"20dof-kindyn", 1e-11},
    [PERF_20_CTRL] = {"20dof-ctrl", 1e-9},
    [PERF_FIX_MASS] = {"7fix-mass", 1e-11},
    [PERF_FIX_BIAS] = {"7fix-bias", 1e-11},
    [PERF_FIX_FK_JAC] = {"7fix-fk+jac", 1e-11},
    [PERF_SINCOS] = {"sincos8", 1e-15},
};

const char *unit_name(enum perf_unit unit)
{
    return units[unit].name;
}

static void fill(double *x, int n, double range, unsigned long long *seed)
{
    for (int i = 0; i < n; i++) {
        x[i] = robots_uniform(seed, range);
    }
}

void unit_states(struct perf_state state[static PERF_STATES])
{
    unsigned long long seed = 12345;

    memset(state, 0, PERF_STATES * sizeof *state);
    for (int i = 0; i < PERF_STATES; i++) {
        struct perf_state *s = &state[i];
        fill(s->q, PERF_JOINTS, 3.14, &seed);
        fill(s->qd, PERF_JOINTS, 2.0, &seed);
        fill(s->qdd, PERF_JOINTS, 3.0, &seed);
        fill(s->tau, PERF_JOINTS, 20.0, &seed);
        fill(s->V, 6, 1.0, &seed);
        fill(s->V_ground, 6, 0.2, &seed);
        fill(s->F_b, 6, 50.0, &seed);
        fill(s->F_e, 6, 30.0, &seed);
        fill(s->gravity, 3, 9.81, &seed);
    }
}

static int has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return 0;
#endif
}

static int load_one(struct unit_library *library, const char *file)
{
    /* local symbols: each object keeps its own copy of what it was linked from */
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!object) {
        fprintf(stderr, "perf: %s\n", dlerror());
        return -1;
    }
    library->table = dlsym(object, "perf_library");
    if (!library->table) {
        fprintf(stderr, "perf: %s: expected a symbol perf_library\n", file);
        return -1;
    }
    if (library->table->needs_avx2 && !has_avx2()) {
        fprintf(stderr, "perf: %s is left out, this processor has no AVX2\n", library->table->name);
        return 1;
    }
    library->self = library->table->open();
    if (!library->self) {
        fprintf(stderr, "perf: %s cannot build its robots\n", library->table->name);
        return -1;
    }
    return 0;
}

int unit_load(struct unit_set *set, int files, char *const file[])
{
    memset(set, 0, sizeof *set);
    unit_states(set->state);
    for (int i = 0; i < files && set->libraries < UNIT_LIBRARIES; i++) {
        const int answer = load_one(&set->library[set->libraries], file[i]);
        if (answer < 0) {
            return -1;
        }
        set->libraries += answer == 0;
    }
    return set->libraries > 0 ? 0 : -1;
}

static int run(double *out, const struct unit_library *library, enum perf_unit unit,
               const struct perf_state *s)
{
    library->table->unit[unit](library->self, s);
    return library->table->result(out, library->self, unit, s);
}

/* The greater of two errors; NaN if one is, which no tolerance lets through. */
static double worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* Largest difference of two results over the largest number; infinite if they are not alike. */
static double difference(const double *x, int n, const double *y, int m)
{
    double error = 0.0, size = 0.0;

    for (int i = 0; i < n && n == m; i++) {
        error = worse(error, fabs(x[i] - y[i]));
        size = fmax(size, fabs(x[i]));
    }
    return n == m && n > 0 && size > 0.0 ? error / size : HUGE_VAL;
}

/* Largest difference of the unit between library k and the first, over all states. */
static double unit_difference(const struct unit_set *set, enum perf_unit unit, int first, int k)
{
    static double x[PERF_RESULT_MAX], y[PERF_RESULT_MAX];
    double worst = 0.0;

    for (int i = 0; i < PERF_STATES; i++) {
        const int n = run(x, &set->library[first], unit, &set->state[i]);
        const int m = run(y, &set->library[k], unit, &set->state[i]);
        worst = worse(worst, difference(x, n, y, m));
    }
    return worst;
}

int unit_check(const struct unit_set *set)
{
    int bad = 0;

    for (enum perf_unit unit = 0; unit < PERF_UNITS; unit++) {
        int first = 0;
        while (first < set->libraries && !set->library[first].table->unit[unit]) {
            first++;
        }
        for (int k = first + 1; k < set->libraries; k++) {
            if (!set->library[k].table->unit[unit]) {
                continue;
            }
            const double worst = unit_difference(set, unit, first, k);
            const int both = set->library[first].table->ours && set->library[k].table->ours;
            const double tolerance = both ? 0.0 : units[unit].tolerance;
            if (!(worst <= tolerance)) {
                fprintf(stderr, "perf: %s: %s and %s differ by %.1e, expected at most %.0e\n",
                        unit_name(unit), set->library[first].table->name,
                        set->library[k].table->name, worst, tolerance);
                bad++;
            }
        }
    }
    return bad ? -1 : 0;
}
