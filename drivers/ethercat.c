/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ethercat.c - see ethercat.h. */
#include "drivers/ethercat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "soem/soem.h"

#include "drivers/setup.h"

#define ERROR_COUNTERS                                                                             \
    0x0300 /* 20 bytes: invalid frames and errors of four ports, forwarded, others, lost links */
#define LOST_LINKS  16 /* of these bytes */
#define STATE_TRIES 20
#define OPEN_TRIES  3

static const char *cause(int error)
{
    switch (error) {
    case -EPERM:
        return "not permitted: needs CAP_NET_RAW (sudo, or setcap cap_net_raw+ep)";
    case -ENODEV:
        return "no such interface; \"ip link\" lists them";
    case -ENETDOWN:
        return "the interface is down; \"ip link set IFACE up\"";
    default:
        return strerror(-error);
    }
}

static void copy_found(struct ethercat *e)
{
    for (int i = 0; i < e->count; i++) {
        const ec_slavet *from = &e->soem->slavelist[i + 1];

        e->found[i] = (struct identity){
            .vendor = from->eep_man,
            .product = from->eep_id,
            .revision = from->eep_rev,
            .serial = from->eep_ser,
        };
        snprintf(e->found[i].name, sizeof e->found[i].name, "%s", from->name);
        e->slave[i].address = from->configadr;
        e->slave[i].alias = from->aliasadr;
        e->slave[i].dc = from->hasdc != 0;
        e->slave[i].state = from->state;
    }
}

int ethercat_scan(struct ethercat *e, const char *interface, FILE *messages)
{
    int error;

    memset(e, 0, sizeof *e);
    e->port.fd = -1;
    error = port_open(&e->port, interface, PORT_CYCLE);
    if (error != 0) {
        fprintf(messages, "freefall: bus: cannot open %s: %s\n", interface, cause(error));
        return error;
    }
    e->soem = (struct ecx_context *)calloc(1, sizeof *e->soem);
    if (!e->soem || ecx_init(e->soem, interface) <= 0) {
        fprintf(messages, "freefall: bus: cannot open %s a second time\n", interface);
        return e->soem ? -EIO : -ENOMEM;
    }
    e->count = ecx_config_init(e->soem);
    e->count = e->count > 0 ? e->count : 0;
    if (e->count > ETHERCAT_DEVICES_MAX) {
        fprintf(messages, "freefall: bus: expected at most %d devices, found %d\n",
                ETHERCAT_DEVICES_MAX, e->count);
        e->count = 0;
        return -E2BIG;
    }
    if (e->count > 0) {
        (void)ecx_configdc(e->soem); /* before SYNC0: its start is a system time */
    }
    copy_found(e);
    return e->count;
}

void ethercat_inspect(struct ethercat *e)
{
    (void)ecx_readstate(e->soem);
    for (int i = 0; i < e->count; i++) {
        struct ethercat_slave *s = &e->slave[i];
        const ec_slavet *from = &e->soem->slavelist[i + 1];
        uint8_t counters[20] = {0};

        s->state = from->state;
        s->code = from->ALstatuscode;
        s->delay_ns = from->pdelay;
        s->outputs = from->Obits;
        s->inputs = from->Ibits;
        if (ecx_FPRD(&e->soem->port, s->address, ERROR_COUNTERS, sizeof counters, counters,
                     EC_TIMEOUTRET3) > 0) {
            for (int p = 0; p < 4; p++) {
                s->invalid[p] = counters[2 * p];
                s->lost[p] = counters[LOST_LINKS + p];
            }
        }
    }
}

/* Everything that is wrong is said, not only the first. */
static int check_identities(const struct ethercat *e, const struct ethercat_model *m,
                            FILE *messages)
{
    const int positions = e->count > m->count ? e->count : m->count;
    int error = 0;

    for (int i = 0; i < positions; i++) {
        char text[IDENTITY_TEXT_MAX];

        if (identity_check(m->expected, m->count, e->found, e->count, i, text) != IDENTITY_OK) {
            fprintf(messages, "freefall: bus: %s\n", text);
            error = -ENODEV;
        }
    }
    return error;
}

