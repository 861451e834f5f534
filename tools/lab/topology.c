/* SPDX-License-Identifier: GPL-3.0-or-later */
/* topology.c - see topology.h. */
#include "tools/lab/topology.h"

#include "drivers/wire.h"

static int back_of(const struct slave_model *m)
{
    return m->branch > 0 ? m->branch : 1;
}

static int port_of(const struct slave_model *m)
{
    return m->port > 0 ? m->port : 1;
}

/* Place of a port in the order in which frames leave. */
static int rank_of(int port)
{
    return port == 3 ? 1 : port == 1 ? 2 : 3;
}

int topology_check(const struct slave_model *models, int count)
{
    int rank[SEGMENT_SLAVES_MAX] = {
        0}; /* of the last port in use; 4: the frame has left that slave for good */

    for (int i = 1; i < count; i++) {
        const int parent = i - back_of(&models[i]);

        if (parent < 0 || models[i].port < 0 || models[i].port >= SLAVE_PORTS ||
            rank_of(port_of(&models[i])) <= rank[parent]) {
            return i;
        }
        rank[parent] = rank_of(port_of(&models[i]));
        for (int k = parent + 1; k < i; k++) {
            rank[k] = 4;
        }
    }
    return -1;
}

static int parent_of(const struct segment *s, int i)
{
    return i - back_of(&s->slave[i].model);
}

static int32_t hop_of(const struct segment *s, int i)
{
    if (i == 0) {
        return 0; /* the cable to the master is the caller's business */
    }
    return s->slave[i].model.hop_ns > 0 ? s->slave[i].model.hop_ns : SLAVE_HOP_NS;
}

/* Data link status: bit 0 device ready, 4 + p link on port p, 8 + 2p loop closed, 9 + 2p communication. */
static void show_ports(struct slave *slave, unsigned connected)
{
    unsigned status = 0x0001;

    for (unsigned p = 0; p < SLAVE_PORTS; p++) {
        status |= (connected >> p & 1) != 0 ? 1u << (4 + p) | 2u << (8 + 2 * p) : 1u << (8 + 2 * p);
    }
    wire_put_u16(&slave->esc.memory[ESC_REG_DL_STATUS], (uint16_t)status);
    for (unsigned p = 2; p < SLAVE_PORTS; p++) {
        if ((connected >> p & 1) != 0) {
            slave->esc.memory[0x0007] |= (uint8_t)(3u << (2 * p)); /* this one has that port */
        }
    }
}

static void count_lost_link(struct slave *slave, int port)
{
    uint8_t *lost = &slave->esc.memory[ESC_REG_LOST_LINK + port];

    *lost = (uint8_t)(*lost < 0xff ? *lost + 1 : 0xff);
}

static void find_reached(struct segment *s, bool reached[static SEGMENT_SLAVES_MAX])
{
    s->reached = 0;
    for (int i = 0; i < s->count; i++) {
        const int parent = parent_of(s, i);

        reached[i] = s->slave[i].powered && !s->cut[i] && (parent < 0 || reached[parent]);
        if (reached[i]) {
            s->order[s->reached++] = i;
        }
    }
}

/* Time from entering slave i to leaving it again towards the master: twice each cable behind it. Children have
 * greater indices, so one pass backwards adds up every branch. */
static void find_round_trips(struct segment *s, const bool reached[static SEGMENT_SLAVES_MAX],
                             int32_t round_trip[static SEGMENT_SLAVES_MAX])
{
    for (int i = 0; i < s->count; i++) {
        round_trip[i] = 0;
    }
    for (int i = s->count - 1; i > 0; i--) {
        if (reached[i]) {
            round_trip[parent_of(s, i)] += 2 * hop_of(s, i) + round_trip[i];
        }
    }
}

/* A frame visits the branches of a slave one after the other: `next` is when it leaves for the following one. */
static void find_arrivals(struct segment *s, const bool reached[static SEGMENT_SLAVES_MAX],
                          const int32_t round_trip[static SEGMENT_SLAVES_MAX],
                          unsigned connected[static SEGMENT_SLAVES_MAX])
{
    int32_t next[SEGMENT_SLAVES_MAX] = {0};

    for (int i = 0; i < s->count; i++) {
        const int parent = parent_of(s, i);
        struct slave *slave = &s->slave[i];

        connected[i] = 0;
        if (!reached[i]) {
            continue;
        }
        s->arrival_ns[i] = (parent < 0 ? 0 : next[parent]) + hop_of(s, i);
        next[i] = s->arrival_ns[i];
        for (int p = 0; p < SLAVE_PORTS; p++) {
            slave->port_ns[p] = p == 0 ? 0 : -1;
        }
        connected[i] = 1;
        if (parent >= 0) {
            const int port = port_of(&s->slave[i].model);

            next[parent] += 2 * hop_of(s, i) + round_trip[i];
            s->slave[parent].port_ns[port] = next[parent] - s->arrival_ns[parent];
            connected[parent] |= 1u << port;
        }
    }
}

void topology_update(struct segment *s)
{
    bool reached[SEGMENT_SLAVES_MAX] = {false};
    int32_t round_trip[SEGMENT_SLAVES_MAX] = {0};
    unsigned connected[SEGMENT_SLAVES_MAX] = {0};

    find_reached(s, reached);
    find_round_trips(s, reached, round_trip);
    find_arrivals(s, reached, round_trip, connected);
    for (int i = 0; i < s->count; i++) {
        struct slave *slave = &s->slave[i];
        const unsigned before = wire_get_u16(&slave->esc.memory[ESC_REG_DL_STATUS]);

        show_ports(slave, connected[i]);
        for (int p = 0; p < SLAVE_PORTS; p++) {
            if ((before >> (4 + p) & 1) != 0 && (connected[i] >> p & 1) == 0) {
                count_lost_link(slave, p);
            }
        }
    }
}
