/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_number.h - decimal numbers as the robot writes and reads them: always a point, whatever the locale. */
#ifndef FREEFALL_RSI_NUMBER_H
#define FREEFALL_RSI_NUMBER_H

#include "model/base.h"

#define RSI_NUMBER_MAX 24 /* characters of a printed number */

/* "-12.5", "1e-3": at most 32 characters, absolute value below 1e9. False for anything else: signs alone, commas, words
 * (nan, inf), hexadecimal. Right to the last bit up to 15 digits, as robots send them. */
RT_SAFE bool rsi_number_read(double *x, const char *text, size_t n);

/* Digits only, up to 64 bit. */
RT_SAFE bool rsi_number_integer(uint64_t *x, const char *text, size_t n);

/* x with that many decimals (0 to 9), rounded to nearest; returns the characters written, 0 if x is not finite or its
 * absolute value not below 1e9. No "-0". */
RT_SAFE size_t rsi_number_put(char out[static RSI_NUMBER_MAX], double x, int decimals);
RT_SAFE size_t rsi_number_put_integer(char out[static 20], uint64_t x);

#endif
