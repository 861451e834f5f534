/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_model.h - what is fixed about one KUKA RSI link: names on the wire, cycle, limits, tolerances.
 *
 * Every name is free in the robot's Ethernet file, so every name is a value here. Six channels carry the correction:
 * X Y Z A B C of the tool (m and rad inside, mm and deg on the wire), or the axes A1 to A6 (rad inside, deg on the wire).
 */
#ifndef FREEFALL_RSI_MODEL_H
#define FREEFALL_RSI_MODEL_H

#include "drivers/limiter.h"
#include "model/base.h"

#define RSI_TELEGRAM_MAX 4096 /* bytes of a telegram of the robot */
#define RSI_ANSWER_MAX   1024
#define RSI_NAME_MAX     33 /* characters of a name on the wire, with the final zero */

enum rsi_kind { RSI_POSE, RSI_AXES };

/* Names of elements and attributes. */
struct rsi_tags {
    char root[RSI_NAME_MAX];                             /* of the robot: Rob */
    char pose[RSI_NAME_MAX], axes[RSI_NAME_MAX];         /* RIst, AIPos: where the robot is */
    char delay[RSI_NAME_MAX], delay_value[RSI_NAME_MAX]; /* Delay, D */
    char ipoc[RSI_NAME_MAX];                             /* IPOC, both ways */
    char answer[RSI_NAME_MAX], type[RSI_NAME_MAX];       /* Sen, ImFree */
    char correction[RSI_NAME_MAX];                       /* RKorr or AKorr */
    char channel[6][RSI_NAME_MAX];                       /* X Y Z A B C or A1 to A6 */
    char stop[RSI_NAME_MAX];                             /* Stop; empty: not sent */
    char text[RSI_NAME_MAX],
        message[RSI_NAME_MAX]; /* EStr and what stands in it; empty: not sent */
};

/* Constant after rsi_model_init(). */
struct rsi_model {
    enum rsi_kind kind;
    int64_t cycle_ns; /* of the robot: 4 or 12 ms */
    struct rsi_tags tags;
    int decimals; /* of mm and deg, 4 to 9 */
    struct limiter_model limiter;
    int64_t
        sample_delay_ns; /* set-points are sampled this long before the robot's instant: newer ones exist */
    int64_t loop_delay_ns; /* set-point to motion of the robot, for the tracking check */
    double tracking_m;     /* position error allowed beyond speed * loop delay */
    double tracking_rad;   /* the same for angles and axes */
    double arm_m, arm_rad; /* how far the set-point may be from the robot when motion begins */
    double singular_rad;   /* motion does not begin nearer to B = +-90 deg than this */
};

/* The names of section 2 of the interface description, 4 ms, careful limits. */
void rsi_model_default(struct rsi_model *m, enum rsi_kind kind);

/* 0; -EINVAL with what is wrong and what to do in `why`. */
int rsi_model_init(const struct rsi_model *m, char why[static 160]);

#endif
