/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cable.c - see cable.h. */
#include "tools/lab/cable.h"

#include <string.h>

#include "drivers/wire.h"

#define FIRST        16 /* the first datagram of a frame */
#define ETHERNET     14 /* nothing shorter leaves a network card */
#define DELAY_MAX_NS 60000000000ll

static void queue_init(struct cable_queue *q)
{
    q->count = 0;
    for (int i = 0; i < CABLE_FRAMES; i++) {
        q->order[i] = i;
    }
}

static bool queue_put(struct cable_queue *q, int64_t due_ns, const uint8_t *data, unsigned n)
{
    int at = q->count;
    int slot;

    if (q->count >= CABLE_FRAMES) {
        return false;
    }
    slot = q->order[q->count];
    while (at > 0 && q->frame[q->order[at - 1]].due_ns > due_ns) {
        q->order[at] = q->order[at - 1];
        at--;
    }
    q->order[at] = slot;
    q->count++;
    q->frame[slot].due_ns = due_ns;
    q->frame[slot].bytes = (uint16_t)n;
    memcpy(q->frame[slot].data, data, n);
    return true;
}

static unsigned queue_take(struct cable_queue *q, int64_t t_ns, uint8_t *data)
{
    const int slot = q->order[0];
    const struct cable_frame *frame = &q->frame[slot];

    if (q->count == 0 || frame->due_ns > t_ns) {
        return 0;
    }
    memmove(&q->order[0], &q->order[1], (size_t)(q->count - 1) * sizeof q->order[0]);
    q->count--;
    q->order[q->count] = slot;
    memcpy(data, frame->data, frame->bytes);
    return frame->bytes;
}

void cable_init(struct cable *c, struct segment *segment, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    c->segment = segment;
    random_init(&c->random, seed, 0);
    queue_init(&c->waiting);
    queue_init(&c->replies);
}

void cable_set(struct cable *c, enum cable_kind kind, uint32_t frames, double probability, bool any,
               int64_t value)
{
    c->fault[kind].left = frames;
    c->fault[kind].probability = probability;
    c->fault[kind].any = any;
    c->fault[kind].value = value;
}

/* Does this fault act on this frame? Counts it if so. */
static bool strikes(struct cable *c, enum cable_kind kind, bool cyclic)
{
    struct cable_fault *f = &c->fault[kind];

    if (f->left == 0 || !(cyclic || f->any)) {
        return false;
    }
    if (f->probability < 1 && random_uniform(&c->random) >= f->probability) {
        return false;
    }
    f->left -= f->left != CABLE_FOREVER ? 1 : 0;
    f->count++;
    return true;
}

static void reply(struct cable *c, int64_t due_ns, const uint8_t *frame, unsigned n)
{
    if (!queue_put(&c->replies, due_ns, frame, n)) {
        c->overflow++;
    }
}

static void flip(struct cable *c, uint8_t *frame, unsigned n, int64_t field)
{
    const unsigned bytes = wire_get_u16(frame + FIRST + 6) & 0x7ff;
    const unsigned data = FIRST + 10;
    const struct {
        unsigned at, bytes;
    } place[CABLE_FIELDS] = {
        [CABLE_ETHERTYPE] = {12, 2},      [CABLE_LENGTH] = {14, 1},
        [CABLE_COMMAND] = {FIRST, 1},     [CABLE_INDEX] = {FIRST + 1, 1},
        [CABLE_ADDRESS] = {FIRST + 2, 4}, [CABLE_DATA] = {data, bytes},
        [CABLE_WKC] = {data + bytes, 2},
    };
    const unsigned bit =
        place[field].bytes > 0 ? (unsigned)(random_bits(&c->random) % (8 * place[field].bytes)) : 0;
    const unsigned at = place[field].at + bit / 8;

    if (at < n) {
        frame[at] ^= (uint8_t)(1u << bit % 8);
    }
}

/* Somebody else's frame: an Internet datagram, or one that carries our index and length and a right working counter,
 * but other data, and has not passed a slave controller. */
