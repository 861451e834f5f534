/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rsi_config.c - freefall rsi-config: the robot's half of an RSI link, written from our half so that they agree. */
#include "tools/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rt/robots.h"

enum { ROBOT, OUT, COMPARE };

const struct command_option rsi_config_options[] = {
    {"--robot", "NAME", "client or servicer; needed when two are configured"},
    {"--out", "DIR", "folder for freefall_NAME.xml and freefall_NAME.src; default: here"},
    {"--compare", "FILE", "an Ethernet file of the robot: name every difference, write nothing"},
    {NULL, NULL, NULL},
};

#define LINES_MAX 64
#define LINE_MAX  160

/* One fact of the Ethernet file: what it is called in messages, what it must be. */
struct fact {
    char name[96], value[64];
    int line; /* where it stood, 0: not there */
};

struct facts {
    int count;
    struct fact fact[LINES_MAX];
};

struct work {
    struct config config;
    struct rsi_link_model model[ROBOTS_MAX];
    int count, chosen;
    struct facts ours, theirs;
};

static void add(struct facts *f, int line, const char *name, const char *part, const char *value)
{
    if (f->count < LINES_MAX) {
        struct fact *x = &f->fact[f->count++];

        snprintf(x->name, sizeof x->name, "%.60s%s%.30s", name, part[0] != '\0' ? " " : "", part);
        snprintf(x->value, sizeof x->value, "%.63s", value);
        x->line = line;
    }
}

static void element(struct facts *f, const char *side, const char *tag, const char *type,
                    const char *index, const char *holdon)
{
    char name[112];

    snprintf(name, sizeof name, "%s %s", side, tag);
    add(f, 0, name, "TYPE", type);
    add(f, 0, name, "INDX", index);
    if (holdon) {
        add(f, 0, name, "HOLDON", holdon);
    }
}

/* What the Ethernet file must say. */
static void want(struct facts *f, const struct rsi_link_model *m)
{
    const struct rsi_tags *t = &m->rsi.tags;
    char text[96], number[16];

    f->count = 0;
    add(f, 0, "IP_NUMBER", "", m->address);
    snprintf(number, sizeof number, "%u", m->port);
    add(f, 0, "PORT", "", number);
    add(f, 0, "SENTYPE", "", t->type);
    add(f, 0, "ONLYSEND", "", "FALSE");
    snprintf(text, sizeof text, "DEF_%s", t->pose);
    element(f, "SEND", text, "DOUBLE", "INTERNAL", NULL);
    snprintf(text, sizeof text, "DEF_%s", t->axes);
    element(f, "SEND", text, "DOUBLE", "INTERNAL", NULL);
    snprintf(text, sizeof text, "DEF_%s", t->delay);
    element(f, "SEND", text, "LONG", "INTERNAL", NULL);
    if (t->text[0] != '\0') {
        snprintf(text, sizeof text, "DEF_%s", t->text);
        element(f, "RECEIVE", text, "STRING", "INTERNAL", NULL);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "%s.%s", t->correction, t->channel[i]);
        snprintf(number, sizeof number, "%d", i + 1);
        element(f, "RECEIVE", text, "DOUBLE", number, "1");
    }
    if (t->stop[0] != '\0') {
        element(f, "RECEIVE", t->stop, "BOOL", "7", "1");
    }
}

static void write_element(FILE *out, const struct facts *f, int *i)
{
    const char *name = f->fact[*i].name;
    const char *tag = strchr(name, ' ') + 1;
    const int n = (int)strcspn(tag, " ");

    fprintf(out, "      <ELEMENT TAG=\"%.*s\" TYPE=\"%s\" INDX=\"%s\"", n, tag, f->fact[*i].value,
            f->fact[*i + 1].value);
    *i += 2;
    if (*i < f->count && strstr(f->fact[*i].name, " HOLDON")) {
        fprintf(out, " HOLDON=\"%s\"", f->fact[(*i)++].value);
    }
    fprintf(out, " />\n");
}

static void write_ethernet(FILE *out, const struct facts *f)
{
    int i = 4;

    fprintf(out,
            "<ROOT>\n  <CONFIG>\n    <IP_NUMBER>%s</IP_NUMBER>\n    <PORT>%s</PORT>\n    "
            "<SENTYPE>%s</SENTYPE>\n"
            "    <ONLYSEND>%s</ONLYSEND>\n  </CONFIG>\n  <SEND>\n    <ELEMENTS>\n",
            f->fact[0].value, f->fact[1].value, f->fact[2].value, f->fact[3].value);
    while (i < f->count && strncmp(f->fact[i].name, "SEND", 4) == 0) {
        write_element(out, f, &i);
    }
    fprintf(out, "    </ELEMENTS>\n  </SEND>\n  <RECEIVE>\n    <ELEMENTS>\n");
    while (i < f->count) {
        write_element(out, f, &i);
    }
    fprintf(out, "    </ELEMENTS>\n  </RECEIVE>\n</ROOT>\n");
}

