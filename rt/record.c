/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.c - what a cycle leaves behind: layouts, the copy in the cycle, the log, and reading it again. */
#include "rt/record.h"

#include <errno.h>

#include "model/mat.h"
#include "rt/record_viewer.h"

/* ---- layouts, from the lists of fields ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): terms of a sum, rows of a table */
#define SUM_S(type, name, u)    +sizeof(RECORD_C_##type)
#define SUM_A(type, name, n, u) +sizeof(RECORD_C_##type) * (n)
#define SUM_J(type, name, u)    +sizeof(RECORD_C_##type) * RECORD_JOINTS
#define TIGHT(tag, fields)                                                                         \
    _Static_assert(sizeof(struct tag) == 8 fields(SUM_S, SUM_A, SUM_J), "padding in " #tag)
TIGHT(record_account, RECORD_ACCOUNT_FIELDS);
TIGHT(record_cycle, RECORD_CYCLE_FIELDS);
TIGHT(record_raw, RECORD_RAW_FIELDS);
TIGHT(record_obsw, RECORD_OBSW_FIELDS);
_Static_assert(RECORD_JOINTS == MULTIBODY_LANES, "one place for each joint");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "records are written as they lie in memory");

#define ROW(type, name, n, u, j)                                                                   \
    {#name, #type, u, n, j, offsetof(struct HERE, name), sizeof(RECORD_C_##type)},
#define ROW_S(type, name, u)    ROW(type, name, 0, u, false)
#define ROW_A(type, name, n, u) ROW(type, name, n, u, false)
#define ROW_J(type, name, u)    ROW(type, name, RECORD_JOINTS, u, true)

#define HERE                    record_raw
static const struct record_field raw_fields[] = {RECORD_RAW_FIELDS(ROW_S, ROW_A, ROW_J)};
#undef HERE
#define HERE record_cycle
static const struct record_field cycle_fields[] = {RECORD_CYCLE_FIELDS(ROW_S, ROW_A, ROW_J)};
#undef HERE
#define HERE record_obsw
static const struct record_field obsw_fields[] = {RECORD_OBSW_FIELDS(ROW_S, ROW_A, ROW_J)};
#undef HERE
#define HERE record_account
static const struct record_field account_fields[] = {RECORD_ACCOUNT_FIELDS(ROW_S, ROW_A, ROW_J)};
#undef HERE

#define STRING(x)                #x
#define TEXT_S(type, name, u)    #type " " #name " # " u "\n"
#define TEXT_A(type, name, n, u) #type "[" STRING(n) "] " #name " # " u "\n"
#define TEXT_J(type, name, u)    TEXT_A(type, name, RECORD_JOINTS, u)

#define LAYOUT(topic, schema, list, fields, tag)                                                   \
    {topic,                                                                                        \
     "freefall_msgs/msg/" schema,                                                                  \
     list(TEXT_S, TEXT_A, TEXT_J),                                                                 \
     fields,                                                                                       \
     COUNT_OF(fields),                                                                             \
     sizeof(struct tag)}
const struct record_layout record_layouts[RECORD_KINDS] = {
    [RECORD_RAW] = LAYOUT("/raw", "Raw", RECORD_RAW_FIELDS, raw_fields, record_raw),
    [RECORD_CYCLE] = LAYOUT("/cycle", "Cycle", RECORD_CYCLE_FIELDS, cycle_fields, record_cycle),
    [RECORD_OBSW] = LAYOUT("/obsw", "Obsw", RECORD_OBSW_FIELDS, obsw_fields, record_obsw),
    [RECORD_TRUTH] =
        LAYOUT("/truth", "Account", RECORD_ACCOUNT_FIELDS, account_fields, record_account),
    [RECORD_REFERENCE] =
        LAYOUT("/reference", "Account", RECORD_ACCOUNT_FIELDS, account_fields, record_account),
};

/* NOLINTEND(bugprone-macro-parentheses) */

#define CDR_HEADER 4 /* before the fields: little-endian, no options */
static const uint8_t cdr_little[CDR_HEADER] = {0, 1, 0, 0};

/* ---- the cycle ---- */

enum {
    VALID_WRENCH = 1,
    VALID_JOINTS = 2,
    VALID_CLIENT = 4,
    VALID_SERVICER = 8,
    VALID_READY = 16,
    VALID_LATCHED = 32
};

void record_take(struct record_raw *raw, const struct control_input *in,
                 const struct control_output *out)
{
    const struct control_robot *client = &in->robot[CONTROL_CLIENT];
    const struct control_robot *servicer = &in->robot[CONTROL_SERVICER];
    const struct motion *to_client = &out->robot[CONTROL_CLIENT];
    const struct motion *to_servicer = &out->robot[CONTROL_SERVICER];

    raw->cycle = in->cycle;
    raw->time_ns = in->time_ns;
    mat_copy(raw->wrench, in->wrench.value, 6);
    mat_copy(raw->position, in->joints.position, RECORD_JOINTS);
    mat_copy(raw->velocity, in->joints.velocity, RECORD_JOINTS);
    mat_copy(raw->client_rotation, client->pose.R, 9);
    mat_copy(raw->client_position, client->pose.p, 3);
    mat_copy(raw->client_velocity, client->velocity, 6);
    mat_copy(raw->servicer_rotation, servicer->pose.R, 9);
    mat_copy(raw->servicer_position, servicer->pose.p, 3);
    mat_copy(raw->servicer_velocity, servicer->velocity, 6);
    raw->age[0] = in->wrench.age;
    raw->age[1] = in->joints.age;
    raw->age[2] = client->age;
    raw->age[3] = servicer->age;
    raw->valid = (in->wrench.valid ? VALID_WRENCH : 0u) | (in->joints.valid ? VALID_JOINTS : 0u) |
                 (client->valid ? VALID_CLIENT : 0u) | (servicer->valid ? VALID_SERVICER : 0u) |
                 (in->ready ? VALID_READY : 0u) | (in->latched ? VALID_LATCHED : 0u);
    raw->request = (uint32_t)in->request;
    raw->seen = in->causes;

    raw->mode = (uint32_t)out->mode;
    mat_copy(raw->command_client_rotation, to_client->pose.R, 9);
    mat_copy(raw->command_client_position, to_client->pose.p, 3);
    mat_copy(raw->command_client_velocity, to_client->velocity, 6);
    mat_copy(raw->command_client_acceleration, to_client->acceleration, 6);
    mat_copy(raw->command_servicer_rotation, to_servicer->pose.R, 9);
    mat_copy(raw->command_servicer_position, to_servicer->pose.p, 3);
    mat_copy(raw->command_servicer_velocity, to_servicer->velocity, 6);
    mat_copy(raw->command_servicer_acceleration, to_servicer->acceleration, 6);
    mat_copy(raw->torque, out->torque, RECORD_JOINTS);
    raw->torque_on = out->torque_on;
    raw->grip = out->grip;
    raw->causes = out->causes;
    raw->phase = out->phase;
}

void record_input(struct control_input *in, const struct record_raw *raw)
{
    struct control_robot *client = &in->robot[CONTROL_CLIENT];
    struct control_robot *servicer = &in->robot[CONTROL_SERVICER];

    memset(in, 0, sizeof *in);
    in->cycle = raw->cycle;
    in->time_ns = raw->time_ns;
    mat_copy(in->wrench.value, raw->wrench, 6);
    mat_copy(in->joints.position, raw->position, RECORD_JOINTS);
    mat_copy(in->joints.velocity, raw->velocity, RECORD_JOINTS);
    mat_copy(client->pose.R, raw->client_rotation, 9);
    mat_copy(client->pose.p, raw->client_position, 3);
    mat_copy(client->velocity, raw->client_velocity, 6);
    mat_copy(servicer->pose.R, raw->servicer_rotation, 9);
    mat_copy(servicer->pose.p, raw->servicer_position, 3);
    mat_copy(servicer->velocity, raw->servicer_velocity, 6);
    in->wrench.age = raw->age[0];
    in->joints.age = raw->age[1];
    client->age = raw->age[2];
    servicer->age = raw->age[3];
    in->wrench.valid = (raw->valid & VALID_WRENCH) != 0;
    in->joints.valid = (raw->valid & VALID_JOINTS) != 0;
    client->valid = (raw->valid & VALID_CLIENT) != 0;
    servicer->valid = (raw->valid & VALID_SERVICER) != 0;
    in->ready = (raw->valid & VALID_READY) != 0;
    in->latched = (raw->valid & VALID_LATCHED) != 0;
    in->request = (enum safety_request)raw->request;
    in->causes = raw->seen;
}

const struct record_field *record_difference(enum record_kind kind, const void *a, const void *b,
                                             int *element)
{
    const struct record_layout *l = &record_layouts[kind];

    for (int i = 0; i < l->fields; i++) {
        const struct record_field *f = &l->field[i];

        for (int k = 0; k < (f->count > 0 ? f->count : 1); k++) {
            const size_t at = f->offset + (size_t)k * f->size;

            if (memcmp((const uint8_t *)a + at, (const uint8_t *)b + at, f->size) != 0) {
                *element = k;
                return f;
            }
        }
    }
    return NULL;
}

/* ---- the log ---- */

int record_open(struct record *r, const char *path, int joints, int every, bool sync)
{
    int code = mcap_open(&r->file, path, "ros2", sync);

    r->open = code == 0;
    r->joints = joints;
    r->every = every;
    r->any = false;
    for (int i = 0; code >= 0 && i < RECORD_KINDS; i++) {
        code = mcap_schema(&r->file, record_layouts[i].schema, "ros2msg", record_layouts[i].text);
        if (code >= 0) {
            code = mcap_channel(&r->file, code, record_layouts[i].topic, "cdr");
            r->channel[i] = code;
        }
    }
    if (code >= 0) {
        code = record_viewer_open(r);
    }
    if (code < 0 && r->open) {
        (void)record_close(r);
    }
    return code < 0 ? code : 0;
}

int record_write(struct record *r, enum record_kind kind, int64_t time_ns, void *record)
{
    uint8_t *message = (uint8_t *)record + CDR_HEADER;

    memcpy(message, cdr_little, CDR_HEADER);
    return mcap_message(&r->file, r->channel[kind], (uint64_t)time_ns, message,
                        record_layouts[kind].size - CDR_HEADER);
}

int record_raw_write(struct record *r, struct record_raw *raw)
{
    const int code = record_write(r, RECORD_RAW, raw->time_ns, raw);
    int more = 0;

    if (!r->any || raw->mode != r->mode || raw->causes != r->causes) {
        more = record_viewer_event(r, raw);
    }
    if (r->every > 0 && raw->cycle % (uint64_t)r->every == 0) {
        const int views = record_viewer_write(r, raw);

        more = more != 0 ? more : views;
    }
    r->any = true;
    r->mode = raw->mode;
    r->causes = raw->causes;
    return code != 0 ? code : more;
}

int record_close(struct record *r)
{
    if (!r->open) {
        return 0;
    }
    r->open = false;
    return mcap_close(&r->file);
}

/* ---- reading ---- */

int record_kind_of(const struct mcap_reader *r, const struct mcap_read_item *item)
{
    const struct mcap_read_channel *c = &r->channel[item->channel];
    const struct mcap_read_schema *s = &r->schema[c->schema];

    for (int i = 0; i < RECORD_KINDS; i++) {
        if (strcmp(c->topic, record_layouts[i].topic) == 0) {
            const char *text = record_layouts[i].text;

            return s->known && s->size == strlen(text) && memcmp(s->text, text, s->size) == 0 &&
                           item->size == record_layouts[i].size - CDR_HEADER &&
                           memcmp(item->data, cdr_little, CDR_HEADER) == 0
                       ? i
                       : -EPROTO;
        }
    }
    return -ENOENT;
}

void record_copy(enum record_kind kind, void *record, const struct mcap_read_item *item)
{
    memset(record, 0, CDR_HEADER);
    memcpy((uint8_t *)record + CDR_HEADER, item->data, record_layouts[kind].size - CDR_HEADER);
}
