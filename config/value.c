/* SPDX-License-Identifier: GPL-3.0-or-later */
/* value.c - one value: from its text, checked against its schema row, and back. */
#include "config/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/quantity.h"
#include "config/units.h"

/* "1 to 63" or "at most 63" of something. */
static void expected_length(char *out, const struct schema_row *row, const char *what,
                            const char *of)
{
    if (row->least > 0) {
        (void)snprintf(out, MESSAGE_PHRASE_MAX, "%s of %.0f to %.0f %s", what, row->least,
                       row->greatest, of);
    } else {
        (void)snprintf(out, MESSAGE_PHRASE_MAX, "%s of at most %.0f %s", what, row->greatest, of);
    }
}

void value_expected(char out[static MESSAGE_PHRASE_MAX], const struct schema_row *row)
{
    switch (row->type) {
    case SCHEMA_NUMBER:
    case SCHEMA_INERTIA:
        quantity_expected(out, row);
        break;
    case SCHEMA_INTEGER:
        (void)snprintf(out, MESSAGE_PHRASE_MAX, "a whole number from %.0f to %.0f", row->least,
                       row->greatest);
        break;
    case SCHEMA_CODE:
        (void)snprintf(out, MESSAGE_PHRASE_MAX, "a code from 0x%" PRIx64 " to 0x%" PRIx64,
                       (int64_t)row->least, (int64_t)row->greatest);
        break;
    case SCHEMA_FLAG:
        (void)snprintf(out, MESSAGE_PHRASE_MAX, "true or false");
        break;
    case SCHEMA_WORD:
        schema_choice(out, MESSAGE_PHRASE_MAX, row->accepts);
        break;
    case SCHEMA_NAME:
        expected_length(out, row, "a name", "letters, digits, \".\", \"_\" or \"-\"");
        break;
    case SCHEMA_TEXT:
        expected_length(out, row, "a text", "bytes");
        break;
    case SCHEMA_PATH:
        expected_length(out, row, "a path", "bytes");
        break;
    case SCHEMA_LIST:
        expected_length(out, row, "a list", "items");
        break;
    }
}

static bool blame(struct message_fault *fault, const struct schema_row *row, const char *text)
{
    *fault = (struct message_fault){.length = strlen(text)};
    value_expected(fault->expected, row);
    message_quote(fault->found, text, strlen(text));
    (void)snprintf(fault->hint, sizeof fault->hint, "write for example %s", row->value);
    return false;
}

static bool one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strcasecmp(text, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

static bool read_flag(int64_t *out, const struct schema_row *row, const char *text,
                      struct message_fault *fault)
{
    static const char *const yes[] = {"true", "yes", "on", "y", "1", NULL};
    static const char *const no[] = {"false", "no", "off", "n", "0", NULL};

    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *out = text[0] == 't';
        return true;
    }
    (void)blame(fault, row, text);
    if (one_of(text, yes) || one_of(text, no)) {
        (void)snprintf(fault->hint, sizeof fault->hint, "write %s",
                       one_of(text, yes) ? "true" : "false");
    }
    return false;
}

static bool read_integer(int64_t *out, const struct schema_row *row, const char *text,
                         struct message_fault *fault)
{
    size_t used = 0;
    double number = 0;
    enum units_fault why = units_number(text, &used, &number);
    bool fine = why == UNITS_FINE;
    bool whole = fine && strspn(text, "+-0123456789") >= used;

    (void)blame(fault, row, text);
    if (fine && number >= row->least && number <= row->greatest) {
        int64_t integer = (int64_t)number;

        if (whole && text[used] == '\0') {
            *out = integer;
            return true;
        }
        if (units_same((double)integer, number)) {
            (void)snprintf(fault->hint, sizeof fault->hint, "write %" PRId64, integer);
        }
    } else if (units_advice(why) != NULL) {
        (void)snprintf(fault->hint, sizeof fault->hint, "%s", units_advice(why));
    }
    return false;
}

static bool read_code(int64_t *out, const struct schema_row *row, const char *text,
                      struct message_fault *fault)
{
    bool prefixed = text[0] == '0' && text[1] == 'x';
    size_t n = prefixed ? strspn(text + 2, "0123456789abcdefABCDEF") : 0;
    size_t decimals = strspn(text, "0123456789");

    (void)blame(fault, row, text);
    if (n >= 1 && n <= 8 && text[2 + n] == '\0') {
        int64_t code = (int64_t)strtoull(text + 2, NULL, 16);

        if ((double)code >= row->least && (double)code <= row->greatest) {
            *out = code;
            return true;
        }
    } else if (decimals >= 1 && decimals <= 9 && text[decimals] == '\0') {
        (void)snprintf(fault->hint, sizeof fault->hint,
                       "write it in hexadecimal; decimal %s is 0x%08llx", text,
                       strtoull(text, NULL, 10));
    }
    return false;
}

static bool read_word(char *out, const struct schema_row *row, const char *text,
                      struct message_fault *fault)
{
    const char *list = row->accepts;
    char word[SCHEMA_KEY_MAX];
    int slips = 0;

    (void)blame(fault, row, text);
    while (schema_word(&list, word)) {
        if (strcmp(word, text) == 0) {
            (void)snprintf(out, SCHEMA_TEXT_MAX, "%s", text);
            return true;
        }
        if (schema_similar(text, word, &slips)) {
            (void)snprintf(fault->hint, sizeof fault->hint, "did you mean %s?", word);
        }
    }
    return false;
}

/* The first byte that may not stand in a text of this type. */
static size_t text_fits(const struct schema_row *row, const char *text)
{
    if (row->type == SCHEMA_NAME) {
        return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    }
    return row->type == SCHEMA_PATH ? strcspn(text, "\t\r\n") : strlen(text);
}

