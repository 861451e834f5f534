/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_parse.c - see rsi_parse.h. */
#include "drivers/rsi_parse.h"

#include "drivers/rsi_number.h"

#define DEPTH_MAX      4
#define ATTRIBUTES_MAX 32
#define DEGREE         (BASE_PI / 180.0)

/* A piece of the telegram. */
struct piece {
    const char *at;
    size_t n;
};

struct reader {
    const char *at, *end;
    const struct rsi_tags *tags;
    struct rsi_telegram *t;
    struct piece open[DEPTH_MAX];
    int depth;
    bool has_ipoc;
    enum rsi_reject reject;
};

const char *rsi_reject_name(enum rsi_reject reason)
{
    static const char *const names[RSI_REJECTS] = {
        "understood", "empty",      "too long", "cut",     "syntax", "declaration", "too deep",
        "too wide",   "other root", "doubled",  "missing", "number", "no IPOC",     "bad IPOC"};

    return (unsigned)reason < RSI_REJECTS ? names[reason] : "?";
}

RT_SAFE static bool fail(struct reader *r, enum rsi_reject reason)
{
    r->reject = reason;
    return false;
}

RT_SAFE static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

RT_SAFE static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && blank(*r->at)) {
        r->at++;
    }
}

RT_SAFE static bool is(const struct piece *p, const char *name)
{
    size_t i = 0;

    while (i < p->n &&
           name[i] == p->at[i]) { /* a piece holds no zero, so the name cannot be overrun */
        i++;
    }
    return i == p->n && name[i] == '\0';
}

RT_SAFE static bool same(const struct piece *a, const struct piece *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

RT_SAFE static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == ':';
}

RT_SAFE static bool read_name(struct reader *r, struct piece *name)
{
    name->at = r->at;
    while (r->at < r->end && name_char(*r->at)) {
        r->at++;
    }
    name->n = (size_t)(r->at - name->at);
    if (r->at >= r->end) {
        return fail(r, RSI_CUT);
    }
    if (name->n == 0) {
        return fail(r, *r->at == '!' || *r->at == '?' ? RSI_DECLARATION : RSI_SYNTAX);
    }
    return name->n < RSI_NAME_MAX || fail(r, RSI_WIDTH);
}

RT_SAFE static bool read_value(struct reader *r, struct piece *value)
{
    char quote;

    skip_blanks(r);
    if (r->at >= r->end) {
        return fail(r, RSI_CUT);
    }
    if (*r->at++ != '=') {
        return fail(r, RSI_SYNTAX);
    }
    skip_blanks(r);
    if (r->at >= r->end) {
        return fail(r, RSI_CUT);
    }
    quote = *r->at++;
    if (quote != '"' && quote != '\'') {
        return fail(r, RSI_SYNTAX);
    }
    value->at = r->at;
    while (r->at < r->end && *r->at != quote) {
        if (*r->at == '<' || *r->at == '&' || *r->at == '\0') {
            return fail(r, *r->at == '&' ? RSI_DECLARATION : RSI_SYNTAX);
        }
        r->at++;
    }
    if (r->at >= r->end) {
        return fail(r, RSI_CUT);
    }
    value->n = (size_t)(r->at++ - value->at);
    return value->n < RSI_NAME_MAX || fail(r, RSI_WIDTH);
}

/* Six numbers of an element whose attributes are the names, scaled to SI. */
RT_SAFE static bool read_six(struct reader *r, double out[static 6],
                             const char *const names[static 6], double first_three,
                             const struct piece *attribute, int count)
{
    int found = 0;

    for (int k = 0; k < count; k += 2) {
        for (int i = 0; i < 6; i++) {
            if (is(&attribute[k], names[i])) {
                if (!rsi_number_read(&out[i], attribute[k + 1].at, attribute[k + 1].n)) {
                    return fail(r, RSI_NUMBER);
                }
                out[i] *= i < 3 ? first_three : DEGREE;
                found++;
                break;
            }
        }
    }
    return found == 6 || fail(r, RSI_MISSING);
}

/* Take what an element that just began says by its attributes, pairs of name and value. */
RT_SAFE static bool take_attributes(struct reader *r, const struct piece *name,
                                    const struct piece *attribute, int count)
{
    static const char *const pose[6] = {"X", "Y", "Z", "A", "B", "C"};
    static const char *const axes[6] = {"A1", "A2", "A3", "A4", "A5", "A6"};
    struct rsi_telegram *t = r->t;
    bool *had = is(name, r->tags->pose)    ? &t->has_pose
                : is(name, r->tags->axes)  ? &t->has_axes
                : is(name, r->tags->delay) ? &t->has_delay
                                           : NULL;

    if (!had) {
        return true;
    }
    if (*had) {
        return fail(r, RSI_DOUBLE);
    }
    *had = true;
    if (had == &t->has_pose) {
        return read_six(r, t->pose, pose, 1e-3, attribute, count);
    }
    if (had == &t->has_axes) {
        return read_six(r, t->axes, axes, DEGREE, attribute, count);
    }
    for (int k = 0; k < count; k += 2) {
        if (is(&attribute[k], r->tags->delay_value)) {
            return rsi_number_integer(&t->delay, attribute[k + 1].at, attribute[k + 1].n) ||
                   fail(r, RSI_NUMBER);
        }
    }
    return fail(r, RSI_MISSING);
}

