/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arms.c - see arms.h. */
#include "tools/lab/arms.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config/config.h"

#define PATIENCE_NS 250000000 /* for an answer, in lock-step */

static double number(const struct config *c, const char *key, int i)
{
    return config_item(c, key, i)->value.number[0];
}

static const char *text(const struct config *c, const char *key, int i)
{
    return config_item(c, key, i)->value.text;
}

static void read_one(struct arms_one *o, const struct config *c, int i)
{
    const bool axes = strcmp(text(c, "robots.links[].kind", i), "axes") == 0;
    const char *correction = text(c, "robots.links[].correction", i);
    const double limit = 1e3 * number(c, "robots.links[].corr_limit", i);
    const double turn = 180.0 / BASE_PI * number(c, "robots.links[].corr_turn", i);
    struct krc_model *m = &o->model;

    krc_default(m, axes);
    m->cycle_ns = (int64_t)floor(1e9 * number(c, "robots.links[].cycle", i) + 0.5);
    m->ipoc_step = (uint64_t)(m->cycle_ns / 1000000);
    m->timeout = (int)config_item(c, "robots.links[].timeout", i)->value.integer;
    for (int k = 0; k < 6; k++) {
        m->high[k] = !axes && k < 3 ? limit : turn;
        m->low[k] = -m->high[k];
    }
    m->monitor_mm = 1.8 * limit;
    m->monitor_deg = 1.8 * turn;
    m->arm.period_s = 1e-9 * (double)m->cycle_ns;
    snprintf(m->sentype, KRC_NAME_MAX, "%.32s", text(c, "robots.links[].sentype", i));
    snprintf(m->stop, KRC_NAME_MAX, "%.32s", text(c, "robots.links[].stop_tag", i));
    if (correction[0] != '\0') {
        snprintf(m->correction, KRC_NAME_MAX, "%.32s", correction);
    }
    snprintf(o->name, sizeof o->name, "%.15s", text(c, "robots.links[].name", i));
    snprintf(o->address, sizeof o->address, "%.15s", text(c, "robots.links[].address", i));
    o->port = (uint16_t)config_item(c, "robots.links[].port", i)->value.integer;
    o->fd = o->other_fd = -1;
}

int arms_file(struct arms *a, const char *path, uint64_t seed, FILE *messages)
{
    struct config *c = (struct config *)calloc(1, sizeof *c);
    int error = c ? config_read(c, path, messages) : -ENOMEM;

    memset(a, 0, sizeof *a);
    random_init(&a->random, seed, 0xa5);
    if (error == 0) {
        a->count = config_count(c, "robots.links");
        for (int i = 0; i < a->count; i++) {
            read_one(&a->arm[i], c, i);
            post_init(&a->arm[i].in, seed + 10u * (unsigned)i);
            post_init(&a->arm[i].out, seed + 10u * (unsigned)i + 5u);
        }
        if (a->count == 0) {
            fprintf(messages, "%s: error: robots.links: expected at least one robot, found none\n",
                    path);
            error = -EINVAL;
        }
    }
    free(c);
    return error != 0 ? error : a->count;
}

static int open_socket(void)
{
    return socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int arms_open(struct arms *a, int64_t t_ns, FILE *messages)
{
    for (int i = 0; i < a->count; i++) {
        struct arms_one *o = &a->arm[i];

        o->fd = open_socket();
        o->other_fd = open_socket();
        if (o->fd < 0 || o->other_fd < 0) {
            fprintf(messages, "freefall-lab: robot %s: socket: %s\n", o->name, strerror(errno));
            return -errno;
        }
        if (krc_init(&o->model, &o->krc, t_ns) != 0) {
            fprintf(messages, "freefall-lab: robot %s: expected a cycle of whole milliseconds\n",
                    o->name);
            return -EINVAL;
        }
    }
    return 0;
}

void arms_close(struct arms *a)
{
    for (int i = 0; i < a->count; i++) {
        if (a->arm[i].fd >= 0) {
            close(a->arm[i].fd);
        }
        if (a->arm[i].other_fd >= 0) {
            close(a->arm[i].other_fd);
        }
    }
}

static void transmit(const struct arms_one *o, int fd, const char *bytes, int n)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(o->port)};

    (void)inet_pton(AF_INET, o->address, &there.sin_addr);
    (void)sendto(fd, bytes, (size_t)n, 0, (const struct sockaddr *)&there, sizeof there);
}

static void telegram(struct arms *a, struct arms_one *o, int64_t t_ns)
{
    char *good = a->good;
    int n = krc_cycle(&o->model, &o->krc, a->good);

    if (n == 0) {
        o->krc.cycles++; /* RSI has ended; time goes on */
        return;
    }
    if (o->silent) {
        return;
    }
    if (random_uniform(&a->random) < o->malformed) {
        n = krc_spoil(a->bad, good, n, (int)(o->spoiled++ % KRC_SPOILS), random_bits(&a->random));
        memcpy(good, a->bad, (size_t)n);
    }
    post_send(&o->in_model, &o->in, t_ns, o->model.cycle_ns, good, n);
    o->copy = random_uniform(&a->random) < o->foreign ? n : 0;
}