/* SOEM calls this for each device in PRE-OP, before it maps it; it does not look at the result. */
static int configure(ecx_contextt *soem, uint16 position)
{
    struct ethercat *e = (struct ethercat *)soem->userdata;

    if (setup_device(e, position - 1, e->messages) != 0 || setup_registers(e, position - 1) != 0) {
        e->refused++;
    }
    return 1;
}

/* What one device adds to the working counter: by its active FMMUs, not by its size. */
static int counted(const ec_slavet *s)
{
    int wkc = 0;

    for (int i = 0; i < EC_MAXFMMU; i++) {
        if (s->FMMU[i].FMMUactive != 0) {
            wkc |= s->FMMU[i].FMMUtype & 3; /* 1: the master reads, 2: it writes */
        }
    }
    return wkc;
}

/* The immutable plan of the cycle from SOEM's mapping. */
static int make_plan(struct ethercat *e, int bytes, FILE *messages)
{
    const ec_groupt *group = &e->soem->grouplist[0];
    struct process_data_model *p = &e->plan;
    int error;

    memset(p, 0, sizeof *p);
    p->logical = group->logstartaddr;
    p->image_bytes = bytes;
    p->output_bytes = (int)group->Obytes;
    p->count = e->count;
    p->period_ns = e->period_ns;
    p->receive_ns = e->receive_ns;
    for (int i = 0; i < e->count; i++) {
        const ec_slavet *s = &e->soem->slavelist[i + 1];
        struct process_data_device *d = &p->device[i];

        d->address = s->configadr;
        d->outputs = (s->Obits + 7) / 8;
        d->inputs = (s->Ibits + 7) / 8;
        d->output = d->outputs > 0 ? (int)(s->outputs - e->map) : 0;
        d->input = d->inputs > 0 ? (int)(s->inputs - e->map) : 0;
        d->wkc = counted(s);
        if (p->reference == 0 && s->hasdc != 0) {
            p->reference = s->configadr;
        }
    }
    error = group->blockLRW != 0 ? -ENOTSUP : process_data_init(p, &e->data);
    if (error == -ENOTSUP) {
        fprintf(messages, "freefall: bus: a device does not serve LRW; it cannot be used here\n");
    } else if (error != 0) {
        fprintf(messages,
                "freefall: bus: expected a process image of 1 to %d bytes, found %d (%s)\n",
                PROCESS_DATA_IMAGE_MAX, bytes, strerror(-error));
    }
    return error;
}

/* Wait for a state of all devices; name those that are not there. */
static int await_state(struct ethercat *e, uint16 state, FILE *messages)
{
    for (int i = 0; i < STATE_TRIES; i++) {
        const uint16 found =
            ecx_statecheck(e->soem, 0, state, (int)(EC_TIMEOUTSTATE / STATE_TRIES));

        if ((found & 0x1f) == state) {
            return 0;
        }
        (void)ecx_readstate(e->soem);
        if ((e->soem->slavelist[0].state & EC_STATE_ERROR) != 0) {
            break; /* a device has refused: waiting does not change its mind */
        }
    }
    for (int i = 1; i <= e->count; i++) {
        const ec_slavet *s = &e->soem->slavelist[i];

        if (s->state != state) {
            fprintf(messages,
                    "freefall: bus: slave %d %s: expected state %s, found %s%s, code 0x%04x: %s\n",
                    i, s->name, process_data_state_name(state), process_data_state_name(s->state),
                    (s->state & EC_STATE_ERROR) != 0 ? " with error" : "", s->ALstatuscode,
                    ec_ALstatuscode2string(s->ALstatuscode));
        }
    }
    return -EPROTO;
}

static int bring_up(struct ethercat *e, const struct ethercat_model *m, FILE *messages)
{
    int error = ethercat_scan(e, m->interface, messages);
    int bytes;

    if (error < 0) {
        return error;
    }
    error = check_identities(e, m, messages);
    if (error != 0) {
        return error;
    }
    e->period_ns = m->period_ns;
    e->shift_ns = m->shift_ns;
    e->receive_ns = m->receive_ns > 0 ? m->receive_ns : m->period_ns / 4;
    e->watchdog_ms = m->watchdog_ms;
    e->watchdog_io_ms = m->watchdog_io_ms;
    e->messages = messages;
    memcpy(e->kind, m->kind, sizeof e->kind);
    e->soem->userdata = e;
    error = await_state(e, EC_STATE_PRE_OP, messages);
    if (error != 0) {
        return error;
    }
    for (int i = 1; i <= e->count; i++) {
        e->soem->slavelist[i].PO2SOconfig = configure;
    }
    bytes = ecx_config_map_group(e->soem, e->map, 0);
    error = bytes > (int)sizeof e->map ? -EMSGSIZE
            : e->refused > 0           ? -EPROTO
                                       : await_state(e, EC_STATE_SAFE_OP, messages);
    for (int i = 0; i < e->count && error == 0; i++) {
        error = setup_check(e, i, messages);
    }
    return error != 0 ? error : make_plan(e, bytes, messages);
}

