/* SPDX-License-Identifier: GPL-3.0-or-later */
/* units.h - numbers and units as people write them: "7.8 t", "2.5deg/s" -> SI, and back.
 *
 * Pure: text in, numbers out, the same under every locale. Adding a unit is one row of the table in
 * units.c.
 */
#ifndef FREEFALL_UNITS_H
#define FREEFALL_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#define UNITS_PRINT_MAX 32 /* characters of a printed number at most, with the final zero */

/* One unit. Units of one physical quantity have the same `si`. */
struct units_row {
    const char *name; /* as written after a number: "t" */
    const char *si;   /* the unit its values are kept in: "kg"; "1" for a ratio */
    double times;     /* SI value = number * times / over: two factors, so that ms and mm are */
    double over;      /* divisions by an exact 1000 and "3 us" is the double nearest to 3e-6 */
};

/* What units_number() says of a text. */
enum units_fault {
    UNITS_FINE,
    UNITS_NO_NUMBER,  /* does not begin with a number */
    UNITS_NOT_FINITE, /* nan, inf and their YAML forms */
    UNITS_TOO_LARGE,  /* beyond the range of a double */
    UNITS_TOO_SMALL,  /* not zero, yet below the smallest normal double */
    UNITS_BASE,       /* 0x10, 0o10, 0b10 */
    UNITS_ZEROS,      /* 010: decimal for some readers, octal for others */
    UNITS_UNDERSCORE, /* 1_000 */
    UNITS_COMMA,      /* 7,8 or 7,800 */
};

/* The rows in order, for listing; NULL after the last. */
const struct units_row *units_at(int index);

/* The unit of this name, exactly; NULL if there is none. */
const struct units_row *units_find(const char *name);

/* The unit meant by a slip of the shift key ("KG", "hz") in the quantity of `si`; NULL if none
 * is. */
const struct units_row *units_slip(const char *name, const char *si);

double units_to_si(const struct units_row *unit, double number);

/* Read the decimal number a text begins with. `used` gets the number of characters that belong
 * to it, `number` the value; both are set only with UNITS_FINE. */
enum units_fault units_number(const char *text, size_t *used, double *number);

/* What to do about a fault, as a phrase; NULL when the text is just no number. */
const char *units_advice(enum units_fault fault);

/* The fewest digits that units_number() reads back as the same double; an exponent only where
 * zeros would be many. */
void units_print_number(char out[static UNITS_PRINT_MAX], double number);

/* The number that units_to_si() turns into this very double, in as few digits as can do it.
 * False when there is none: not every double of a quantity is the image of one in another unit. */
bool units_print_in(char out[static UNITS_PRINT_MAX], double si, const struct units_row *unit);

/* The unit in which units_print_in() can write all n values: the one wanted if it can, otherwise
 * the first of the same quantity. For values read by units_number() and units_to_si() there
 * always is one. */
const struct units_row *units_exact(const double *si, int n, const struct units_row *wanted);

/* Equal as numbers: what == would say, without the warning. */
static inline bool units_same(double a, double b)
{
    return !(a < b) && !(a > b);
}

#endif
