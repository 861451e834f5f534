/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - see words.h. */
#include "tools/lab/words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lab/cable.h"

int words_number(const char *list, const char *word)
{
    const size_t n = strlen(word);

    for (int i = 0; list; i++) {
        if (strcspn(list, " ") == n && strncmp(list, word, n) == 0) {
            return i;
        }
        list = strchr(list, ' ');
        list = list ? list + 1 : NULL;
    }
    return -1;
}

bool words_integer(const char *word, int64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoll(word, &end, 0);
    return errno == 0 && end != word && *end == '\0';
}

bool words_decimal(const char *word, int64_t *thousandths)
{
    char *end;
    const double x = strtod(word, &end);

    *thousandths = fabs(x) < 1e15 ? (int64_t)floor(1000 * x + 0.5) : 0;
    return end != word && *end == '\0' && fabs(x) < 1e15;
}

bool words_object(const char *word, int64_t *number)
{
    char *end;
    const unsigned long index = strtoul(word, &end, 16);
    unsigned long sub = WORDS_ANY_SUB;

    if (end == word || index > 0xffff) {
        return false;
    }
    if (*end == ':') {
        const char *rest = end + 1;

        sub = strtoul(rest, &end, 16);
        if (end == rest || sub > 0xff) {
            return false;
        }
    }
    *number = (int64_t)(index << 16 | sub);
    return *end == '\0';
}

bool words_frames(const char *word, uint32_t *frames, double *probability)
{
    char *end;
    const double x = strtod(word, &end);

    if (end == word || !(x >= 0)) {
        return false;
    }
    if (strcmp(end, "%") == 0 && x <= 100) {
        *frames = CABLE_FOREVER;
        *probability = x / 100;
        return true;
    }
    if (*end != '\0' || x < 1 || x > 1e9 || x > floor(x)) {
        return false;
    }
    *frames = (uint32_t)x;
    return true;
}
