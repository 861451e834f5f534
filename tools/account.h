/* SPDX-License-Identifier: GPL-3.0-or-later */
/* account.h - what a simulated run leaves behind: run.mcap with its inputs, outputs, and three accounts of each instant.
 *
 *     /raw, /obsw, /events, viewers    every cycle: what the controller got and gave (rt/record.h)
 *     /cycle                           as the controller believes, every so many cycles of the motion
 *     /truth, /reference               the same quantities of the lab as it is, and of the orbit run
 */
#ifndef FREEFALL_ACCOUNT_H
#define FREEFALL_ACCOUNT_H

#include "rt/obsw_tape.h"
#include "tools/loop.h"

struct account {
    struct record record;
    struct obsw_tape tape; /* between the controller and its software */
    int every;             /* cycles from one account to the next; 0: nothing is recorded */
};

/* Make run.mcap in the folder, with configuration and robot description inside. 0 or -errno. */
int account_open(struct account *a, const char *folder, const char *description, int joints,
                 int viewers);

/* Keep the present instant of the loop. 0 or -errno. */
int account_write(struct account *a, struct loop *l);

/* 0, or -errno when something could not be written. */
int account_close(struct account *a);

#endif
