/* SPDX-License-Identifier: GPL-3.0-or-later */
/* krc_text.c - what the simulated robot controller writes and how it reads. It shares no code with our own side. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lab/krc.h"

struct text {
    char *out;
    int used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(t->out + t->used, (size_t)(KRC_TELEGRAM_MAX - t->used), format, arguments);
    va_end(arguments);
    t->used = n > 0 && t->used + n < KRC_TELEGRAM_MAX ? t->used + n : t->used;
}

static void put_six(struct text *t, const char *name, const char *const names[static 6],
                    const double x[static 6], int precision)
{
    put(t, "<%s", name);
    for (int i = 0; i < 6; i++) {
        put(t, " %s=\"%.*f\"", names[i], precision, x[i]);
    }
    put(t, " />");
}

int krc_write(const struct krc_model *m, const struct krc *k, char out[static KRC_TELEGRAM_MAX])
{
    static const char *const pose[6] = {"X", "Y", "Z", "A", "B", "C"};
    static const char *const axes[6] = {"A1", "A2", "A3", "A4", "A5", "A6"};
    static const double still[6] = {0.0, -90.0, 90.0, 0.0, 45.0, 0.0};
    const char *line = m->pretty ? "\r\n  " : "";
    struct text t = {out, 0};

    put(&t, "<Rob %s=\"KUKA\">%s", m->shout ? "TYPE" : "Type", line);
    if (!m->axes) {
        put_six(&t, "RIst", pose, k->place, m->precision);
        put(&t, "%s", line);
        put_six(&t, "RSol", pose, k->start, m->precision);
        put(&t, "%s", line);
    }
    put_six(&t, "AIPos", axes, m->axes ? k->place : still, m->precision);
    put(&t, "%s", line);
    put_six(&t, "ASPos", axes, m->axes ? k->start : still, m->precision);
    put(&t, "%s<Delay D=\"%" PRIu64 "\" />%s<Digout o1=\"0\" o2=\"0\" o3=\"0\" />%s<DiL>0</DiL>%s",
        line, k->late, line, line, line);
    put(&t, "<IPOC>%" PRIu64 "</IPOC>%s</Rob>%s", k->ipoc, m->pretty ? "\r\n" : "",
        m->pretty ? "\r\n" : "");
    return t.used;
}

/* Text between <name> and </name>, NULL if it is not there. */
static const char *element(const char *text, const char *name, char close[static 64])
{
    char open[64];
    const char *at;

    snprintf(open, sizeof open, "<%s>", name);
    snprintf(close, 64, "</%s>", name);
    at = strstr(text, open);
    return at && strstr(at, close) ? at + strlen(open) : NULL;
}

static bool attribute(const char *from, const char *to, const char *name, double *x)
{
    char wanted[64];
    char *end;
    const char *at;

    snprintf(wanted, sizeof wanted, " %s=\"", name);
    at = strstr(from, wanted);
    if (!at || at > to) {
        return false;
    }
    *x = strtod(at + strlen(wanted), &end);
    return *end == '"' && base_finite(*x);
}

void krc_read(const struct krc_model *m, struct krc_heard *h, const char *bytes, int n)
{
    char text[KRC_TELEGRAM_MAX], begin[64], close[64], *end;
    const char *at, *to;

    memset(h, 0, sizeof *h);
    snprintf(text, sizeof text, "%.*s", n, bytes);
    snprintf(begin, sizeof begin, "<Sen Type=\"%s\">", m->sentype);
    if (strncmp(text, begin, strlen(begin)) != 0 || n < 6 ||
        strcmp(text + strlen(text) - 6, "</Sen>") != 0) {
        return;
    }
    at = element(text, "IPOC", close);
    h->has_ipoc = at != NULL;
    if (at) {
        h->ipoc = strtoull(at, &end, 10);
        h->has_ipoc = strncmp(end, close, strlen(close)) == 0;
    }
    at = m->stop[0] != '\0' ? element(text, m->stop, close) : NULL;
    h->stop = at && at[0] == '1';
    snprintf(begin, sizeof begin, "<%s ", m->correction);
    at = strstr(text, begin);
    to = at ? strstr(at, "/>") : NULL;
    h->good = h->has_ipoc && to;
    for (int i = 0; i < 6 && h->good; i++) {
        h->good = attribute(at, to, m->channel[i], &h->value[i]);
    }
}
