/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c - freefall replay: the recorded inputs of a run through the same control_step(), every output compared.
 *
 * Models are built again from the configuration and robot description inside the record, so that nothing else is needed.
 * On-board software that is part of freefall is computed again; of any other the recorded answers are inputs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/units.h"
#include "rt/obsw_tape.h"
#include "rt/scenario_obsw.h"
#include "tools/command.h"
#include "tools/recording.h"

enum { FROM, UNTIL, OBSW, QUIET, OPTIONS };

const struct command_option replay_options[] = {
    {"--from", "TIME", "compare from here on, as 20s; time counts from the first cycle"},
    {"--until", "TIME", "stop here"},
    {"--obsw", "FILE", "a shared library answers in place of the recorded on-board software"},
    {"--quiet", NULL, "print nothing when all is equal"},
    {NULL, NULL, NULL},
};

/* Large, so not for the stack. */
struct replay {
    struct recording recording;
    struct config config;
    struct scenario scenario;
    struct scenario_obsw software;
    struct obsw_tape tape;
    struct control_model model;
    struct control_state state;
    struct control_input in;
    struct control_output out;
    char folder[SCENARIO_PATH_MAX / 2]; /* of the files taken out of the record */
    bool started;
    double from_s, until_s;
    const char *library;
    uint64_t cycles, next;
};

/* ---- the models ---- */

static int put_file(const struct replay *r, const char *name)
{
    const struct mcap_read_item *item = &r->recording.item;
    char path[SCENARIO_PATH_MAX];
    FILE *file;
    int code;

    (void)snprintf(path, sizeof path, "%s/%.100s", r->folder, name);
    file = fopen(path, "wb");
    if (file == NULL) {
        return -errno;
    }
    code = fwrite(item->data, 1, item->size, file) == item->size ? 0 : -EIO;
    return fclose(file) == 0 ? code : -EIO;
}

/* A name from a file goes nowhere but into our folder. */
static bool plain_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL && strlen(name) < 100;
}

static int keep_attachment(struct replay *r)
{
    const char *name = r->recording.item.name;

    return plain_name(name) ? put_file(r, name) : 0;
}

static void remove_files(struct replay *r)
{
    const char *const name[2] = {"config.yaml", r->recording.description};
    char path[SCENARIO_PATH_MAX];

    for (int i = 0; i < 2 && r->folder[0] != '\0'; i++) {
        if (plain_name(name[i])) {
            (void)snprintf(path, sizeof path, "%s/%.100s", r->folder, name[i]);
            (void)unlink(path);
        }
    }
    if (r->folder[0] != '\0') {
        (void)rmdir(r->folder);
        r->folder[0] = '\0';
    }
}

static int open_software(struct replay *r)
{
    char line[SCHEMA_TEXT_MAX];
    int code = 0;

    if (r->library != NULL) {
        (void)snprintf(line, sizeof line, "obsw.library=%s", r->library);
        code = config_set(&r->config, "obsw.kind=library", stderr);
        code = code != 0 ? code : config_set(&r->config, line, stderr);
        r->scenario.software = SCENARIO_LIBRARY;
    }
    if (code == 0 && r->library == NULL &&
        (r->scenario.software == SCENARIO_LIBRARY || r->scenario.software == SCENARIO_PROCESS)) {
        r->model.obsw = obsw_tape_open(&r->tape, NULL);
        return 0;
    }
    code =
        code != 0 ? code : scenario_obsw_open(&r->software, &r->scenario, &r->config, 0.0, stderr);
    r->model.obsw = r->software.obsw;
    return code;
}

/* All that was attached is there when the first cycle comes. */
static int start(struct replay *r)
{
    char path[SCENARIO_PATH_MAX];
    int code;

    (void)snprintf(path, sizeof path, "%s/config.yaml", r->folder);
    code = config_read(&r->config, path, stderr);
    code = code != 0 ? code : scenario_build(&r->scenario, &r->config, path, stderr);
    if (code == 0) {
        r->model = r->scenario.control;
        code = open_software(r);
    }
    code = code != 0 ? code : control_init(&r->model, &r->state);
    if (code != 0) {
        fprintf(stderr, "freefall replay: %s: its configuration makes no controller\n",
                r->recording.path);
    }
    r->started = code == 0;
    remove_files(r);
    return code;
}

/* ---- comparing ---- */

static void print_value(const struct record_field *f, const void *record, int element)
{
    const uint8_t *p = (const uint8_t *)record + f->offset + (size_t)element * f->size;

    if (strcmp(f->type, "float64") == 0) {
        double x;

        memcpy(&x, p, sizeof x);
        printf("%.17g (%a)", x, x);
    } else if (f->size == 8) {
        uint64_t x;

        memcpy(&x, p, sizeof x);
        printf("%llu", (unsigned long long)x);
    } else {
        uint32_t x;

        memcpy(&x, p, sizeof x);
        printf("%lu", (unsigned long)x);
    }
}

