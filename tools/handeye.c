/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handeye.c - freefall handeye: where the camera sits on the robot, from robot poses and what it saw in them. */
#include "estimation/handeye.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "model/mat.h"
#include "model/so3.h"
#include "tools/command.h"
#include "tools/poses.h"

#define DEG 57.29577951308232

const struct command_option handeye_options[] = {
    {NULL, NULL, NULL},
};

static const char *const columns[] = {"rx", "ry", "rz",  "rqx", "rqy", "rqz", "rqw", "mx",
                                      "my", "mz", "mqx", "mqy", "mqz", "mqw", NULL};

/* A pose of seven numbers; false if they are none. */
static bool pose_of(struct pose *g, const double *x)
{
    const double norm = sqrt(mat_dot(x + 3, x + 3, 4));

    if (!base_all_finite(x, 7) || !(fabs(norm - 1.0) < 1e-3)) {
        return false;
    }
    mat_copy(g->p, x, 3);
    so3_from_quat(g->R, x + 3);
    return true;
}

static int read_pairs(struct handeye_pair *pair, const char *path)
{
    struct poses p;
    double x[14];
    int n = 0, code = poses_open(&p, path, columns);

    if (code != 0) {
        return code;
    }
    while ((code = poses_next(&p, x)) > 0) {
        if (n == HANDEYE_MOST) {
            fprintf(stderr, "%s:%d: error: expected at most %d poses\n", path, p.line,
                    HANDEYE_MOST);
            code = -EINVAL;
            break;
        }
        if (!pose_of(&pair[n].robot, x) || !pose_of(&pair[n].marker, x + 7)) {
            fprintf(stderr,
                    "%s:%d: error: expected finite numbers and quaternions of length 1, found "
                    "others\n",
                    path, p.line);
            code = -EINVAL;
            break;
        }
        n++;
    }
    poses_close(&p);
    return code < 0 ? code : n;
}

static int refuse(const char *path, enum handeye_verdict v, const struct handeye_result *r, int n)
{
    switch (v) {
    case HANDEYE_FEW:
        fprintf(stderr, "%s: error: expected at least %d poses, found %d; record more\n", path,
                HANDEYE_LEAST, n);
        break;
    case HANDEYE_SMALL:
        fprintf(
            stderr,
            "%s: error: expected rotations above 30 deg between poses, found at most %.1f; turn "
            "the robot more\n",
            path, DEG * r->turn_span_rad);
        break;
    case HANDEYE_ONE_AXIS:
        fprintf(
            stderr,
            "%s: error: expected rotations above 30 deg about two axes, found %.1f deg about "
            "one and at most %.1f across it: the camera's place along that axis cannot be told; "
            "add poses turned about another axis\n",
            path, DEG * r->turn_span_rad, DEG * r->second_span_rad);
        break;
    default:
        fprintf(stderr,
                "%s: error: expected robot and camera to turn by the same angles, found others: is "
                "r the flange in the base, and m the marker in the camera?\n",
                path);
        break;
    }
    return COMMAND_FAIL;
}

static void print(const struct handeye_result *r, int n)
{
    double q[4];

    so3_to_quat(q, r->camera.R);
    printf("poses       %d, rotations up to %.0f deg, and %.0f deg across\n", n,
           DEG * r->turn_span_rad, DEG * r->second_span_rad);
    printf("camera      %.5f %.5f %.5f m   in the flange\n", r->camera.p[0], r->camera.p[1],
           r->camera.p[2]);
    printf("            %.6f %.6f %.6f %.6f   x y z w\n", q[0], q[1], q[2], q[3]);
    printf("residual    %.3f mm, %.4f deg rms; worst %.3f mm, %.4f deg (pose %d)\n",
           1e3 * r->place_rms_m, DEG * r->turn_rms_rad, 1e3 * r->place_worst_m,
           DEG * r->turn_worst_rad, r->worst + 1);
}

static int run(struct handeye_pair *pair, const char *path)
{
    struct handeye_result r;
    const int n = read_pairs(pair, path);

    if (n < 0) {
        return COMMAND_CONFIG;
    }
    const enum handeye_verdict v = handeye_solve(&r, pair, n);

    if (v != HANDEYE_GOOD) {
        return refuse(path, v, &r, n);
    }
    print(&r, n);
    return COMMAND_PASS;
}

int handeye_main(int argc, char **argv)
{
    struct handeye_pair *pair = calloc(HANDEYE_MOST, sizeof *pair);
    int result = COMMAND_INTERNAL;
    const int operands = command_parse(handeye_options, NULL, argc, argv, 1);

    if (operands < 0) {
        result = COMMAND_USAGE;
    } else if (operands == 0) {
        result = command_refuse(argv[0], "expected a file of poses, POSES.csv");
    } else if (pair == NULL) {
        perror("freefall handeye");
    } else {
        result = run(pair, argv[1]);
    }
    free(pair);
    return result;
}
