/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpus.c - a set of processors, as the kernel writes it. */
#include "tools/cpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (CPUS_MAX / 64)

void cpus_add(struct cpus *set, int cpu)
{
    if (cpu >= 0 && cpu < CPUS_MAX) {
        set->bits[cpu / 64] |= (uint64_t)1 << (cpu % 64);
    }
}

bool cpus_has(const struct cpus *set, int cpu)
{
    return cpu >= 0 && cpu < CPUS_MAX && (set->bits[cpu / 64] >> (cpu % 64) & 1) != 0;
}

int cpus_count(const struct cpus *set)
{
    int n = 0;

    for (int i = 0; i < WORDS; i++) {
        n += __builtin_popcountll(set->bits[i]);
    }
    return n;
}

int cpus_last(const struct cpus *set)
{
    for (int cpu = CPUS_MAX - 1; cpu >= 0; cpu--) {
        if (cpus_has(set, cpu)) {
            return cpu;
        }
    }
    return -1;
}

struct cpus cpus_join(const struct cpus *a, const struct cpus *b)
{
    struct cpus r;

    for (int i = 0; i < WORDS; i++) {
        r.bits[i] = a->bits[i] | b->bits[i];
    }
    return r;
}

struct cpus cpus_both(const struct cpus *a, const struct cpus *b)
{
    struct cpus r;

    for (int i = 0; i < WORDS; i++) {
        r.bits[i] = a->bits[i] & b->bits[i];
    }
    return r;
}

struct cpus cpus_minus(const struct cpus *a, const struct cpus *b)
{
    struct cpus r;

    for (int i = 0; i < WORDS; i++) {
        r.bits[i] = a->bits[i] & ~b->bits[i];
    }
    return r;
}

static bool is_empty_text(const char *text)
{
    return text[0] == '\0' || text[0] == '\n' || strncmp(text, "(null)", 6) == 0;
}

/* A decimal number below CPUS_MAX at *text, which moves behind it; -1 when there is none. */
static int take_number(const char **text)
{
    char *end;
    long value;

    if (!isdigit((unsigned char)**text)) {
        return -1;
    }
    value = strtol(*text, &end, 10);
    *text = end;
    return value < CPUS_MAX ? (int)value : -1;
}

int cpus_parse_list(struct cpus *set, const char *text)
{
    struct cpus read = {{0}};

    memset(set, 0, sizeof *set);
    if (is_empty_text(text)) {
        return 0;
    }
    for (;;) {
        int first = take_number(&text);
        int last = first;

        if (first >= 0 && *text == '-') {
            text++;
            last = take_number(&text);
        }
        if (first < 0 || last < first) {
            return -EINVAL;
        }
        for (int cpu = first; cpu <= last; cpu++) {
            cpus_add(&read, cpu);
        }
        if (*text != ',') {
            break;
        }
        text++;
    }
    if (*text != '\0' && *text != '\n') {
        return -EINVAL;
    }
    *set = read;
    return 0;
}

int cpus_parse_mask(struct cpus *set, const char *text)
{
    struct cpus read = {{0}};
    int n = (int)strcspn(text, "\n");
    int bit = 0;

    memset(set, 0, sizeof *set);
    if (is_empty_text(text)) {
        return 0;
    }
    /* Hexadecimal digits from the right, four processors each; commas only group them. */
    for (int i = n - 1; i >= 0; i--) {
        const char digit[2] = {text[i], '\0'};

        if (text[i] == ',') {
            continue;
        }
        if (!isxdigit((unsigned char)text[i])) {
            return -EINVAL;
        }
        for (unsigned long value = strtoul(digit, NULL, 16), k = 0; k < 4; k++, bit++) {
            if ((value >> k & 1) != 0) {
                cpus_add(&read, bit);
            }
        }
    }
    *set = read;
    return 0;
}

void cpus_print(char *text, size_t size, const struct cpus *set)
{
    size_t used = 0;

    snprintf(text, size, "none");
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        int last = cpu;
        char part[32];
        int n;

        if (!cpus_has(set, cpu)) {
            continue;
        }
        while (cpus_has(set, last + 1)) {
            last++;
        }
        n = snprintf(part, sizeof part, last > cpu ? "%s%d-%d" : "%s%d", used > 0 ? "," : "", cpu,
                     last);
        if (used + (size_t)n + 3 > size) { /* room for ".." and the end */
            snprintf(text + used, size - used, "..");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", part);
        cpu = last;
    }
}
