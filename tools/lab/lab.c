/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lab.c - see lab.h. */
#include "tools/lab/lab.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "drivers/wire.h"

/* Text that grows in a buffer of fixed size; what does not fit is cut. */
struct text {
    char *out;
    size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(t->out + t->used, t->size - t->used, format, arguments);
    va_end(arguments);
    if (n > 0) {
        t->used = t->used + (size_t)n < t->size ? t->used + (size_t)n : t->size - 1;
    }
}

int lab_init(struct lab *lab, const struct slave_model *models, int count, uint64_t seed,
             int64_t t_ns, FILE *log)
{
    const struct verb_target target = {&lab->segment, &lab->cable, &lab->plant, &lab->arms};
    struct physics physics;
    int error;

    plant_init(&lab->plant, &plant_default);
    physics = plant_physics(&lab->plant);
    error = segment_init(&lab->segment, models, count, &physics, seed, t_ns);
    if (error == 0) {
        cable_init(&lab->cable, &lab->segment, seed);
        fault_init(&lab->fault, &target, t_ns, log);
    }
    return error;
}

void lab_in(struct lab *lab, int64_t t_ns, const uint8_t *frame, unsigned n)
{
    fault_step(&lab->fault, t_ns, lab->segment.stats.cycles + segment_cyclic(frame, n));
    cable_in(&lab->cable, t_ns, frame, n);
}

unsigned lab_out(struct lab *lab, int64_t t_ns, uint8_t frame[static SEGMENT_FRAME_MAX])
{
    return cable_out(&lab->cable, t_ns, frame);
}

void lab_tick(struct lab *lab, int64_t t_ns)
{
    /* without a master the robots count the cycles */
    fault_step(&lab->fault, t_ns,
               lab->segment.stats.cycles > 0 || lab->arms.count == 0 ? lab->segment.stats.cycles
                                                                     : lab->arms.arm[0].krc.cycles);
    segment_tick(&lab->segment, t_ns);
}

static void put_device(struct text *t, const struct slave *s, int position)
{
    const uint8_t *r = s->esc.memory;

    put(t,
        "{\"position\":%d,\"type\":\"%s\",\"powered\":%s,\"state\":\"%s\",\"error\":%s,\"code\":%"
        "u,",
        position, s->model.type->name, s->powered ? "true" : "false", al_name(s->al.value),
        s->al.error ? "true" : "false", s->al.code);
    put(t, "\"watchdog_expiries\":%u,\"sdo_requests\":%" PRIu32 ",\"sdo_refused\":%" PRIu32 ",",
        r[ESC_REG_WD_COUNT], s->mailbox.requests, s->mailbox.refused);
    put(t,
        "\"emergencies\":%" PRIu32 ",\"mailbox_repeats\":%" PRIu32 ",\"dc_difference_ns\":%" PRId32
        "}",
        s->mailbox.emergencies, s->mailbox.repeats, s->clock.difference_ns);
}

static void put_stats(struct text *t, const struct lab *lab, int64_t t_ns)
{
    static const char *const kinds[CABLE_KINDS] = {
        "lost", "dropped", "delayed", "duplicated", "reordered", "truncated", "flipped", "foreign"};
    const struct segment_stats *s = &lab->segment.stats;

    put(t,
        "{\"time_ms\":%.3f,\"frames\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"foreign\":%" PRIu64
        ",\"malformed\":%" PRIu64 ",\"unanswered\":%" PRIu64 ",\"faults\":%" PRIu64 ",",
        1e-6 * (double)(t_ns - lab->fault.start_ns), s->frames, s->cycles, s->foreign, s->malformed,
        s->unanswered, lab->fault.struck);
    put(t, "\"reached\":%d,\"cable\":{", lab->segment.reached);
    for (int i = 0; i < CABLE_KINDS; i++) {
        put(t, "\"%s\":%" PRIu64 ",", kinds[i], lab->cable.fault[i].count);
    }
    put(t, "\"overflow\":%" PRIu64 "},\"devices\":[", lab->cable.overflow);
    for (int i = 0; i < lab->segment.count; i++) {
        put(t, "%s", i > 0 ? "," : "");
        put_device(t, &lab->segment.slave[i], i + 1);
    }
    put(t, "]");
    if (lab->arms.count > 0) {
        char robots[2048];

        (void)arms_stats(&lab->arms, robots, sizeof robots);
        put(t, ",%s", robots);
    }
    put(t, "}");
}

static void put_devices(struct text *t, const struct lab *lab)
{
    for (int i = 0; i < lab->segment.count; i++) {
        const struct slave *s = &lab->segment.slave[i];

        put(t, "%s%2d  %-10s %-9s %s", i > 0 ? "\n" : "", i + 1, s->model.type->name,
            s->powered ? al_name(s->al.value) : "off", s->model.type->title);
    }
}

static void put_help(struct text *t)
{
    put(t, "stats, devices, help, or a fault, now or [at CYCLE|TIMEms] ... [for CYCLES|TIMEms]:");
    for (int i = 0; verb_row(i); i++) {
        char usage[80];

        snprintf(usage, sizeof usage, "%s %s", verb_row(i)->name, verb_row(i)->arguments);
        put(t, "\n  %-44s %s", usage, verb_row(i)->help);
    }
}

void lab_command(struct lab *lab, int64_t t_ns, const char *line,
                 char answer[static LAB_ANSWER_MAX])
{
    struct text t = {answer, 0, LAB_ANSWER_MAX};
    const size_t n = strcspn(line, " \t\r\n");
    char error[VERB_ERROR_MAX];

    answer[0] = '\0';
    if (n == 5 && strncmp(line, "stats", n) == 0) {
        put_stats(&t, lab, t_ns);
    } else if (n == 7 && strncmp(line, "devices", n) == 0) {
        put_devices(&t, lab);
    } else if (n == 4 && strncmp(line, "help", n) == 0) {
        put_help(&t);
    } else if (fault_line(&lab->fault, line, t_ns, error) == 0) {
        put(&t, "ok");
    } else {
        put(&t, "error: %s", error);
    }
}
