/* SPDX-License-Identifier: GPL-3.0-or-later */
/* state.c - reads the state of a robot from a JSON file. JSON is YAML, and config/tree.h reads
 * YAML. */
#include "tools/state.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config/message.h"
#include "config/tree.h"
#include "config/units.h"
#include "model/mat.h"
#include "model/so3.h"
#include "tools/command.h"

#define LENGTH_SLACK 1e-3 /* how far from 1 a quaternion of few digits may be */
#define KEYS_MAX     8

struct reader {
    struct tree tree;
    struct message_list list;
    struct source source;
    const struct build_robot *robot;
};

__attribute__((format(printf, 3, 4))) static void
complain(struct reader *r, const struct tree_node *n, const char *format, ...)
{
    char text[200];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message_add(&r->list, n->at, n->end - n->at, "%s", text);
}

static const struct tree_node *node(const struct reader *r, int index)
{
    return index >= 0 ? &r->tree.node[index] : NULL;
}

static bool says(const struct tree_node *n, const char *word)
{
    return n->kind == TREE_SCALAR && n->length == strlen(word) &&
           memcmp(n->text, word, n->length) == 0;
}

/* What an unknown key may have meant; NULL if nothing is near. */
static const char *nearest(const char *const *name, const char *key)
{
    for (int i = 0; i < KEYS_MAX && name[i] != NULL; i++) {
        if (command_similar(key, name[i])) {
            return name[i];
        }
    }
    return NULL;
}

/* The values of the names in the object n; unknown and repeated names are errors. */
static void collect(struct reader *r, const struct tree_node *n, const char *what,
                    const char *const *name, const struct tree_node *value[static KEYS_MAX])
{
    const struct tree_node *key = n->kind == TREE_MAP ? node(r, n->first) : NULL;

    if (n->kind != TREE_MAP) {
        complain(r, n, "%s: expected an object { }", what);
    }
    for (const struct tree_node *item = NULL; key != NULL; key = node(r, item->next)) {
        int i = 0;

        item = node(r, key->next);
        if (item == NULL) {
            break; /* cannot be: every key has a value */
        }
        while (i < KEYS_MAX && name[i] != NULL && !says(key, name[i])) {
            i++;
        }
        if (key->kind != TREE_SCALAR) {
            complain(r, key, "%s: expected a name in quotes", what);
        } else if (i == KEYS_MAX || name[i] == NULL) {
            const char *near = nearest(name, key->text);

            complain(r, key, "%s: unknown key \"%.40s\"%s%s%s", what, key->text,
                     near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                     near != NULL ? "\"?" : "");
        } else if (value[i] != NULL) {
            complain(r, key, "%s: second \"%s\"", what, name[i]);
        } else {
            value[i] = item;
        }
    }
}

static void read_number(struct reader *r, const struct tree_node *n, const char *what, double most,
                        double *x)
{
    size_t used = 0;
    double number = 0;

    if (n->kind != TREE_SCALAR || n->style != TREE_PLAIN ||
        units_number(n->text, &used, &number) != UNITS_FINE || used != n->length) {
        complain(r, n, "%s: expected a finite number", what);
    } else if (!(fabs(number) <= most)) {
        complain(r, n, "%s: expected at most %g, found %g", what, most, number);
    } else {
        *x = number;
    }
}

/* A list of exactly `count` numbers within +-most; absent is zero. */
static void read_numbers(struct reader *r, const struct tree_node *n, const char *what, double *x,
                         int count, double most)
{
    int found = 0;

    if (n == NULL) {
        return;
    }
    if (n->kind != TREE_LIST) {
        complain(r, n, "%s: expected a list of %d number%s", what, count, count == 1 ? "" : "s");
        return;
    }
    for (const struct tree_node *i = node(r, n->first); i != NULL; i = node(r, i->next)) {
        if (found < count) {
            read_number(r, i, what, most, &x[found]);
        }
        found++;
    }
    if (found != count) {
        complain(r, n, "%s: expected %d number%s, found %d", what, count, count == 1 ? "" : "s",
                 found);
    }
}

static void read_base(struct reader *r, const struct tree_node *n, const struct tree_node *top,
                      struct state *s)
{
    static const struct {
        const char *name;
        enum multibody_base base;
    } row[] = {
        {"floating", MULTIBODY_FLOATING}, {"planar", MULTIBODY_PLANAR}, {"fixed", MULTIBODY_FIXED}};

    if (n == NULL) {
        complain(r, top,
                 "state: \"base\" is missing; expected \"floating\", \"planar\" or \"fixed\"");
        return;
    }
    for (size_t i = 0; i < COUNT_OF(row); i++) {
        if (says(n, row[i].name)) {
            s->base = row[i].base;
            return;
        }
    }
    complain(r, n, "base: expected \"floating\", \"planar\" or \"fixed\"");
}

