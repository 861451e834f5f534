/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.c - numbers and units as people write them. */
#include "config/units.h"

#include <ctype.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PI 3.14159265358979323846

/* The SI unit of a quantity is the row whose name is its own si. */
static const struct units_row table[] = {
    {"kg", "kg", 1, 1},
    {"g", "kg", 1, 1e3},
    {"t", "kg", 1e3, 1},
    {"m", "m", 1, 1},
    {"mm", "m", 1, 1e3},
    {"cm", "m", 1, 1e2},
    {"um", "m", 1, 1e6},
    {"km", "m", 1e3, 1},
    {"s", "s", 1, 1},
    {"ms", "s", 1, 1e3},
    {"us", "s", 1, 1e6},
    {"ns", "s", 1, 1e9},
    {"min", "s", 60, 1},
    {"h", "s", 3600, 1},
    {"Hz", "Hz", 1, 1},
    {"kHz", "Hz", 1e3, 1},
    {"rad", "rad", 1, 1},
    {"mrad", "rad", 1, 1e3},
    {"deg", "rad", PI, 180},
    {"arcsec", "rad", PI, 648000},
    {"m/s", "m/s", 1, 1},
    {"mm/s", "m/s", 1, 1e3},
    {"rad/s", "rad/s", 1, 1},
    {"deg/s", "rad/s", PI, 180},
    {"m/s2", "m/s2", 1, 1},
    {"m/s^2", "m/s2", 1, 1},
    {"rad/s2", "rad/s2", 1, 1},
    {"rad/s^2", "rad/s2", 1, 1},
    {"deg/s2", "rad/s2", PI, 180},
    {"deg/s^2", "rad/s2", PI, 180},
    {"m/s3", "m/s3", 1, 1},
    {"rad/s3", "rad/s3", 1, 1},
    {"deg/s3", "rad/s3", PI, 180},
    {"N", "N", 1, 1},
    {"kN", "N", 1e3, 1},
    {"Nm", "Nm", 1, 1},
    {"N m", "Nm", 1, 1},
    {"Nm/s", "Nm/s", 1, 1},
    {"N/m", "N/m", 1, 1},
    {"Nm/rad", "Nm/rad", 1, 1},
    {"Ns/m", "Ns/m", 1, 1},
    {"Nms/rad", "Nms/rad", 1, 1},
    {"kgm2", "kgm2", 1, 1},
    {"kg m2", "kgm2", 1, 1},
    {"kg m^2", "kgm2", 1, 1},
    {"J", "J", 1, 1},
    {"mJ", "J", 1, 1e3},
    {"%", "1", 1, 1e2},
    {"ppm", "1", 1, 1e6},
    {"B", "B", 1, 1},
    {"kB", "B", 1e3, 1},
    {"MiB", "B", 1048576, 1},
};

const struct units_row *units_at(int index)
{
    int n = (int)(sizeof table / sizeof table[0]);

    return index >= 0 && index < n ? &table[index] : NULL;
}

const struct units_row *units_find(const char *name)
{
    const struct units_row *unit = NULL;

    for (int i = 0; (unit = units_at(i)) != NULL; i++) {
        if (strcmp(unit->name, name) == 0) {
            break;
        }
    }
    return unit;
}

const struct units_row *units_slip(const char *name, const char *si)
{
    const struct units_row *unit = NULL;

    for (int i = 0; (unit = units_at(i)) != NULL; i++) {
        if (strcmp(unit->si, si) == 0 && strcasecmp(unit->name, name) == 0) {
            break;
        }
    }
    return unit;
}

double units_to_si(const struct units_row *unit, double number)
{
    return number * unit->times / unit->over;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits(const char *text)
{
    size_t n = 0;

    while (digit(text[n])) {
        n++;
    }
    return n;
}

/* Length of [sign] digits [. digits] [e [sign] digits], or 0; a point needs a digit on one side. */
static size_t number_length(const char *text)
{
    size_t n = text[0] == '+' || text[0] == '-';
    size_t whole = digits(text + n);
    size_t part = 0;

    n += whole;
    if (text[n] == '.') {
        part = digits(text + n + 1);
        n += whole + part > 0 ? 1 + part : 0;
    }
    if (whole + part == 0) {
        return 0;
    }
    if (text[n] == 'e' || text[n] == 'E') {
        size_t sign = text[n + 1] == '+' || text[n + 1] == '-';
        size_t power = digits(text + n + 1 + sign);

        n += power > 0 ? 1 + sign + power : 0;
    }
    return n;
}

/* The forms that other readers take for numbers, or for other numbers than we would. */
static enum units_fault forbidden(const char *text)
{
    const char *body = text + (text[0] == '+' || text[0] == '-');
    const char *word = body + (body[0] == '.');

    if (strncasecmp(word, "inf", 3) == 0 || strncasecmp(word, "nan", 3) == 0) {
        return UNITS_NOT_FINITE;
    }
    if (body[0] == '0' && digit(body[1])) {
        return UNITS_ZEROS;
    }
    if (body[0] == '0' &&
        (((body[1] == 'x' || body[1] == 'X') && isxdigit((unsigned char)body[2])) ||
         ((body[1] == 'o' || body[1] == 'b') && digit(body[2])))) {
        return UNITS_BASE;
    }
    return UNITS_FINE;
}

/* strtod() of the C locale, whatever the locale of the program: the decimal separator is a
 * point. */
static double decimal(const char *text)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c != (locale_t)0 ? strtod_l(text, NULL, c) : (double)NAN;

    freelocale(c);
    return value;
}

