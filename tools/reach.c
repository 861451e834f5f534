/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reach.c - how far a frame of a robot can get.
 *
 * With all other joints at rest, a turn of one joint moves the frame on a circle, and the
 * square of its distance from the base origin is a + b cos q + c sin q. Three distances give
 * a, b, c, and the best angle follows in closed form.
 */
#include "tools/reach.h"

#include <math.h>

#include "model/mat.h"
#include "model/multibody_frame.h"

#define STARTS 32
#define SWEEPS 100
#define TURN   (2 * BASE_PI)

struct search {
    const struct build_robot *robot;
    const struct multibody_frame *frame;
    struct multibody_work work;
};

static double distance(struct search *s, const double *q)
{
    struct pose g;

    multibody_kinematics(&s->robot->model, &s->work, q);
    multibody_frame_pose(&g, &s->work, s->frame);
    return mat_norm3(g.p);
}

/* The range of a joint; one turn if it has none. */
static void range(const struct build_joint *joint, double *from, double *to)
{
    *from = isinf(joint->lower_rad) ? -BASE_PI : joint->lower_rad;
    *to = isinf(joint->upper_rad) ? BASE_PI : joint->upper_rad;
}

/* Turn joint i to where the frame is farthest. */
static void climb(struct search *s, double *q, int i)
{
    double d[3], from, to, best;

    for (int k = 0; k < 3; k++) {
        q[i] = k * TURN / 3;
        d[k] = distance(s, q);
        d[k] *= d[k];
    }
    range(&s->robot->joint[i], &from, &to);
    best = atan2((d[1] - d[2]) / sqrt(3.0), (2 * d[0] - d[1] - d[2]) / 3);
    best += TURN * ceil((from - best) / TURN); /* the first such angle in the range */
    if (best <= to) {
        q[i] = best;
        return;
    }
    q[i] = from;
    d[0] = distance(s, q);
    q[i] = to;
    d[1] = distance(s, q);
    q[i] = d[0] > d[1] ? from : to;
}

static double climb_all(struct search *s, double *q)
{
    double before = -1, now = 0;

    for (int sweep = 0; sweep < SWEEPS && now - before > 1e-12; sweep++) {
        before = now;
        for (int i = 0; i < s->robot->model.joints; i++) {
            climb(s, q, i);
        }
        now = distance(s, q);
    }
    return now;
}

double reach_search(const struct build_robot *robot, const struct multibody_frame *frame,
                    double q[static MULTIBODY_JOINTS])
{
    struct search s = {.robot = robot, .frame = frame};
    unsigned state = 1;
    double best = -1;

    multibody_reset(&robot->model, &s.work);
    for (int start = 0; start < STARTS; start++) {
        double here[MULTIBODY_JOINTS] = {0};

        for (int i = 0; i < robot->model.joints; i++) {
            double from, to;

            range(&robot->joint[i], &from, &to);
            state = state * 1103515245u + 12345u;
            here[i] = from + (to - from) * (double)(state >> 16) / 65536.0;
        }
        const double found = climb_all(&s, here);

        if (found > best) {
            best = found;
            mat_copy(q, here, MULTIBODY_JOINTS);
        }
    }
    return best;
}

const struct build_frame *reach_end(const struct build_robot *robot, int arm)
{
    const int first = arm == 0 ? 0 : robot->model.arm[0].joints;
    const int last = first + robot->model.arm[arm].joints - 1;
    const struct build_frame *end = &robot->frame[0];

    for (int i = 0; i < robot->frames; i++) {
        if (robot->frame[i].link == last) {
            end = &robot->frame[i];
        }
    }
    return end;
}
