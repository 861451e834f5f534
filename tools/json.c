/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json.c - writes one JSON document (RFC 8259) to a stream, indented by two spaces.
 *
 * Members of an object and the objects and arrays inside an array have a line each; numbers, strings and
 * booleans of an array follow one another on a line, so that a vector looks like one.
 *
 * Numbers rely on the decimal point of the "C" locale: the program never calls setlocale().
 */
#include "tools/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_open(struct json *j, FILE *out)
{
    memset(j, 0, sizeof *j);
    j->out = out;
}

int json_close(struct json *j)
{
    if (j->error == 0 && (j->depth != 0 || !j->done)) {
        j->error = -EINVAL;
    }
    if (j->error == 0 && (fputc('\n', j->out) == EOF || fflush(j->out) != 0 || ferror(j->out))) {
        j->error = -EIO;
    }
    return j->error;
}

/* Length of the well-formed UTF-8 sequence at s (Unicode table 3-7: no overlong forms, no surrogates,
 * nothing above U+10FFFF); 0 when there is none. The end of the string stops it like a wrong byte. */
static int sequence_length(const unsigned char *s)
{
    unsigned char least = 0x80;
    unsigned char greatest = 0xBF;
    int n;

    if (s[0] < 0x80) {
        return 1;
    }
    if (s[0] < 0xC2 || s[0] > 0xF4) {
        return 0;
    }
    n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (s[0] == 0xE0) {
        least = 0xA0;
    } else if (s[0] == 0xED) {
        greatest = 0x9F;
    } else if (s[0] == 0xF0) {
        least = 0x90;
    } else if (s[0] == 0xF4) {
        greatest = 0x8F;
    }
    if (s[1] < least || s[1] > greatest) {
        return 0;
    }
    for (int i = 2; i < n; i++) {
        if (s[i] < 0x80 || s[i] > 0xBF) {
            return 0;
        }
    }
    return n;
}

static void write_control(FILE *out, unsigned char c)
{
    static const char letters[] = "btn\0fr"; /* 0x08 to 0x0D; vertical tab has no letter */

    if (c >= 0x08 && c <= 0x0D && letters[c - 0x08] != '\0') {
        fprintf(out, "\\%c", letters[c - 0x08]);
    } else {
        fprintf(out, "\\u%04x", c);
    }
}

static void write_quoted(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    fputc('"', out);
    while (*s != '\0') {
        int n = sequence_length(s);

        if (n == 0) {
            fputs("\xEF\xBF\xBD", out);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s < 0x20) {
            write_control(out, *s);
        } else {
            fwrite(s, 1, (size_t)n, out);
        }
        s += n;
    }
    fputc('"', out);
}

static void write_line_start(const struct json *j, int depth)
{
    fprintf(j->out, "\n%*s", 2 * depth, "");
}

/* What stands before a value: comma, line, name. False when no value may stand here. */
static bool begin_value(struct json *j, const char *name, bool own_line)
{
    int top = j->depth - 1;
    bool named = top >= 0 && j->open[top] == '{';

    if (j->error == 0 && (named != (name != NULL) || (top < 0 && j->done))) {
        j->error = -EINVAL;
    }
    if (j->error != 0) {
        return false;
    }
    if (top >= 0) {
        if (j->filled[top]) {
            fputc(',', j->out);
        }
        if (own_line || named) {
            write_line_start(j, j->depth);
            j->lines[top] = true;
        } else if (j->filled[top]) {
            fputc(' ', j->out);
        }
        j->filled[top] = true;
    }
    if (name != NULL) {
        write_quoted(j->out, name);
        fputs(": ", j->out);
    }
    j->done = true;
    return true;
}

static void open_level(struct json *j, const char *name, char bracket)
{
    if (j->error == 0 && j->depth == JSON_DEPTH_MAX) {
        j->error = -EINVAL;
    }
    if (begin_value(j, name, true)) {
        fputc(bracket, j->out);
        j->open[j->depth] = bracket;
        j->filled[j->depth] = false;
        j->lines[j->depth] = false;
        j->depth++;
    }
}

void json_object(struct json *j, const char *name)
{
    open_level(j, name, '{');
}

void json_array(struct json *j, const char *name)
{
    open_level(j, name, '[');
}

void json_end(struct json *j)
{
    if (j->error == 0 && j->depth == 0) {
        j->error = -EINVAL;
    }
    if (j->error != 0) {
        return;
    }
    j->depth--;
    if (j->lines[j->depth]) {
        write_line_start(j, j->depth);
    }
    fputc(j->open[j->depth] == '{' ? '}' : ']', j->out);
}

void json_string(struct json *j, const char *name, const char *value)
{
    if (value == NULL) {
        json_null(j, name);
    } else if (begin_value(j, name, false)) {
        write_quoted(j->out, value);
    }
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void json_number(struct json *j, const char *name, double value)
{
    char text[32];

    if (!isfinite(value)) {
        json_null(j, name);
        return;
    }
    if (!begin_value(j, name, false)) {
        return;
    }
    /* 17 significant digits always read back as the same double; often far fewer do. */
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (bits_of(strtod(text, NULL)) == bits_of(value)) {
            break;
        }
    }
    /* "7800", not "7.8e+03": a whole number below 1e15 has all its digits in 15. */
    if (fabs(value) < 1e15 && strstr(text, "e+") != NULL) {
        snprintf(text, sizeof text, "%.15g", value);
    }
    fputs(text, j->out);
}

void json_integer(struct json *j, const char *name, int64_t value)
{
    if (begin_value(j, name, false)) {
        fprintf(j->out, "%" PRId64, value);
    }
}

void json_bool(struct json *j, const char *name, bool value)
{
    if (begin_value(j, name, false)) {
        fputs(value ? "true" : "false", j->out);
    }
}

void json_null(struct json *j, const char *name)
{
    if (begin_value(j, name, false)) {
        fputs("null", j->out);
    }
}