/* A name that begins with a point is a hidden file, "." and ".." are folders, "-" begins an
 * option. */
static bool starts_name(char c)
{
    return c != '.' && c != '-';
}

/* The nearest name that is one: "_" for each run of bytes that may not stand in it. */
static void hint_name(char hint[static MESSAGE_PHRASE_MAX], const struct schema_row *row,
                      const char *text)
{
    int begin = snprintf(hint, MESSAGE_PHRASE_MAX, "write ");
    int n = begin;

    for (; *text != '\0' && n + 1 < MESSAGE_PHRASE_MAX; text++) {
        bool fits = text_fits(row, (char[]){*text, '\0'}) == 1 && (n > begin || starts_name(*text));

        if (fits || n == begin || hint[n - 1] != '_') {
            hint[n++] = (char)(fits ? *text : '_');
        }
    }
    hint[n] = '\0';
}

static bool read_text(char *out, const struct schema_row *row, const char *text,
                      struct message_fault *fault)
{
    size_t length = strlen(text);
    size_t fits = text_fits(row, text);

    (void)blame(fault, row, text);
    if (fits < length) {
        fault->at = fits;
        fault->length = 1;
        if (row->type == SCHEMA_NAME && length <= (size_t)row->greatest) {
            hint_name(fault->hint, row, text);
        }
        return false;
    }
    if ((double)length < row->least || (double)length > row->greatest) {
        if (length > 0) {
            (void)snprintf(fault->found, sizeof fault->found, "%zu", length);
            (void)snprintf(fault->hint, sizeof fault->hint, "write a shorter one");
        }
        return false;
    }
    if (row->type == SCHEMA_NAME && length > 0 && !starts_name(text[0])) {
        fault->length = 1;
        (void)snprintf(fault->hint, sizeof fault->hint, "begin with a letter, a digit or \"_\"");
        return false;
    }
    memcpy(out, text, length + 1);
    return true;
}

/* YAML has a word and a sign for no value. */
static bool nothing(const char *text)
{
    static const char *const null[] = {"", "~", "null", NULL};

    return one_of(text, null);
}

/* Types whose value is not a string for other YAML readers stand without quotation marks. A code
 * may have them: JSON, which is YAML too, has no hexadecimal numbers. */
static bool must_be_plain(const struct schema_row *row)
{
    return row->type == SCHEMA_INTEGER || row->type == SCHEMA_FLAG ||
           (row->type == SCHEMA_NUMBER && row->size == 1 && row->accepts[0] == '\0');
}

static bool read_typed(struct value *v, const struct schema_row *row, const char *text,
                       struct message_fault *fault)
{
    switch (row->type) {
    case SCHEMA_NUMBER:
    case SCHEMA_INERTIA:
        return quantity_read(v->number, row, text, fault);
    case SCHEMA_INTEGER:
        return read_integer(&v->integer, row, text, fault);
    case SCHEMA_CODE:
        return read_code(&v->integer, row, text, fault);
    case SCHEMA_FLAG:
        return read_flag(&v->integer, row, text, fault);
    case SCHEMA_WORD:
        return read_word(v->text, row, text, fault);
    case SCHEMA_NAME:
    case SCHEMA_TEXT:
    case SCHEMA_PATH:
        return read_text(v->text, row, text, fault);
    case SCHEMA_LIST:
        break;
    }
    return blame(fault, row, text);
}

bool value_read(struct value *v, const struct schema_row *row, const char *text, bool plain,
                struct message_fault *fault)
{
    struct value read = {.integer = 0};

    if (plain && nothing(text)) {
        (void)blame(fault, row, text);
        (void)snprintf(fault->found, sizeof fault->found, "nothing");
        return false;
    }
    if (!plain && must_be_plain(row)) {
        (void)blame(fault, row, text);
        (void)snprintf(fault->hint, sizeof fault->hint, "write it without quotation marks");
        return false;
    }
    if (!read_typed(&read, row, text, fault)) {
        return false;
    }
    *v = read;
    return true;
}

/* In double quotation marks, with the escapes YAML needs. */
static void print_text(char *out, const char *text)
{
    static const char from[] = "\"\\\n\t\r";
    static const char to[] = "\"\\ntr";
    size_t n = 0;

    out[n++] = '"';
    for (const char *c = text; *c != '\0' && n + 4 < VALUE_PRINT_MAX; c++) {
        const char *escape = strchr(from, *c);

        if (escape != NULL) {
            out[n++] = '\\';
        }
        out[n++] = (char)(escape != NULL ? to[escape - from] : *c);
    }
    out[n++] = '"';
    out[n] = '\0';
}

void value_print(char out[static VALUE_PRINT_MAX], const struct schema_row *row,
                 const struct value *v)
{
    switch (row->type) {
    case SCHEMA_NUMBER:
    case SCHEMA_INERTIA:
        quantity_print(out, row, v->number);
        break;
    case SCHEMA_INTEGER:
    case SCHEMA_LIST:
        (void)snprintf(out, VALUE_PRINT_MAX, "%" PRId64, v->integer);
        break;
    case SCHEMA_CODE:
        (void)snprintf(out, VALUE_PRINT_MAX, "0x%08" PRIx64, v->integer);
        break;
    case SCHEMA_FLAG:
        (void)snprintf(out, VALUE_PRINT_MAX, "%s", v->integer != 0 ? "true" : "false");
        break;
    case SCHEMA_WORD:
        (void)snprintf(out, VALUE_PRINT_MAX, "%s", v->text);
        break;
    case SCHEMA_NAME:
    case SCHEMA_TEXT:
    case SCHEMA_PATH:
        print_text(out, v->text);
        break;
    }
}
