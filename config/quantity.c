/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quantity.c - physical values of a schema row. */
#include "config/quantity.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/inertia.h"
#include "config/units.h"

#define BLANKS " \t\r\n"

/* What stands in a text: some numbers, then perhaps a unit. */
struct parts {
    double number[SCHEMA_SIZE_MAX];
    size_t at[SCHEMA_SIZE_MAX];     /* where each begins */
    size_t length[SCHEMA_SIZE_MAX]; /* and its characters */
    int count;                      /* of numbers; may be more than fit */
    size_t numbers_end;             /* behind the last number */
    size_t unit_at;                 /* where the unit begins */
    char unit[24];                  /* with single blanks; empty when there is none */
};

const struct units_row *quantity_unit(const struct schema_row *row)
{
    const char *list = row->accepts;
    char word[SCHEMA_KEY_MAX];

    return schema_word(&list, word) ? units_find(word) : NULL;
}

void quantity_expected(char out[static MESSAGE_PHRASE_MAX], const struct schema_row *row)
{
    char units[80];
    char count[24] = "a number";

    schema_choice(units, sizeof units, row->accepts);
    if (row->size > 1) {
        (void)snprintf(count, sizeof count, "%d numbers", row->size);
    }
    (void)snprintf(out, MESSAGE_PHRASE_MAX, "%s %s%s", count,
                   units[0] != '\0' ? "with unit " : "without unit", units);
}

void quantity_range(char out[static MESSAGE_PHRASE_MAX], const struct schema_row *row)
{
    const struct units_row *unit = quantity_unit(row);
    const char *blank = unit != NULL ? " " : "";
    const char *name = unit != NULL ? unit->name : "";
    char least[UNITS_PRINT_MAX];
    char greatest[UNITS_PRINT_MAX];

    units_print_number(least, row->least);
    units_print_number(greatest, row->greatest);
    (void)snprintf(out, MESSAGE_PHRASE_MAX, "%s%s%s to %s%s%s", least, blank, name, greatest, blank,
                   name);
}

/* Say that the whole text is not what was expected; the caller narrows at and length. */
static void blame(struct message_fault *fault, const struct schema_row *row, const char *text)
{
    *fault = (struct message_fault){.length = strlen(text)};
    quantity_expected(fault->expected, row);
    message_quote(fault->found, text, strlen(text));
    (void)snprintf(fault->hint, sizeof fault->hint, "write for example %s", row->value);
}

/* The unit with single blanks, as the table spells it; what is too long for any unit is cut and
 * found by none. */
static void copy_unit(struct parts *p, const char *text)
{
    size_t n = 0;

    for (const char *c = text; *c != '\0' && n + 2 < sizeof p->unit; c += strspn(c, BLANKS)) {
        size_t word = strcspn(c, BLANKS);

        if (n > 0) {
            p->unit[n++] = ' ';
        }
        for (size_t i = 0; i < word && n + 1 < sizeof p->unit; i++) {
            p->unit[n++] = c[i];
        }
        c += word;
    }
    p->unit[n] = '\0';
}