static void answers(struct arms *a, struct arms_one *o, int64_t t_ns)
{
    ssize_t n;

    while ((n = recv(o->fd, a->good, sizeof a->good, 0)) >= 0) {
        post_send(&o->out_model, &o->out, t_ns, o->model.cycle_ns, a->good, (int)n);
    }
}

/* Its instant; in lock-step the answer, or its patience is at an end. */
static bool is_due(const struct arms *a, const struct arms_one *o, int64_t t_ns)
{
    if (!a->lockstep) {
        return krc_instant(&o->model, &o->krc) <= t_ns;
    }
    return (o->krc.answered && o->krc.state == KRC_RUNS) || t_ns - o->sent_ns >= PATIENCE_NS;
}

static int64_t step_one(struct arms *a, struct arms_one *o, int64_t t_ns)
{
    char *bytes = a->bad;
    int64_t arrival_ns, next_ns, due_ns;
    int n;

    answers(a, o, t_ns);
    while ((n = post_receive(&o->out, t_ns, &arrival_ns, a->bad)) >= 0) {
        krc_answer(&o->model, &o->krc, bytes, n);
    }
    if (is_due(a, o, t_ns)) {
        o->sent_ns = t_ns;
        telegram(a, o, t_ns);
    }
    while ((n = post_receive(&o->in, t_ns, &arrival_ns, a->bad)) >= 0) {
        transmit(o, o->fd, bytes, n);
    }
    if (o->copy > 0) { /* somebody else says the same, a little later */
        transmit(o, o->other_fd, a->good, o->copy);
        o->copy = 0;
        o->copies++;
    }
    next_ns = a->lockstep ? INT64_MAX : krc_instant(&o->model, &o->krc);
    due_ns = post_due(&o->in) < post_due(&o->out) ? post_due(&o->in) : post_due(&o->out);
    return due_ns < next_ns ? due_ns : next_ns;
}

int64_t arms_step(struct arms *a, int64_t t_ns)
{
    int64_t next_ns = t_ns + 1000000;

    for (int i = 0; i < a->count; i++) {
        const int64_t due_ns = step_one(a, &a->arm[i], t_ns);

        next_ns = due_ns < next_ns ? due_ns : next_ns;
    }
    return next_ns;
}

static void new_port(struct arms_one *o)
{
    const int fd = open_socket();

    if (fd >= 0) {
        close(o->fd);
        o->fd = fd;
    }
}

void arms_set(struct arms *a, int i, enum arms_setting setting, double value)
{
    struct arms_one *o = &a->arm[i];
    double *const shares[] = {&o->in_model.loss,   &o->out_model.loss, &o->in_model.twice,
                              &o->in_model.behind, &o->malformed,      &o->foreign};

    if (setting <= ARMS_FOREIGN) {
        *shares[setting] = 0.01 * value;
    } else if (setting == ARMS_LATENCY) {
        o->in_model.latency_s = o->out_model.latency_s = 1e-6 * value;
    } else if (setting == ARMS_JITTER) {
        o->in_model.jitter_s = o->out_model.jitter_s = 1e-6 * value;
    } else if (setting == ARMS_PPM) { /* from here on, not from the start */
        o->krc.start_ns = krc_instant(&o->model, &o->krc);
        o->model.ppm = value;
        o->krc.start_ns -= (int64_t)floor(
            (double)o->krc.cycles * (double)o->model.cycle_ns * (1 + 1e-6 * value) + 0.5);
    } else if (setting == ARMS_SILENT) {
        o->silent = value > 0.0;
    } else if (setting == ARMS_PORT) {
        new_port(o);
    } else if (setting == ARMS_RESTART) {
        krc_restart(&o->model, &o->krc, (uint64_t)fmax(0.0, value));
    } else if (setting == ARMS_JUMP) {
        o->krc.ipoc += (uint64_t)fmax(0.0, value) * o->model.ipoc_step;
    } else if (setting == ARMS_HOLDON) {
        o->model.holdon = value > 0.0;
    } else {
        o->model.relative = value > 0.0;
    }
}

int arms_stats(const struct arms *a, char *out, size_t size)
{
    int used = snprintf(out, size, "\"robots\":[");

    for (int i = 0; i < a->count && used > 0 && (size_t)used < size; i++) {
        const struct arms_one *o = &a->arm[i];

        used += snprintf(out + used, size - (size_t)used,
                         "%s{\"name\":\"%s\",\"state\":\"%s\",\"cycles\":%" PRIu64
                         ",\"matched\":%" PRIu64 ",\"missed\":%" PRIu64 ",\"wrong\":%" PRIu64
                         ",\"malformed\":%" PRIu64 ",\"spoiled\":%" PRIu64 ",\"lost_in\":%" PRIu64
                         ",\"lost_out\":%" PRIu64 ",\"copies\":%" PRIu64 ",\"late\":%" PRIu64 "}",
                         i > 0 ? "," : "", o->name, krc_state_name(o->krc.state), o->krc.cycles,
                         o->krc.matched, o->krc.missed, o->krc.wrong, o->krc.malformed, o->spoiled,
                         o->in.lost, o->out.lost, o->copies, o->krc.late);
    }
    used += snprintf(out + used, size - (size_t)used, "]");
    return used;
}
