/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.h - the words of a fault script as numbers. Each returns false when the word is not understood. */
#ifndef FREEFALL_LAB_WORDS_H
#define FREEFALL_LAB_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#define WORDS_ANY_SUB 0x100 /* an object without sub-index */

/* Number of the word in a list separated by spaces, or -1. */
int words_number(const char *list, const char *word);

/* "12", "-3", "0x1b". */
bool words_integer(const char *word, int64_t *number);

/* "-100.5": in thousandths. */
bool words_decimal(const char *word, int64_t *thousandths);

/* "6060" or "1018:2", hexadecimal: index in the upper half, sub-index or WORDS_ANY_SUB in the lower. */
bool words_object(const char *word, int64_t *number);

/* "5" frames, or "2.5%" of all. */
bool words_frames(const char *word, uint32_t *frames, double *probability);

#endif
