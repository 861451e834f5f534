/* SPDX-License-Identifier: GPL-3.0-or-later */
/* krc.h - a robot controller that speaks RSI, as its client sees it: telegrams, corrections, limits, timeouts, an arm.
 *
 *     cycle k: [krc_cycle] --> telegram with IPOC      the answer, if it comes in time: --> [krc_answer]
 *
 * The controller is the clock. At the beginning of a cycle it takes the answer to the telegram before (none: HOLDON
 * decides), adds it to the programmed path, clamps silently at the correction limits, stops loudly at the monitor's,
 * and moves the arm: dead time, interpolation and servo of robot.h for a pose, a first-order lag for axes.
 * No clock of its own: instants come out of krc_instant(), telegrams go where the caller brings them.
 */
#ifndef FREEFALL_LAB_KRC_H
#define FREEFALL_LAB_KRC_H

#include "tools/lab/robot.h"

#define KRC_TELEGRAM_MAX 8192
#define KRC_NAME_MAX     33

enum krc_state { KRC_RUNS, KRC_TIMEOUT, KRC_MONITOR, KRC_DRIVE, KRC_STOPPED, KRC_STATES };

/* mm and deg throughout, as on the pendant. */
struct krc_model {
    int64_t cycle_ns;
    double ppm; /* its clock is that much slow */
    uint64_t ipoc;
    uint64_t ipoc_step;
    bool axes;                      /* AKorr; otherwise RKorr */
    bool relative;                  /* #RELATIVE */
    bool holdon;                    /* HOLDON="1" */
    bool late_clears;               /* an answer in time sets the count of late ones to zero */
    bool pretty, shout;             /* line breaks; TYPE instead of Type */
    int precision;                  /* decimals */
    int timeout;                    /* late answers that end RSI */
    double low[6], high[6];         /* POSCORR or AXISCORR: silent */
    double monitor_mm, monitor_deg; /* POSCORRMON or AXISCORRMON: loud */
    double drive_mm, drive_deg;     /* a cycle: more is a drive fault */
    double start[6];                /* X Y Z A B C or A1 to A6 at RSI_ON */
    struct robot_model arm;
    char sentype[KRC_NAME_MAX], correction[KRC_NAME_MAX], channel[6][KRC_NAME_MAX],
        stop[KRC_NAME_MAX];
};

struct krc {
    enum krc_state state;
    int64_t start_ns;
    uint64_t cycles; /* telegrams sent */
    uint64_t ipoc;   /* of the last */
    bool answered;   /* in time */
    double value[6]; /* of the last answer */
    double sum[6];   /* correction in force */
    bool told_stop;
    double start[6]; /* where it stood at RSI_ON */
    uint64_t late, missed, matched, wrong,
        malformed;           /* count of the controller; without an answer; ... */
    double greatest_step[6]; /* of the correction in a cycle */
    struct robot_state arm;
    double place[6]; /* RIst or AIPos */
};

/* Limits and names of a controller as delivered, 4 ms, standing at a usual pose. */
void krc_default(struct krc_model *m, bool axes);

/* 0 or -EINVAL for an arm robot.h refuses. */
int krc_init(const struct krc_model *m, struct krc *k, int64_t t_ns);

/* When the next telegram leaves, on the lab's clock. */
int64_t krc_instant(const struct krc_model *m, const struct krc *k);

/* One cycle. Bytes of the telegram; 0 when RSI has ended. */
int krc_cycle(const struct krc_model *m, struct krc *k, char out[static KRC_TELEGRAM_MAX]);

/* An answer came. */
void krc_answer(const struct krc_model *m, struct krc *k, const char *bytes, int n);

/* The program was reset and starts again where the arm stands: IPOC anew. */
void krc_restart(const struct krc_model *m, struct krc *k, uint64_t ipoc);

const char *krc_state_name(enum krc_state state);

/* krc_text.c: the telegram of the present state, and the numbers of an answer. */
int krc_write(const struct krc_model *m, const struct krc *k, char out[static KRC_TELEGRAM_MAX]);
struct krc_heard {
    bool good, has_ipoc, stop;
    uint64_t ipoc;
    double value[6];
};
void krc_read(const struct krc_model *m, struct krc_heard *h, const char *bytes, int n);

/* krc_spoil.c: one of KRC_SPOILS ways to make a telegram bad; bytes. */
#define KRC_SPOILS 14
int krc_spoil(char out[static KRC_TELEGRAM_MAX], const char *good, int n, int kind,
              uint64_t random);
const char *krc_spoil_name(int kind);

#endif
