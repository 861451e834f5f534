/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpus.h - a set of processors, as the kernel writes it: "0-2,5" (a list) or "ff,0000000f" (a mask). */
#ifndef FREEFALL_CPUS_H
#define FREEFALL_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUS_MAX 1024

struct cpus {
    uint64_t bits[CPUS_MAX / 64];
};

/* Read a list or a mask: 0, or -EINVAL for other text, then the set is empty. Empty text and the
 * kernel's "(null)" are the empty set. */
int cpus_parse_list(struct cpus *set, const char *text);
int cpus_parse_mask(struct cpus *set, const char *text);

/* Write as a list, shortest form; "none" for the empty set. Cut with ".." when it does not fit. */
void cpus_print(char *text, size_t size, const struct cpus *set);

void cpus_add(struct cpus *set, int cpu);       /* outside 0 .. CPUS_MAX-1: nothing happens */
bool cpus_has(const struct cpus *set, int cpu); /* outside: false */
int cpus_count(const struct cpus *set);
int cpus_last(const struct cpus *set); /* -1 when empty */

struct cpus cpus_join(const struct cpus *a, const struct cpus *b);  /* in a or in b */
struct cpus cpus_both(const struct cpus *a, const struct cpus *b);  /* in a and in b */
struct cpus cpus_minus(const struct cpus *a, const struct cpus *b); /* in a, not in b */

#endif