static void read_pose(struct reader *r, const struct tree_node *n, struct state *s)
{
    static const char *const name[] = {"p", "q", NULL};
    const struct tree_node *value[KEYS_MAX] = {NULL};
    double q[4] = {0, 0, 0, 1}, length = 0;

    se3_identity(&s->pose);
    if (n == NULL) {
        return;
    }
    collect(r, n, "pose", name, value);
    read_numbers(r, value[0], "pose.p", s->pose.p, 3, MULTIBODY_LOAD_MAX);
    read_numbers(r, value[1], "pose.q", q, 4, 2);
    length = sqrt(mat_dot(q, q, 4));
    if (value[1] != NULL && !(fabs(length - 1) <= LENGTH_SLACK)) {
        complain(r, value[1], "pose.q: expected a unit quaternion x y z w, found length %g",
                 length);
        return;
    }
    so3_from_quat(s->pose.R, q);
}

static void read_wrench(struct reader *r, const struct tree_node *n, struct state *s)
{
    static const char *const name[] = {"frame", "F", NULL};
    const struct tree_node *value[KEYS_MAX] = {NULL};

    s->frame = -1;
    if (n == NULL) {
        return;
    }
    collect(r, n, "wrench", name, value);
    read_numbers(r, value[1], "wrench.F", s->F, 6, MULTIBODY_LOAD_MAX);
    if (value[0] == NULL || value[1] == NULL) {
        complain(r, n, "wrench: expected \"frame\" and \"F\"");
    } else if (value[0]->kind != TREE_SCALAR) {
        complain(r, value[0], "wrench.frame: expected the name of a link");
    } else {
        s->frame = build_find_frame(r->robot, value[0]->text);
        if (s->frame < 0) {
            complain(r, value[0], "wrench.frame: the robot has no link \"%.64s\"", value[0]->text);
        }
    }
}

static void read_state(struct reader *r, const struct tree_node *top, struct state *s)
{
    enum { BASE, GRAVITY, POSE, TWIST, Q, DQ, TAU, WRENCH };
    static const char *const name[KEYS_MAX] = {"base", "gravity", "pose", "V",
                                               "q",    "dq",      "tau",  "wrench"};
    const struct tree_node *value[KEYS_MAX] = {NULL};
    const int n = r->robot->model.joints;
    double V[6] = {0};

    collect(r, top, "state", name, value);
    read_base(r, value[BASE], top, s);
    read_numbers(r, value[GRAVITY], "gravity", s->gravity, 3, MULTIBODY_LOAD_MAX);
    read_pose(r, value[POSE], s);
    read_numbers(r, value[Q], "q", s->q, n, MULTIBODY_ANGLE_MAX);
    read_numbers(r, value[DQ], "dq", s->nu.joint, n, MULTIBODY_RATE_MAX);
    read_numbers(r, value[TAU], "tau", s->tau, n, MULTIBODY_LOAD_MAX);
    read_wrench(r, value[WRENCH], s);
    if (n > 0 && value[Q] == NULL) {
        complain(r, top, "state: \"q\" is missing; expected %d joint angle%s", n,
                 n == 1 ? "" : "s");
    }
    if (value[BASE] != NULL) {
        read_numbers(r, value[TWIST], "V", V, (int)s->base, MULTIBODY_RATE_MAX);
    }
    /* x, y and yaw of a planar base are entries 0, 1 and 5 of the twist */
    for (int i = 0; i < (int)s->base; i++) {
        s->nu.base[s->base == MULTIBODY_PLANAR && i == 2 ? 5 : i] = V[i];
    }
}

int state_read(struct state *s, const struct build_robot *robot, const char *path)
{
    struct reader *r = calloc(1, sizeof *r);
    char why[SOURCE_WHY_MAX];
    int result = -EINVAL;

    memset(s, 0, sizeof *s);
    if (r == NULL) {
        message_say(stderr, path, "cannot be read: %s", strerror(ENOMEM));
        return -EINVAL;
    }
    if (source_open(&r->source, path, why) != 0) {
        message_say(stderr, path, "%s", why);
        goto out;
    }
    r->robot = robot;
    r->list.source = &r->source;
    if (tree_read(&r->tree, &r->source, &r->list) == 0 && r->tree.count > 0) {
        read_state(r, node(r, 0), s);
    } else if (r->list.count == 0) {
        message_say(stderr, path, "expected a state in JSON, found an empty file");
        goto out;
    }
    message_print(&r->list, stderr);
    result = r->list.count == 0 ? 0 : -EINVAL;
out:
    tree_close(&r->tree);
    source_close(&r->source);
    free(r);
    return result;
}
