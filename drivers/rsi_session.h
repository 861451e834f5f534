/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_session.h - what to answer the robot: everything decided on an RSI link, without clock, socket or thread.
 *
 *     datagram, sender, arrival --> [rsi_session_receive] --> fresh | known already | dropped, and counted
 *     newest set-points ----------> [rsi_session_answer]  --> bytes for the newest fresh telegram, or none
 *     time alone -----------------> [rsi_session_tick]    --> silence is noticed
 *
 * Rules. The sender of the first telegram understood is the peer; others are counted and dropped. An IPOC equal to the
 * last is answered with the same bytes again; a lower one is dropped, unless the robot was silent for a second or has
 * a new port after silence, and stands where it stood: then a new session begins. Every session begins in HOLD with the
 * correction zero, measured from where the robot is; HOLD ends by ROBOT_ARM only.
 */
#ifndef FREEFALL_RSI_SESSION_H
#define FREEFALL_RSI_SESSION_H

#include "drivers/robot.h"
#include "drivers/rsi_clock.h"
#include "drivers/rsi_format.h"
#include "drivers/rsi_model.h"
#include "drivers/rsi_parse.h"

/* IPv4, host byte order. */
struct rsi_peer {
    uint32_t address;
    uint16_t port;
};

enum rsi_class { RSI_DROPPED, RSI_FRESH, RSI_KNOWN };

struct rsi_counts {
    uint64_t telegrams;             /* datagrams seen */
    uint64_t rejected[RSI_REJECTS]; /* not understood, by reason */
    uint64_t foreign;               /* of somebody else */
    uint64_t moved;                 /* restarts refused because the robot stood elsewhere */
    uint64_t duplicates, old, reordered;
    uint64_t lost;       /* cycles of the robot we never saw */
    uint64_t late;       /* answers the robot missed, by its own Delay */
    uint64_t superseded; /* fresh, but a newer one lay behind */
    uint64_t answered, sessions, silences, extrapolated, limited, holds;
};

struct rsi_session {
    enum robot_mode mode;
    enum robot_reason reason;
    int channel;        /* the reason concerns: 0 to 5 */
    double asked, seen; /* and its values, m or rad */

    bool known; /* there is a peer, and everything below has a meaning */
    struct rsi_peer peer;
    uint64_t ipoc, step; /* last IPOC; least difference seen, 0: not yet */
    int64_t cycle;       /* number of the last telegram in this session */
    uint64_t seen_bits;  /* bit i: cycle - i was seen */
    int64_t arrival_ns;
    bool silent;
    struct rsi_telegram now; /* the last one, angles without leaps */
    uint64_t delay;
    double jitter_s;
    double start[6];    /* where the correction is zero */
    double near[6];     /* channels sampled last */
    int waiting;        /* fresh telegrams since the last answer */
    int64_t cycles_due; /* cycles of the robot since the last answer */
    struct rsi_clock clock;
    struct limiter_state limiter;
    double speed[6]; /* of the correction, falling slowly: what may be on its way */
    int64_t limited_ns, astray_ns, stop_ns;
    struct rsi_answer last; /* for duplicates */
    struct rsi_counts counts;
};

void rsi_session_init(struct rsi_session *s);

/* One datagram. RSI_KNOWN: send s->last again, as it is. */
RT_SAFE enum rsi_class rsi_session_receive(const struct rsi_model *m, struct rsi_session *s,
                                           const char *bytes, size_t n, struct rsi_peer from,
                                           int64_t arrival_ns);

/* The answer to the newest fresh telegram; empty if none waits or the link has ended. */
RT_SAFE void rsi_session_answer(const struct rsi_model *m, struct rsi_session *s,
                                const struct robot_window *w, struct rsi_answer *answer);

/* Nothing came until now_ns. */
RT_SAFE void rsi_session_tick(const struct rsi_model *m, struct rsi_session *s, int64_t now_ns);

/* Carry out a request. ROBOT_FINE, or why ROBOT_ARM was refused (it is in s->reason then, too). */
RT_SAFE enum robot_reason rsi_session_request(const struct rsi_model *m, struct rsi_session *s,
                                              enum robot_request request,
                                              const struct robot_window *w, int64_t now_ns);

/* Where the robot is. */
RT_SAFE void rsi_session_sample(const struct rsi_session *s, struct robot_sample *out);

/* The reason in words, with its numbers. */
void rsi_session_explain(const struct rsi_model *m, const struct rsi_session *s,
                         char out[static ROBOT_TEXT_MAX]);

#endif