/* "<name a="1" ...>" or "/>"; at is behind "<". */
RT_SAFE static bool read_start(struct reader *r, bool *closed)
{
    struct piece attribute[2 * ATTRIBUTES_MAX], name;
    int count = 0;

    if (!read_name(r, &name)) {
        return false;
    }
    if (r->depth == 0 && !is(&name, r->tags->root)) {
        return fail(r, RSI_ROOT);
    }
    for (;;) {
        const char *before = r->at;

        skip_blanks(r);
        if (r->at >= r->end) {
            return fail(r, RSI_CUT);
        }
        if (*r->at == '>' || *r->at == '/') {
            break;
        }
        if (r->at == before) {
            return fail(r, RSI_SYNTAX);
        }
        if (count == 2 * ATTRIBUTES_MAX) {
            return fail(r, RSI_WIDTH);
        }
        if (!read_name(r, &attribute[count]) || !read_value(r, &attribute[count + 1])) {
            return false;
        }
        for (int k = 0; k < count; k += 2) {
            if (same(&attribute[k], &attribute[count])) {
                return fail(r, RSI_DOUBLE);
            }
        }
        count += 2;
    }
    *closed = *r->at == '/';
    r->at += *closed;
    if (r->at >= r->end) {
        return fail(r, RSI_CUT);
    }
    if (*r->at++ != '>') {
        return fail(r, RSI_SYNTAX);
    }
    if (!*closed) {
        if (r->depth == DEPTH_MAX) {
            return fail(r, RSI_DEPTH);
        }
        r->open[r->depth++] = name;
    }
    return take_attributes(r, &name, attribute, count);
}

/* "</name>"; at is behind "</". */
RT_SAFE static bool read_stop(struct reader *r)
{
    struct piece name;

    if (!read_name(r, &name)) {
        return false;
    }
    skip_blanks(r);
    if (r->at >= r->end) {
        return fail(r, RSI_CUT);
    }
    if (*r->at++ != '>' || !same(&name, &r->open[r->depth - 1])) {
        return fail(r, RSI_SYNTAX);
    }
    r->depth--;
    return true;
}

RT_SAFE static bool take_ipoc(struct reader *r, const struct piece *text)
{
    if (r->has_ipoc) {
        return fail(r, RSI_DOUBLE);
    }
    r->has_ipoc = true;
    return rsi_number_integer(&r->t->ipoc, text->at, text->n) || fail(r, RSI_BAD_IPOC);
}

/* Text up to the next "<": only blanks, or the whole content of an innermost element. */
RT_SAFE static bool read_text(struct reader *r, bool just_opened)
{
    struct piece text;

    skip_blanks(r);
    text.at = r->at;
    while (r->at < r->end && *r->at != '<') {
        if (*r->at == '&' || *r->at == '\0') {
            return fail(r, *r->at == '&' ? RSI_DECLARATION : RSI_SYNTAX);
        }
        r->at++;
    }
    if (r->at >= r->end) {
        return fail(r, RSI_CUT);
    }
    text.n = (size_t)(r->at - text.at);
    while (text.n > 0 && blank(text.at[text.n - 1])) {
        text.n--;
    }
    if (just_opened && r->depth == 2 && is(&r->open[1], r->tags->ipoc)) {
        return take_ipoc(r, &text);
    }
    if (text.n == 0) {
        return true;
    }
    if (!just_opened || r->depth < 2 || r->at + 1 >= r->end || r->at[1] != '/') {
        return fail(r, RSI_SYNTAX);
    }
    return text.n < 4 * RSI_NAME_MAX || fail(r, RSI_WIDTH);
}

RT_SAFE static bool read_root(struct reader *r)
{
    bool closed = false, just_opened = true;

    skip_blanks(r);
    if (r->at >= r->end || *r->at == '\0') {
        return fail(r, RSI_EMPTY);
    }
    if (*r->at++ != '<') {
        return fail(r, RSI_SYNTAX);
    }
    if (!read_start(r, &closed)) {
        return false;
    }
    while (r->depth > 0) {
        if (!read_text(r, just_opened)) {
            return false;
        }
        r->at++;
        if (r->at >= r->end) {
            return fail(r, RSI_CUT);
        }
        if (*r->at == '/') {
            r->at++;
            just_opened = false;
            if (!read_stop(r)) {
                return false;
            }
        } else {
            if (!read_start(r, &closed)) {
                return false;
            }
            just_opened = !closed;
        }
    }
    while (r->at < r->end && (blank(*r->at) || *r->at == '\0')) {
        r->at++;
    }
    return r->at == r->end || fail(r, RSI_SYNTAX);
}

enum rsi_reject rsi_parse(struct rsi_telegram *t, const struct rsi_model *m, const char *bytes,
                          size_t n)
{
    struct reader r = {.at = bytes, .end = bytes + n, .tags = &m->tags, .t = t};

    memset(t, 0, sizeof *t);
    if (n == 0) {
        return RSI_EMPTY;
    }
    if (n > RSI_TELEGRAM_MAX) {
        return RSI_TOO_LONG;
    }
    if (!read_root(&r)) {
        return r.reject;
    }
    if (!r.has_ipoc) {
        return RSI_NO_IPOC;
    }
    return (m->kind == RSI_POSE ? t->has_pose : t->has_axes) ? RSI_UNDERSTOOD : RSI_MISSING;
}