static void write_program(FILE *out, const struct rsi_link_model *m, const struct config *c, int i)
{
    const bool axes = m->rsi.kind == RSI_AXES;
    const double limit =
        axes ? 0.0 : 1e3 * config_item(c, "robots.links[].corr_limit", i)->value.number[0];
    const double turn =
        180.0 / BASE_PI * config_item(c, "robots.links[].corr_turn", i)->value.number[0];

    fprintf(out,
            "&ACCESS RVP\nDEF freefall_%s()\n; Written by freefall rsi-config. The RSI context "
            "freefall_%s must hold:\n"
            ";   ETHERNET  ConfigFile freefall_%s.xml, Timeout %d, Flag 1, Precision 6\n",
            m->name, m->name, m->name, m->timeout);
    if (axes) {
        fprintf(out,
                ";   AXISCORR  limits of A1 to A6 +-%.1f deg, from ETHERNET outputs 1 to 6\n"
                ";   AXISCORRMON  at least %.1f deg\n",
                turn, 1.2 * turn);
    } else {
        fprintf(out,
                ";   POSCORR   limits X Y Z +-%.1f mm, MaxRotAngle %.1f deg, frame BASE, from "
                "ETHERNET outputs 1 to 6\n"
                ";   POSCORRMON  MaxTrans at least %.1f mm, MaxRotAngle at least %.1f deg\n",
                limit, turn, 1.8 * limit, 1.8 * turn);
    }
    if (m->rsi.tags.stop[0] != '\0') {
        fprintf(out, ";   STOP      Mode ExitMoveCorr, from ETHERNET output 7; then verify a real "
                     "1 mm move\n");
    }
    fprintf(out,
            "DECL INT ret, id\nBAS(#INITMOV, 0)\nPTP $AXIS_ACT_MEAS\nret = "
            "RSI_CREATE(\"freefall_%s\", id, TRUE)\n"
            "IF (ret <> RSIOK) THEN\n  HALT\nENDIF\nret = RSI_ON(#ABSOLUTE, %s)\nIF (ret <> RSIOK) "
            "THEN\n  HALT\nENDIF\n"
            "RSI_MOVECORR()\nret = RSI_OFF()\nIF (ret <> RSIOK) THEN\n  HALT\nENDIF\nret = "
            "RSI_DELETE(id)\n"
            "IF (ret <> RSIOK) THEN\n  HALT\nENDIF\nEND\n",
            m->name, m->rsi.cycle_ns > 8000000 ? "#IPO" : "#IPO_FAST");
}

static int write_file(const char *folder, const char *robot, const char *ending, struct work *w)
{
    char path[512];
    FILE *out;
    int error = 0;

    snprintf(path, sizeof path, "%.400s/freefall_%.15s.%s", folder, robot, ending);
    out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "freefall rsi-config: %s: %s; expected a folder that can be written\n",
                path, strerror(errno));
        return COMMAND_INTERNAL;
    }
    if (strcmp(ending, "xml") == 0) {
        write_ethernet(out, &w->ours);
    } else {
        write_program(out, &w->model[w->chosen], &w->config, w->chosen);
    }
    error = ferror(out);
    if (fclose(out) != 0 || error != 0) {
        fprintf(stderr, "freefall rsi-config: %s: %s\n", path, strerror(errno));
        return COMMAND_INTERNAL;
    }
    printf("%s\n", path);
    return COMMAND_PASS;
}

/* Text of a line between <name> and </name>. */
static bool between(const char *line, const char *name, char out[static 64])
{
    char open[64], close[64];
    const char *at, *end;

    snprintf(open, sizeof open, "<%s>", name);
    snprintf(close, sizeof close, "</%s>", name);
    at = strstr(line, open);
    end = at ? strstr(at, close) : NULL;
    if (!end) {
        return false;
    }
    at += strlen(open);
    snprintf(out, 64, "%.*s", (int)(end - at < 63 ? end - at : 63), at);
    return true;
}

static bool attribute(const char *text, const char *name, char out[static 64])
{
    char open[32];
    const char *at;
    size_t n;

    snprintf(open, sizeof open, " %s=\"", name);
    at = strstr(text, open);
    if (!at) {
        return false;
    }
    at += strlen(open);
    n = strcspn(at, "\"");
    snprintf(out, 64, "%.*s", (int)(n < 63 ? n : 63), at);
    return true;
}