static bool starts_number(char c)
{
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

/* Take a text apart; a fault names the first piece that is not a number. */
static bool take_apart(struct parts *p, const struct schema_row *row, const char *text,
                       struct message_fault *fault)
{
    size_t at = strspn(text, BLANKS);

    *p = (struct parts){.count = 0};
    do {
        size_t used = 0;
        double number = 0;
        enum units_fault why = units_number(text + at, &used, &number);

        if (why == UNITS_FINE && starts_number(text[at + used])) {
            why = UNITS_NO_NUMBER;
        }
        if (why != UNITS_FINE) {
            blame(fault, row, text);
            fault->at = at;
            fault->length = strcspn(text + at, BLANKS);
            if (units_advice(why) != NULL) {
                (void)snprintf(fault->hint, sizeof fault->hint, "%s", units_advice(why));
            }
            return false;
        }
        if (p->count < SCHEMA_SIZE_MAX) {
            p->number[p->count] = number;
            p->at[p->count] = at;
            p->length[p->count] = used;
        }
        p->count++;
        p->numbers_end = at + used;
        at = p->numbers_end + strspn(text + p->numbers_end, BLANKS);
    } while (starts_number(text[at]));
    p->unit_at = at;
    copy_unit(p, text + at);
    return true;
}

/* Bounds are written in the first unit and values often in another: an excess that only rounding
 * made is none. */
static bool in_range(const struct schema_row *row, double si)
{
    const struct units_row *unit = quantity_unit(row);
    double least = unit != NULL ? units_to_si(unit, row->least) : row->least;
    double greatest = unit != NULL ? units_to_si(unit, row->greatest) : row->greatest;

    return si >= least - fabs(least) * 1e-12 && si <= greatest + fabs(greatest) * 1e-12;
}

static bool all_in_range(const struct schema_row *row, const struct parts *p,
                         const struct units_row *unit)
{
    bool all = true;

    for (int i = 0; i < row->size; i++) {
        all = all && in_range(row, units_to_si(unit, p->number[i]));
    }
    return all;
}

/* A unit is missing: name those that would make a value in range. When only one does and it is
 * not the first, say the value in the first unit as well, so that a wrong guess is seen. */
static void suggest_unit(struct message_fault *fault, const struct schema_row *row,
                         const struct parts *p, const char *text)
{
    const char *list = row->accepts;
    const struct units_row *first = quantity_unit(row);
    const struct units_row *only = NULL;
    char word[SCHEMA_KEY_MAX];
    int numbers = (int)p->numbers_end;
    int fits = 0;
    size_t n = 0;

    while (schema_word(&list, word) && n < sizeof fault->hint) {
        const struct units_row *unit = units_find(word);

        if (unit != NULL && all_in_range(row, p, unit)) {
            n += (size_t)snprintf(fault->hint + n, sizeof fault->hint - n, "%s %.*s %s",
                                  fits == 0 ? "write" : " or", numbers, text, word);
            only = unit;
            fits++;
        }
    }
    if (fits == 1 && only != first && row->size == 1 && n < sizeof fault->hint) {
        char converted[UNITS_PRINT_MAX];

        if (units_print_in(converted, units_to_si(only, p->number[0]), first)) {
            (void)snprintf(fault->hint + n, sizeof fault->hint - n, " or %s %s", converted,
                           first->name);
        }
    }
}

/* "0.1 m 0.2 m": what stands behind the first number holds another. */
static bool unit_repeated(const struct parts *p)
{
    const char *blank = strchr(p->unit, ' ');

    return blank != NULL && starts_number(blank[1]);
}

static void blame_unit(struct message_fault *fault, const struct schema_row *row,
                       const struct parts *p, const char *text)
{
    const struct units_row *first = quantity_unit(row);
    const struct units_row *slip = first != NULL ? units_slip(p->unit, first->si) : NULL;
    char units[80];

    blame(fault, row, text);
    if (p->unit[0] == '\0') {
        suggest_unit(fault, row, p, text);
        return;
    }
    fault->at = p->unit_at;
    fault->length = strlen(text) - p->unit_at;
    schema_choice(units, sizeof units, row->accepts);
    if (first == NULL) {
        (void)snprintf(fault->hint, sizeof fault->hint, "write %.*s", (int)p->numbers_end, text);
    } else if (slip != NULL) {
        (void)snprintf(fault->hint, sizeof fault->hint, "did you mean %s?", slip->name);
    } else if (unit_repeated(p)) {
        (void)snprintf(fault->hint, sizeof fault->hint,
                       "write the unit once, behind the last number");
    } else {
        (void)snprintf(fault->hint, sizeof fault->hint, "use %s", units);
    }
}

static void blame_range(struct message_fault *fault, const struct schema_row *row,
                        const struct parts *p, int i, double si, const char *text)
{
    const struct units_row *first = quantity_unit(row);
    bool low = si < (first != NULL ? units_to_si(first, row->least) : row->least);
    const char *blank = first != NULL ? " " : "";
    const char *name = first != NULL ? first->name : "";
    char bound[UNITS_PRINT_MAX];
    char range[MESSAGE_PHRASE_MAX];
    char is[2 * UNITS_PRINT_MAX] = "";

    blame(fault, row, text);
    quantity_range(range, row);
    (void)snprintf(fault->expected, sizeof fault->expected, "%s%.*s",
                   row->size > 1 ? "each number from " : "", MESSAGE_PHRASE_MAX - 20, range);
    if (row->size > 1) {
        fault->at = p->at[i];
        fault->length = p->length[i];
        message_quote(fault->found, text + fault->at, fault->length);
    }
    if (first != NULL && isfinite(si) && strcmp(p->unit, first->name) != 0) {
        char number[UNITS_PRINT_MAX];

        units_print_number(number, si * first->over / first->times);
        (void)snprintf(is, sizeof is, "that is %s %s; ", number, first->name);
    }
    units_print_number(bound, low ? row->least : row->greatest);
    (void)snprintf(fault->hint, sizeof fault->hint, "%swrite %s %s%s%s", is,
                   low ? "at least" : "at most", bound, blank, name);
}

static bool convert(double *si, const struct schema_row *row, const struct parts *p,
                    const struct units_row *unit, const char *text, struct message_fault *fault)
{
    for (int i = 0; i < row->size; i++) {
        double number = p->number[i];

        si[i] = unit != NULL ? units_to_si(unit, number) : number;
        if (!isfinite(si[i]) || !in_range(row, si[i])) {
            blame_range(fault, row, p, i, si[i], text);
            return false;
        }
        if (fabs(si[i]) < DBL_MIN && !units_same(number, 0)) {
            blame(fault, row, text);
            (void)snprintf(fault->hint, sizeof fault->hint, "%s", units_advice(UNITS_TOO_SMALL));
            return false;
        }
    }
    return true;
}

/* Say why nine numbers are not the inertia of a body. */
static bool check_inertia(const double m[static 9], const struct schema_row *row,
                          const struct parts *p, const char *text, struct message_fault *fault)
{
    int a = 0;
    int b = 0;
    const char *wanted = inertia_lacks(m, &a, &b);

    if (wanted == NULL) {
        return true;
    }
    blame(fault, row, text);
    (void)snprintf(fault->expected, sizeof fault->expected, "%s", wanted);
    (void)snprintf(fault->hint, sizeof fault->hint,
                   "the order is Ixx Ixy Ixz, Iyx Iyy Iyz, Izx Izy Izz");
    if (a != b) {
        fault->at = p->at[b];
        fault->length = p->length[b];
        (void)snprintf(fault->found, sizeof fault->found, "I%c%c %.*s and I%c%c %.*s", "xyz"[a / 3],
                       "xyz"[a % 3], (int)p -> length[a], text + p -> at[a], "xyz"[b / 3],
                       "xyz"[b % 3], (int)p -> length[b], text + p -> at[b]);
    }
    return false;
}

bool quantity_read(double si[static SCHEMA_SIZE_MAX], const struct schema_row *row,
                   const char *text, struct message_fault *fault)
{
    const struct units_row *first = quantity_unit(row);
    struct parts p;

    if (!take_apart(&p, row, text, fault)) {
        return false;
    }
    if (p.count != row->size && !unit_repeated(&p)) {
        blame(fault, row, text);
        (void)snprintf(fault->found, sizeof fault->found, "%d", p.count);
        return false;
    }
    const struct units_row *unit = units_find(p.unit);

    if (first != NULL ? unit == NULL || strcmp(unit->si, first->si) != 0 : p.unit[0] != '\0') {
        blame_unit(fault, row, &p, text);
        return false;
    }
    if (!convert(si, row, &p, unit, text, fault)) {
        return false;
    }
    return row->type != SCHEMA_INERTIA || check_inertia(si, row, &p, text, fault);
}

void quantity_print(char out[static QUANTITY_PRINT_MAX], const struct schema_row *row,
                    const double si[static SCHEMA_SIZE_MAX])
{
    const struct units_row *unit = quantity_unit(row);
    char number[UNITS_PRINT_MAX];
    size_t n = 0;

    unit = unit != NULL ? units_exact(si, row->size, unit) : NULL;
    out[0] = '\0';
    for (int i = 0; i < row->size && n < QUANTITY_PRINT_MAX; i++) {
        if (unit == NULL || !units_print_in(number, si[i], unit)) {
            units_print_number(number, si[i]);
        }
        n += (size_t)snprintf(out + n, QUANTITY_PRINT_MAX - n, "%s%s", i > 0 ? " " : "", number);
    }
    if (unit != NULL && n < QUANTITY_PRINT_MAX) {
        (void)snprintf(out + n, QUANTITY_PRINT_MAX - n, " %s", unit->name);
    }
}
