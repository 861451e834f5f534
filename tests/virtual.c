/* SPDX-License-Identifier: GPL-3.0-or-later */
/* virtual.c - see virtual.h. */
#include "virtual.h"

#include <string.h>

#include "soem/soem.h"
#include "unity.h"

#include "drivers/port.h"
#include "tools/lab/layout.h"

#define TRANSIT_NS 5000 /* from send() to the first byte of the reply */

struct virtual virtual_world;

/* What the linker puts in place of port.c and of SOEM's clock. */
int __wrap_port_open(struct port *p, const char *interface, enum port_stream stream);
void __wrap_port_close(struct port *p);
int __wrap_port_send(struct port *p, const uint8_t *frame, int n);
int __wrap_port_receive(struct port *p, uint8_t *frame);
int __wrap_port_drain(struct port *p);
bool __wrap_port_wait(const struct port *p, int64_t timeout_ns);
int __wrap_osal_usleep(uint32 usec);
void __wrap_osal_timer_start(osal_timert *self, uint32 timeout_usec);
boolean __wrap_osal_timer_is_expired(osal_timert *self);
ec_timet __wrap_osal_current_time(void);

/* Frames that left the lab: to both sockets, but a reply only to the one that asked, as the kernel's filter does it. */
static void pump(struct virtual *v)
{
    uint8_t frame[SEGMENT_FRAME_MAX];
    unsigned n;

    while ((n = lab_out(&v->lab, v->now_ns, frame)) > 0) {
        for (int i = 0; i < 2; i++) {
            struct virtual_queue *q = &v->queue[i];
            const uint8_t other = (uint8_t)(i == 0 ? PORT_CYCLE : PORT_SERVICE);
            const bool theirs = port_classify(frame, (int)n, other) == PORT_REPLY;

            if (!theirs && q->count < VIRTUAL_FRAMES) {
                const int at = (q->first + q->count++) % VIRTUAL_FRAMES;

                q->bytes[at] = (int)n;
                memcpy(q->frame[at], frame, n);
            }
        }
    }
}

static void advance(struct virtual *v, int64_t until_ns)
{
    while (v->now_ns < until_ns) {
        const bool cycle = v->cycle && !v->inside && v->next_ns <= until_ns;

        if (!cycle) {
            v->now_ns = until_ns;
        } else {
            v->now_ns = v->next_ns > v->now_ns ? v->next_ns : v->now_ns;
            v->inside = true;
            v->cycle(v);
            v->inside = false;
        }
    }
    lab_tick(&v->lab, v->now_ns);
    pump(v);
}

struct virtual *virtual_init(const char *segment, uint64_t seed)
{
    struct virtual *v = &virtual_world;
    struct slave_model models[SEGMENT_SLAVES_MAX];
    const int count = layout_named(segment, models);

    memset(v, 0, sizeof *v);
    v->now_ns = 1000000000;
    TEST_ASSERT_EQUAL_INT(0, lab_init(&v->lab, models, count, seed, v->now_ns, NULL));
    return v;
}

void virtual_sleep(struct virtual *v, int64_t ns)
{
    advance(v, v->now_ns + ns);
}

void virtual_tell(struct virtual *v, const char *line)
{
    static char answer[LAB_ANSWER_MAX];

    lab_command(&v->lab, v->now_ns, line, answer);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", answer, line);
}

int __wrap_port_open(struct port *p, const char *interface, enum port_stream stream)
{
    (void)interface;
    memset(p, 0, sizeof *p);
    p->stream = (uint8_t)stream;
    p->fd = stream == PORT_CYCLE ? 1 : 0;
    return 0;
}

void __wrap_port_close(struct port *p)
{
    p->fd = -1;
}

int __wrap_port_send(struct port *p, const uint8_t *frame, int n)
{
    struct virtual *v = &virtual_world;

    p->count.sent++;
    v->now_ns += TRANSIT_NS;
    lab_in(&v->lab, v->now_ns, frame, (unsigned)n);
    pump(v);
    return 0;
}

int __wrap_port_receive(struct port *p, uint8_t *frame)
{
    struct virtual *v = &virtual_world;
    struct virtual_queue *q = &v->queue[p->stream == PORT_CYCLE];

    pump(v);
    while (q->count > 0) {
        const int at = q->first;
        enum port_class class;

        q->first = (q->first + 1) % VIRTUAL_FRAMES;
        q->count--;
        class = port_classify(q->frame[at], q->bytes[at], p->stream);
        p->count.received[class]++;
        if (class == PORT_REPLY) {
            memcpy(frame, q->frame[at], (size_t)q->bytes[at]);
            return q->bytes[at];
        }
    }
    return 0;
}

int __wrap_port_drain(struct port *p)
{
    uint8_t frame[PORT_FRAME_MAX];
    int drained = 0;

    while (__wrap_port_receive(p, frame) > 0) {
        drained++;
    }
    p->count.drained += (uint64_t)drained;
    return drained;
}

/* Up to the next frame or the end of the time. */
bool __wrap_port_wait(const struct port *p, int64_t timeout_ns)
{
    struct virtual *v = &virtual_world;
    const struct virtual_queue *q = &v->queue[p->fd];
    const int64_t end_ns = v->now_ns + (timeout_ns > 0 ? timeout_ns : 0);

    pump(v);
    while (q->count == 0 && v->now_ns < end_ns) {
        const int64_t due_ns = cable_due(&v->lab.cable);
        const int64_t step_ns = v->now_ns + 50000 < end_ns ? v->now_ns + 50000 : end_ns;

        advance(v, due_ns > v->now_ns && due_ns < step_ns ? due_ns : step_ns);
    }
    return q->count > 0;
}

int __wrap_osal_usleep(uint32 usec)
{
    virtual_sleep(&virtual_world, 1000 * (int64_t)usec);
    return 0;
}

static ec_timet stamp(int64_t ns)
{
    ec_timet t;

    t.tv_sec = ns / 1000000000;
    t.tv_nsec = ns % 1000000000;
    return t;
}

void __wrap_osal_timer_start(osal_timert *self, uint32 timeout_usec)
{
    self->stop_time = stamp(virtual_world.now_ns + 1000 * (int64_t)timeout_usec);
}

boolean __wrap_osal_timer_is_expired(osal_timert *self)
{
    const int64_t stop_ns = 1000000000 * (int64_t)self->stop_time.tv_sec + self->stop_time.tv_nsec;

    return virtual_world.now_ns >= stop_ns;
}

/* Some day in 2026, the same in every run. */
ec_timet __wrap_osal_current_time(void)
{
    return stamp(1780000000ll * 1000000000 + virtual_world.now_ns);
}
