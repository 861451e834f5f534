/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_number.c - see rsi_number.h. */
#include "drivers/rsi_number.h"

#include <math.h>

#define DIGITS_MAX 18 /* of the mantissa: fit 64 bit */
#define GREATEST   1e9

static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Digits and one point: the mantissa and how many decimals it has. Digits behind the 18th count as zeros. */
RT_SAFE static size_t read_mantissa(uint64_t *mantissa, int *decimals, const char *text, size_t n)
{
    size_t i = 0;
    int digits = 0, seen = 0;
    bool point = false;

    *mantissa = 0;
    *decimals = 0;
    for (; i < n && ((text[i] >= '0' && text[i] <= '9') || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        seen++;
        if (digits < DIGITS_MAX) {
            *mantissa = 10 * *mantissa + (uint64_t)(text[i] - '0');
            digits += *mantissa > 0;
            *decimals += point;
        } else {
            *decimals -= !point;
        }
    }
    return seen > 0 ? i : 0;
}

RT_SAFE static size_t read_exponent(int *exponent, const char *text, size_t n)
{
    size_t i = 1;
    bool minus = false;

    *exponent = 0;
    if (i < n && (text[i] == '+' || text[i] == '-')) {
        minus = text[i++] == '-';
    }
    for (; i < n && text[i] >= '0' && text[i] <= '9' && *exponent < 1000; i++) {
        *exponent = 10 * *exponent + (text[i] - '0');
    }
    *exponent = minus ? -*exponent : *exponent;
    return text[i - 1] >= '0' && text[i - 1] <= '9' ? i : 0;
}

bool rsi_number_read(double *x, const char *text, size_t n)
{
    const bool minus = n > 0 && text[0] == '-';
    const size_t sign = minus || (n > 0 && text[0] == '+');
    uint64_t mantissa;
    int decimals, exponent = 0;
    size_t i;

    if (n == 0 || n > 32) {
        return false;
    }
    i = read_mantissa(&mantissa, &decimals, text + sign, n - sign);
    if (i == 0) {
        return false;
    }
    i += sign;
    if (i < n && (text[i] == 'e' || text[i] == 'E')) {
        const size_t more = read_exponent(&exponent, text + i, n - i);

        i = more > 0 ? i + more : 0;
    }
    exponent -= decimals;
    if (i != n || exponent > 22) {
        return false;
    }
    if (exponent < -44) { /* 18 digits, so far behind the point: nothing */
        *x = 0.0;
        return true;
    }
    *x = (double)mantissa;
    *x = exponent >= 0     ? *x * power[exponent]
         : exponent >= -22 ? *x / power[-exponent]
                           : *x / power[22] / power[-exponent - 22];
    *x = minus ? -*x : *x;
    return fabs(*x) < GREATEST;
}

bool rsi_number_integer(uint64_t *x, const char *text, size_t n)
{
    *x = 0;
    if (n == 0 || n > 32) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = (unsigned)(unsigned char)text[i] - '0';

        if (digit > 9 || *x > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *x = 10 * *x + digit;
    }
    return true;
}

size_t rsi_number_put_integer(char out[static 20], uint64_t x)
{
    char digits[20];
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + x % 10);
        x /= 10;
    } while (x > 0);
    for (size_t i = 0; i < n; i++) {
        out[i] = digits[n - 1 - i];
    }
    return n;
}

size_t rsi_number_put(char out[static RSI_NUMBER_MAX], double x, int decimals)
{
    const int d = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    uint64_t scaled, unit = 1, rest;
    size_t n = 0;

    if (!(fabs(x) < GREATEST)) {
        return 0;
    }
    for (int i = 0; i < d; i++) {
        unit *= 10;
    }
    scaled = (uint64_t)(fabs(x) * (double)unit + 0.5);
    if (x < 0 && scaled > 0) {
        out[n++] = '-';
    }
    n += rsi_number_put_integer(out + n, scaled / unit);
    rest = scaled % unit;
    if (d > 0) {
        out[n++] = '.';
        for (int i = d - 1; i >= 0; i--) {
            out[n + (size_t)i] = (char)('0' + rest % 10);
            rest /= 10;
        }
        n += (size_t)d;
    }
    return n;
}