static void foreign(struct cable *c, int64_t t_ns, const uint8_t *frame, unsigned n, bool alike)
{
    uint8_t other[SEGMENT_FRAME_MAX];
    const unsigned bytes = wire_get_u16(frame + FIRST + 6) & 0x7ff;

    memcpy(other, frame, n);
    if (alike) {
        other[6] &= 0xfd;
        memset(other + FIRST + 10, 0xa5, bytes);
    } else {
        other[12] = 0x08;
        other[13] = 0x00;
    }
    reply(c, t_ns, other, n);
}

static int64_t limited(int64_t x, int64_t least, int64_t greatest)
{
    return x < least ? least : x < greatest ? x : greatest;
}

/* Send a reply back, with everything that happens to it on its way. */
static void send_back(struct cable *c, int64_t t_ns, uint8_t *frame, unsigned n, bool cyclic)
{
    int64_t due_ns = t_ns;
    const bool twice = strikes(c, CABLE_DUPLICATE, cyclic);

    if (strikes(c, CABLE_FOREIGN, cyclic)) {
        foreign(c, t_ns, frame, n, c->fault[CABLE_FOREIGN].value != 0);
    }
    if (strikes(c, CABLE_FLIP, cyclic)) {
        flip(c, frame, n, c->fault[CABLE_FLIP].value);
    }
    if (strikes(c, CABLE_TRUNCATE, cyclic)) {
        n = (unsigned)limited(c->fault[CABLE_TRUNCATE].value, ETHERNET, n);
    }
    if (strikes(c, CABLE_DELAY, cyclic)) {
        due_ns += limited(c->fault[CABLE_DELAY].value, 0, DELAY_MAX_NS);
    }
    if (c->held.bytes == 0 && strikes(c, CABLE_REORDER, cyclic)) {
        memcpy(c->held.data, frame, n);
        c->held.bytes = (uint16_t)n;
        return;
    }
    reply(c, due_ns, frame, n);
    if (twice) {
        reply(c, due_ns, frame, n);
    }
    if (c->held.bytes > 0) {
        reply(c, due_ns, c->held.data, c->held.bytes);
        c->held.bytes = 0;
    }
}

static void pass(struct cable *c, int64_t t_ns, uint8_t *frame, unsigned n)
{
    const bool cyclic = segment_cyclic(frame, n);

    if (strikes(c, CABLE_LOSE, cyclic)) {
        return;
    }
    if (segment_frame(c->segment, t_ns, frame, n) == SEGMENT_REPLY &&
        !strikes(c, CABLE_DROP, cyclic)) {
        send_back(c, t_ns, frame, n, cyclic);
    }
}

/* Requests that waited for the end of a stall reach the segment then, one behind the other. */
static void end_stall(struct cable *c, int64_t t_ns)
{
    uint8_t frame[SEGMENT_FRAME_MAX];
    unsigned n;

    while (t_ns >= c->stalled_until_ns && (n = queue_take(&c->waiting, t_ns, frame)) > 0) {
        pass(c, t_ns, frame, n);
    }
}

void cable_in(struct cable *c, int64_t t_ns, const uint8_t *frame, unsigned n)
{
    uint8_t copy[SEGMENT_FRAME_MAX];

    if (n > SEGMENT_FRAME_MAX) {
        c->segment->stats.malformed++;
        return;
    }
    end_stall(c, t_ns);
    if (t_ns < c->stalled_until_ns) {
        c->overflow += !queue_put(&c->waiting, c->stalled_until_ns, frame, n);
        return;
    }
    memcpy(copy, frame, n);
    pass(c, t_ns, copy, n);
}

unsigned cable_out(struct cable *c, int64_t t_ns, uint8_t frame[static SEGMENT_FRAME_MAX])
{
    end_stall(c, t_ns);
    return queue_take(&c->replies, t_ns, frame);
}

int64_t cable_due(const struct cable *c)
{
    const int64_t reply_ns =
        c->replies.count > 0 ? c->replies.frame[c->replies.order[0]].due_ns : INT64_MAX;
    const int64_t stall_ns =
        c->waiting.count > 0 ? c->waiting.frame[c->waiting.order[0]].due_ns : INT64_MAX;

    return reply_ns < stall_ns ? reply_ns : stall_ns;
}
