/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_parse.h - one telegram of the robot, from bytes to numbers: understood whole, or rejected with a reason.
 *
 * Single pass, no allocation, bounded: at most RSI_TELEGRAM_MAX bytes, four levels, 32 characters in a name or an
 * attribute, 32 attributes in an element. Any order of elements and attributes, single or double quotes, blanks and
 * line ends, unknown elements and trailing NULs are accepted. Declarations, entities, comments and text outside the
 * innermost elements are not: no robot sends them.
 */
#ifndef FREEFALL_RSI_PARSE_H
#define FREEFALL_RSI_PARSE_H

#include "drivers/rsi_model.h"

enum rsi_reject {
    RSI_UNDERSTOOD,
    RSI_EMPTY,
    RSI_TOO_LONG,
    RSI_CUT,         /* ends before its root does */
    RSI_SYNTAX,      /* not the XML we read */
    RSI_DECLARATION, /* DOCTYPE, entity, comment, processing instruction */
    RSI_DEPTH,       /* more than four levels */
    RSI_WIDTH,       /* a name, value or element too long */
    RSI_ROOT,        /* another root element */
    RSI_DOUBLE,      /* an attribute, or an element we need, twice */
    RSI_MISSING,     /* pose or axes, or part of them */
    RSI_NUMBER,      /* not a finite decimal number with a point */
    RSI_NO_IPOC,
    RSI_BAD_IPOC, /* negative, beyond 64 bit, not a number */
    RSI_REJECTS
};

struct rsi_telegram {
    uint64_t ipoc;
    bool has_pose, has_axes, has_delay;
    double pose[6]; /* RIst: X Y Z in m, A B C in rad */
    double axes[6]; /* AIPos, rad */
    uint64_t delay; /* late answers as the robot counts them */
};

/* A word for a reason, as shown in reports. */
const char *rsi_reject_name(enum rsi_reject reason);

/* Read n bytes. The pose must be there for RSI_POSE, the axes for RSI_AXES; the other may be. */
RT_SAFE enum rsi_reject rsi_parse(struct rsi_telegram *t, const struct rsi_model *m,
                                  const char *bytes, size_t n);

#endif