/* A few lost frames at the wrong moment make SOEM read a device wrongly. Then it is begun anew; not when a device has
 * clearly said no. Only the last attempt is told. */
int ethercat_open(struct ethercat *e, const struct ethercat_model *m, FILE *messages)
{
    int error = 0;

    for (int i = 0; i < OPEN_TRIES; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *attempt = open_memstream(&text, &size);

        if (!attempt) {
            return -ENOMEM;
        }
        error = bring_up(e, m, attempt);
        e->messages = NULL;
        fclose(attempt);
        if (error != -EPROTO || e->definite || i == OPEN_TRIES - 1) {
            fputs(text, messages);
            i = OPEN_TRIES;
        } else {
            ethercat_close(e);
        }
        free(text);
    }
    return error;
}

int ethercat_operate(struct ethercat *e)
{
    e->soem->slavelist[0].state = EC_STATE_OPERATIONAL;
    return ecx_writestate(e->soem, 0) > 0 ? 0 : -EIO;
}

/* SOEM makes these at every scan and never gives them back. */
static void release_locks(ecx_contextt *soem)
{
    for (int i = 0; i < EC_MAXGROUP; i++) {
        if (soem->grouplist[i].mbxtxqueue.mbxmutex) {
            osal_mutex_destroy(soem->grouplist[i].mbxtxqueue.mbxmutex);
        }
    }
}

void ethercat_close(struct ethercat *e)
{
    if (e->soem) {
        if (e->count > 0) {
            e->soem->slavelist[0].state = EC_STATE_INIT;
            (void)ecx_writestate(e->soem, 0);
        }
        release_locks(e->soem);
        if (e->soem->port.stack.sock) {
            ecx_close(e->soem);
        }
        free(e->soem);
        e->soem = NULL;
    }
    port_close(&e->port);
}

void ethercat_mask(struct ethercat *e, int position, bool masked)
{
    atomic_store(&e->masked[position], masked);
}

RT_SAFE void ethercat_send(struct ethercat *e, int64_t now_ns)
{
    int bytes;

    for (int i = 0; i < e->plan.count; i++) {
        const struct process_data_device *d = &e->plan.device[i];

        if (d->outputs > 0 && atomic_load_explicit(&e->masked[i], memory_order_relaxed)) {
            memset(e->data.outputs + d->output, 0, (size_t)d->outputs);
        }
    }
    bytes = process_data_build(&e->plan, &e->data, now_ns);
    (void)port_drain(&e->port);
    e->failed = port_send(&e->port, e->data.frame, bytes) != 0;
}

bool ethercat_wait(const struct ethercat *e, int64_t timeout_ns)
{
    return port_wait(&e->port, timeout_ns);
}

RT_SAFE bool ethercat_receive(struct ethercat *e, int64_t now_ns)
{
    uint8_t frame[PORT_FRAME_MAX];

    for (int i = 0; i < PORT_BURST; i++) {
        const int n = port_receive(&e->port, frame);

        if (n <= 0) {
            return false;
        }
        if (process_data_take(&e->plan, &e->data, frame, n, now_ns)) {
            return true;
        }
    }
    return false;
}

RT_SAFE unsigned ethercat_end(struct ethercat *e)
{
    return process_data_end(&e->plan, &e->data, e->failed);
}

RT_SAFE uint8_t *ethercat_outputs(struct ethercat *e, int position)
{
    return e->data.outputs + e->plan.device[position].output;
}

RT_SAFE const uint8_t *ethercat_inputs(const struct ethercat *e, int position)
{
    return e->data.inputs + e->plan.device[position].input;
}