static void name_difference(const struct replay *r, const struct record_field *f, int element,
                            const struct record_raw *now)
{
    char place[16] = "";

    if (f->count > 0) {
        (void)snprintf(place, sizeof place, "[%d]", element);
    }
    printf("first difference in cycle %llu (%.3f s), field %s%s: recorded ",
           (unsigned long long)now->cycle, (double)now->time_ns * 1e-9, f->name, place);
    print_value(f, &r->recording.raw, element);
    printf(", now ");
    print_value(f, now, element);
    printf("\n%llu cycles before it are equal in every bit\n", (unsigned long long)r->cycles);
}

/* One recorded cycle again. COMMAND_PASS when it is equal. */
static int step(struct replay *r)
{
    const struct record_raw *was = &r->recording.raw;
    const double time_s = (double)was->time_ns * 1e-9;
    struct record_raw now = {0};
    const struct record_field *f;
    int element = 0;

    if (was->cycle != r->next) {
        fprintf(stderr, "freefall replay: %s: expected cycle %llu, found %llu; a part is missing\n",
                r->recording.path, (unsigned long long)r->next, (unsigned long long)was->cycle);
        return COMMAND_CONFIG;
    }
    r->next++;
    r->tape.last = r->recording.obsw;
    record_input(&r->in, was);
    control_step(&r->model, &r->state, &r->in, &r->out);
    record_take(&now, &r->in, &r->out);
    f = record_difference(RECORD_RAW, was, &now, &element);
    if (f != NULL && time_s >= r->from_s) {
        name_difference(r, f, element, &now);
        return COMMAND_FAIL;
    }
    r->cycles += time_s >= r->from_s;
    return COMMAND_PASS;
}

static int compare(struct replay *r)
{
    int result = COMMAND_PASS, kind;

    while (result == COMMAND_PASS && (kind = recording_next(&r->recording)) != RECORDING_END) {
        if (kind == RECORD_RAW) {
            if ((double)r->recording.raw.time_ns * 1e-9 > r->until_s) {
                return result;
            }
            if (!r->started && start(r) != 0) {
                return COMMAND_CONFIG;
            }
            result = step(r);
        } else if (kind < 0 ||
                   (kind == RECORDING_ATTACHMENT && !r->started && keep_attachment(r) != 0)) {
            return kind < 0 ? COMMAND_CONFIG : COMMAND_INTERNAL;
        }
    }
    if (result == COMMAND_PASS && !recording_whole(&r->recording)) {
        result = COMMAND_INTERNAL;
    }
    return result;
}

/* ---- the command ---- */

static bool seconds(const char *text, double *value)
{
    const struct units_row *unit;
    size_t used = 0;
    double number = 0.0;

    if (units_number(text, &used, &number) != UNITS_FINE) {
        return false;
    }
    used += strspn(text + used, " ");
    unit = units_find(text + used);
    if (unit == NULL || strcmp(unit->si, "s") != 0) {
        return false;
    }
    *value = units_to_si(unit, number);
    return true;
}

static int replay(struct replay *r, const char *run, bool quiet)
{
    const char *place = getenv("TMPDIR");
    int result;

    if (recording_open(&r->recording, "replay", run) != 0) {
        return COMMAND_CONFIG;
    }
    (void)snprintf(r->folder, sizeof r->folder, "%.200s/freefall-XXXXXX",
                   place != NULL ? place : "/tmp");
    if (mkdtemp(r->folder) == NULL) {
        perror(r->folder);
        r->folder[0] = '\0';
        return COMMAND_INTERNAL;
    }
    result = compare(r);
    if (result == COMMAND_PASS && r->cycles == 0) {
        fprintf(stderr, "freefall replay: %s: expected recorded cycles in this time, found none\n",
                r->recording.path);
        result = COMMAND_CONFIG;
    }
    if (result == COMMAND_PASS && !quiet) {
        printf("%llu cycles, every output equal in every bit\n", (unsigned long long)r->cycles);
    }
    return result;
}

int replay_main(int argc, char **argv)
{
    const char *value[OPTIONS];
    const int operands = command_parse(replay_options, value, argc, argv, 1);
    struct replay *r;
    int result;

    if (operands < 0) {
        return COMMAND_USAGE;
    }
    if (operands == 0) {
        return command_refuse(argv[0], "expected the folder of a run");
    }
    r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
    if (r == NULL) {
        perror("freefall replay");
        return COMMAND_INTERNAL;
    }
    memset(r, 0, sizeof *r);
    r->recording.reader.fd = -1;
    r->until_s = 1e18;
    r->library = value[OBSW];
    if ((value[FROM] != NULL && !seconds(value[FROM], &r->from_s)) ||
        (value[UNTIL] != NULL && !seconds(value[UNTIL], &r->until_s))) {
        result =
            command_refuse(argv[0], "--from, --until: expected a time with unit, as 20s or 5min");
    } else {
        result = replay(r, argv[1], value[QUIET] != NULL);
    }
    remove_files(r);
    scenario_obsw_close(&r->software);
    recording_close(&r->recording);
    free(r);
    return result;
}