/* One line of the robot's file; elements stand on lines of their own there, as the vendor's editor and we write them. */
static void read_line(struct facts *f, const char *line, int number, const char **side)
{
    static const char *const heads[] = {"IP_NUMBER", "PORT", "SENTYPE", "ONLYSEND"};
    static const char *const parts[] = {"TYPE", "INDX", "HOLDON"};
    char value[64], tag[64], name[96];

    *side = strstr(line, "<SEND>") ? "SEND" : strstr(line, "<RECEIVE>") ? "RECEIVE" : *side;
    for (size_t i = 0; i < COUNT_OF(heads); i++) {
        if (between(line, heads[i], value)) {
            add(f, number, heads[i], "", value);
        }
    }
    for (const char *at = strstr(line, "<ELEMENT "); at; at = strstr(at + 1, "<ELEMENT ")) {
        char one[LINE_MAX * 2];

        snprintf(one, sizeof one, "%.*s", (int)strcspn(at, ">"), at);
        if (!attribute(one, "TAG", tag)) {
            continue;
        }
        snprintf(name, sizeof name, "%.8s %.63s", *side, tag);
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
            if (attribute(one, parts[i], value)) {
                add(f, number, name, parts[i], value);
            }
        }
    }
}

static const struct fact *find(const struct facts *f, const char *name)
{
    for (int i = 0; i < f->count; i++) {
        if (strcmp(f->fact[i].name, name) == 0) {
            return &f->fact[i];
        }
    }
    return NULL;
}

static int compare(struct work *w, const char *path)
{
    FILE *in = fopen(path, "r");
    char line[4096];
    const char *side = "?";
    int differences = 0;

    if (!in) {
        fprintf(stderr, "freefall rsi-config: %s: %s\n", path, strerror(errno));
        return COMMAND_MISSING;
    }
    for (int number = 1; fgets(line, sizeof line, in); number++) {
        read_line(&w->theirs, line, number, &side);
    }
    fclose(in);
    for (int i = 0; i < w->ours.count; i++) {
        const struct fact *a = &w->ours.fact[i], *b = find(&w->theirs, a->name);

        if (!b) {
            printf("%s: %s: expected \"%s\", found nothing\n", path, a->name, a->value);
            differences++;
        } else if (strcmp(a->value, b->value) != 0) {
            printf("%s:%d: %s: expected \"%s\", found \"%s\"\n", path, b->line, a->name, a->value,
                   b->value);
            differences++;
        }
    }
    for (int i = 0; i < w->theirs.count;
         i++) { /* more to send is fine, more to receive is never filled by us */
        const struct fact *b = &w->theirs.fact[i];

        if (strncmp(b->name, "RECEIVE", 7) == 0 && !find(&w->ours, b->name)) {
            printf("%s:%d: %s: expected nothing, found \"%s\": we never send it\n", path, b->line,
                   b->name, b->value);
            differences++;
        }
    }
    printf("%d differences\n", differences);
    return differences == 0 ? COMMAND_PASS : COMMAND_FAIL;
}

static int choose(struct work *w, const char *name)
{
    for (int i = 0; i < w->count; i++) {
        if (name ? strcmp(w->model[i].name, name) == 0 : w->count == 1) {
            w->chosen = i;
            return COMMAND_PASS;
        }
    }
    return command_refuse("rsi-config",
                          name ? "--robot: expected a robot of robots.links, found \"%s\""
                               : "expected --robot client or --robot servicer%s",
                          name ? name : "");
}

static int start(struct work *w, char **argv, const char *const *value)
{
    const char *folder = value[OUT] ? value[OUT] : ".";
    int code;

    if (config_read(&w->config, argv[1], stderr) != 0) {
        return COMMAND_CONFIG;
    }
    w->count = robots_models(w->model, &w->config, stderr);
    if (w->count <= 0) {
        if (w->count == 0) {
            fprintf(stderr, "%s: error: robots.links: expected at least one robot, found none\n",
                    argv[1]);
        }
        return COMMAND_CONFIG;
    }
    code = choose(w, value[ROBOT]);
    if (code != COMMAND_PASS) {
        return code;
    }
    want(&w->ours, &w->model[w->chosen]);
    if (value[COMPARE]) {
        return compare(w, value[COMPARE]);
    }
    code = write_file(folder, w->model[w->chosen].name, "xml", w);
    return code == COMMAND_PASS ? write_file(folder, w->model[w->chosen].name, "src", w) : code;
}

int rsi_config_main(int argc, char **argv)
{
    const char *value[3];
    const int operands = command_parse(rsi_config_options, value, argc, argv, 1);
    struct work *w;
    int code;

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    if (operands != 1) {
        return command_refuse("rsi-config", "expected a configuration");
    }
    w = (struct work *)calloc(1, sizeof *w);
    if (!w) {
        perror("freefall rsi-config");
        return COMMAND_INTERNAL;
    }
    code = start(w, argv, value);
    free(w);
    return code;
}