enum units_fault units_number(const char *text, size_t *used, double *number)
{
    enum units_fault fault = forbidden(text);
    size_t n = number_length(text);

    if (fault != UNITS_FINE) {
        return fault;
    }
    if (n == 0 || text[n] == '.') {
        return UNITS_NO_NUMBER;
    }
    if (text[n] == '_' || text[n] == ',') {
        return text[n] == '_' ? UNITS_UNDERSCORE : UNITS_COMMA;
    }

    double value = decimal(text);
    size_t mantissa = strcspn(text, "eE");
    bool zero = strcspn(text, "123456789") >= (mantissa < n ? mantissa : n);

    if (!isfinite(value)) {
        return UNITS_TOO_LARGE;
    }
    if (!zero && fabs(value) < DBL_MIN) {
        return UNITS_TOO_SMALL;
    }
    *used = n;
    *number = value;
    return UNITS_FINE;
}

const char *units_advice(enum units_fault fault)
{
    static const char *const advice[] = {
        [UNITS_FINE] = NULL,
        [UNITS_NO_NUMBER] = NULL,
        [UNITS_NOT_FINITE] = "a finite number is needed",
        [UNITS_TOO_LARGE] = "too large for a 64-bit number",
        [UNITS_TOO_SMALL] = "too small for a 64-bit number; write 0",
        [UNITS_BASE] = "write it as a decimal number",
        [UNITS_ZEROS] = "write it without zeros in front",
        [UNITS_UNDERSCORE] = "write it without underscores",
        [UNITS_COMMA] = "write a decimal point, and nothing between thousands",
    };
    return advice[fault];
}

/* The n digits d times 10^(power - n + 1), with the point where people expect it. */
static void lay_out(char *out, bool minus, const char *d, int n, int power)
{
    const char *sign = minus ? "-" : "";

    if (power >= 15 || power < -5) {
        (void)snprintf(out, UNITS_PRINT_MAX, "%s%c%s%.*se%d", sign, d[0], n > 1 ? "." : "", n - 1,
                       d + 1, power);
    } else if (power < 0) {
        (void)snprintf(out, UNITS_PRINT_MAX, "%s0.%.*s%.*s", sign, -power - 1, "00000", n, d);
    } else if (n <= power + 1) {
        (void)snprintf(out, UNITS_PRINT_MAX, "%s%.*s%.*s", sign, n, d, power + 1 - n,
                       "000000000000000");
    } else {
        (void)snprintf(out, UNITS_PRINT_MAX, "%s%.*s.%.*s", sign, power + 1, d, n - power - 1,
                       d + power + 1);
    }
}

/* The number rounded to n significant digits, read from printf's exponent form by its digits
 * alone, because its decimal separator follows the locale. */
static void round_to(char *out, double number, int n)
{
    char raw[48];
    char d[24] = "0";
    int count = 0;

    (void)snprintf(raw, sizeof raw, "%.*e", n - 1, fabs(number));
    const char *e = strchr(raw, 'e');

    for (const char *p = raw; e != NULL && p < e; p++) {
        if (digit(*p) && count < n) {
            d[count++] = *p;
        }
    }
    lay_out(out, signbit(number) != 0, d, count, e != NULL ? (int)strtol(e + 1, NULL, 10) : 0);
}

void units_print_number(char out[static UNITS_PRINT_MAX], double number)
{
    size_t used = 0;
    double back = 0;

    if (!isfinite(number)) {
        (void)snprintf(out, UNITS_PRINT_MAX, "%s",
                       isnan(number) ? "nan"
                       : number > 0  ? "inf"
                                     : "-inf");
        return;
    }
    for (int n = 1; n <= 17; n++) {
        round_to(out, number, n);
        if (units_number(out, &used, &back) == UNITS_FINE && units_same(back, number)) {
            return;
        }
    }
}

/* One candidate of units_print_in(): n digits of `number`, kept if they read back as `si`. */
static bool print_try(char *out, double si, const struct units_row *unit, double number, int n)
{
    size_t used = 0;
    double back = 0;

    round_to(out, number, n);
    return units_number(out, &used, &back) == UNITS_FINE && units_same(units_to_si(unit, back), si);
}

bool units_print_in(char out[static UNITS_PRINT_MAX], double si, const struct units_row *unit)
{
    /* the division back is rounded twice, so the number that was read may lie a few doubles
     * beside its result */
    double number = si * unit->over / unit->times;
    bool found = false;

    for (int n = 1; n <= 17 && !found; n++) {
        found = print_try(out, si, unit, number, n);
    }
    for (int step = -3; step <= 3 && !found; step++) {
        double beside = number;

        for (int i = 0; i < abs(step); i++) {
            beside = nextafter(beside, step < 0 ? -DBL_MAX : DBL_MAX);
        }
        found = print_try(out, si, unit, beside, 17);
    }
    return found;
}

const struct units_row *units_exact(const double *si, int n, const struct units_row *wanted)
{
    char out[UNITS_PRINT_MAX];
    const struct units_row *unit = wanted;

    for (int next = 0; unit != NULL; unit = units_at(next++)) {
        int good = 0;

        while (good < n && strcmp(unit->si, wanted->si) == 0 &&
               units_print_in(out, si[good], unit)) {
            good++;
        }
        if (good == n) {
            return unit;
        }
    }
    return wanted;
}
