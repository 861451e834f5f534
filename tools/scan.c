/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan.c - freefall scan: which devices hang on the EtherCAT segment, and are they the expected ones? */
#include "tools/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/ethercat.h"
#include "rt/bus.h"
#include "tools/json.h"

enum { JSON };

const struct command_option scan_options[] = {
    {"--json", NULL, "one JSON document"},
    {NULL, NULL, NULL},
};

/* All that a call needs; too large for the stack. */
struct work {
    struct ethercat bus;
    struct ethercat_model model; /* count 0: nothing is expected, everything is right */
    struct config config;
};

/* Verdict of a position, from 0; without a configuration what is there is right. */
static enum identity_verdict judge(const struct work *w, int i, char *text)
{
    text[0] = '\0';
    return w->model.count == 0 ? IDENTITY_OK
                               : identity_check(w->model.expected, w->model.count, w->bus.found,
                                                w->bus.count, i, text);
}

static int positions(const struct work *w)
{
    return w->bus.count > w->model.count ? w->bus.count : w->model.count;
}

static int wrong(const struct work *w)
{
    char text[IDENTITY_TEXT_MAX];
    int n = 0;

    for (int i = 0; i < positions(w); i++) {
        n += judge(w, i, text) != IDENTITY_OK;
    }
    return n;
}

static unsigned sum(const uint8_t counts[static 4])
{
    return (unsigned)counts[0] + counts[1] + counts[2] + counts[3];
}

static void print_row(const struct work *w, int i)
{
    const struct identity *f = &w->bus.found[i];
    const struct ethercat_slave *s = &w->bus.slave[i];
    const char *name = i < w->model.count ? w->model.expected[i].name : "";
    char text[IDENTITY_TEXT_MAX];
    const enum identity_verdict verdict = judge(w, i, text);

    if (i >= w->bus.count) {
        printf("%3d  %-16s %-24s %43s %s\n", i + 1, name, "-", "", identity_word(verdict));
        return;
    }
    printf("%3d  %-16s %-24.24s %08" PRIx32 ":%08" PRIx32 " %08" PRIx32 " %-7s", i + 1, name,
           f->name, f->vendor, f->product, f->revision, process_data_state_name(s->state));
    if (s->dc) {
        printf(" %6" PRId32, s->delay_ns);
    } else {
        printf(" %6s", "no");
    }
    printf(" %3u %3u  %s\n", sum(s->invalid), sum(s->lost),
           w->model.count == 0 ? "" : identity_word(verdict));
}

static void print_table(const struct work *w)
{
    printf("  #  %-16s %-24s %-17s %-8s %-7s %6s %3s %3s\n", "expected", "found", "vendor:product",
           "revision", "state", "dc ns", "err", "cut");
    for (int i = 0; i < positions(w); i++) {
        print_row(w, i);
    }
    for (int i = 0; i < positions(w); i++) {
        char text[IDENTITY_TEXT_MAX];

        if (judge(w, i, text) != IDENTITY_OK) {
            printf("%s\n", text);
        }
    }
}

static void json_counts(struct json *j, const char *name, const uint8_t counts[static 4])
{
    json_array(j, name);
    for (int p = 0; p < 4; p++) {
        json_integer(j, NULL, counts[p]);
    }
    json_end(j);
}

static void json_identity(struct json *j, const char *name, const struct identity *d)
{
    json_object(j, name);
    json_string(j, "name", d->name);
    json_integer(j, "vendor", d->vendor);
    json_integer(j, "product", d->product);
    json_integer(j, "revision", d->revision);
    json_integer(j, "serial", d->serial);
    json_end(j);
}

static void json_slave(struct json *j, const struct work *w, int i)
{
    const struct ethercat_slave *s = &w->bus.slave[i];
    char text[IDENTITY_TEXT_MAX];

    json_object(j, NULL);
    json_integer(j, "position", i + 1);
    json_string(j, "verdict", identity_word(judge(w, i, text)));
    json_string(j, "message", text[0] != '\0' ? text : NULL);
    if (i < w->model.count) {
        json_identity(j, "expected", &w->model.expected[i]);
    }
    if (i < w->bus.count) {
        json_identity(j, "found", &w->bus.found[i]);
        json_string(j, "state", process_data_state_name(s->state));
        json_integer(j, "al_code", s->code);
        json_bool(j, "dc", s->dc);
        json_integer(j, "delay_ns", s->delay_ns);
        json_counts(j, "invalid_frames", s->invalid);
        json_counts(j, "lost_links", s->lost);
    }
    json_end(j);
}

static int print_json(const struct work *w)
{
    struct json j;

    json_open(&j, stdout);
    json_object(&j, NULL);
    json_string(&j, "interface", w->model.interface);
    json_integer(&j, "found", w->bus.count);
    if (w->model.count > 0) {
        json_integer(&j, "expected", w->model.count);
    }
    json_integer(&j, "wrong", wrong(w));
    json_array(&j, "slaves");
    for (int i = 0; i < positions(w); i++) {
        json_slave(&j, w, i);
    }
    json_end(&j);
    json_end(&j);
    return json_close(&j);
}

static int run(struct work *w, bool as_json)
{
    const int found = ethercat_scan(&w->bus, w->model.interface, stderr);

    if (found < 0) {
        return found == -EPERM ? COMMAND_REFUSED : COMMAND_MISSING;
    }
    if (found > 0) {
        ethercat_inspect(&w->bus);
    }
    if (as_json && print_json(w) != 0) {
        return COMMAND_INTERNAL;
    }
    if (!as_json) {
        print_table(w);
    }
    if (found == 0) {
        fprintf(
            stderr,
            "freefall scan: %s: no device answers (cable to the first device, its supply, or the "
            "wrong interface?)\n",
            w->model.interface);
        return COMMAND_MISSING;
    }
    return wrong(w) == 0 ? COMMAND_PASS : COMMAND_FAIL;
}

/* "freefall scan enp3s0", "freefall scan lab.yaml", or both: a configuration is a file with an ending. */
static int read_operands(struct work *w, int n, char **argv)
{
    const char *interface = NULL;

    for (int i = 1; i <= n; i++) {
        const char *ending = strrchr(argv[i], '.');

        if (!ending || (strcmp(ending, ".yaml") != 0 && strcmp(ending, ".yml") != 0)) {
            interface = argv[i];
        } else if (config_read(&w->config, argv[i], stderr) != 0 ||
                   bus_model(&w->model, &w->config, stderr) != 0) {
            return COMMAND_CONFIG;
        }
    }
    if (interface && strlen(interface) >= sizeof w->model.interface) {
        return command_refuse("scan", "expected the name of an interface, found \"%s\"", interface);
    }
    if (interface) {
        snprintf(w->model.interface, sizeof w->model.interface, "%s", interface);
    }
    if (w->model.interface[0] == '\0') {
        return command_refuse("scan", "expected an interface, or a configuration that names one in "
                                      "bus.interface");
    }
    return COMMAND_PASS;
}

int scan_main(int argc, char **argv)
{
    const char *value[1];
    const int operands = command_parse(scan_options, value, argc, argv, 2);
    struct work *w;
    int result;

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    w = (struct work *)calloc(1, sizeof *w);
    if (!w) {
        perror("freefall scan");
        return COMMAND_INTERNAL;
    }
    w->bus.port.fd = -1;
    result = read_operands(w, operands, argv);
    if (result == COMMAND_PASS) {
        result = run(w, value[JSON] != NULL);
        ethercat_close(&w->bus);
    }
    free(w);
    return result;
}
