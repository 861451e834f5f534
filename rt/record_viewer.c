/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_viewer.c - messages of the log that viewers know without being told. */
#include "rt/record_viewer.h"

#include <stdio.h>

#include "model/so3.h"

#define MESSAGE_MOST 2048
#define SECOND       1000000000

/* Schemas: the messages as ROS 2 defines them, each with what it is made of behind it. */
#define RULE      "================================================================================\n"
#define HEADER    "std_msgs/Header header\n"
#define MSG(name) RULE "MSG: " name "\n"
#define DEF_HEADER                                                                                 \
    MSG("std_msgs/Header") "builtin_interfaces/Time stamp\nstring frame_id\n" DEF_TIME
#define DEF_TIME   MSG("builtin_interfaces/Time") "int32 sec\nuint32 nanosec\n"
#define XYZ        "float64 x\nfloat64 y\nfloat64 z\n"
#define DEF_VECTOR MSG("geometry_msgs/Vector3") XYZ
#define DEF_QUAT   MSG("geometry_msgs/Quaternion") XYZ "float64 w\n"

static const char event_text[] =
    "uint64 cycle\nint64 time_ns # since the start of the program\nuint32 mode_before # number of "
    "rt/safety.h\nuint32 mode\nuint32 causes # bits of rt/safety.h\nstring text\n";
static const char joint_text[] =
    HEADER "string[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n" DEF_HEADER;
static const char wrench_text[] = HEADER "geometry_msgs/Wrench wrench\n" DEF_HEADER MSG(
    "geometry_msgs/Wrench") "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 "
                            "torque\n" DEF_VECTOR;
static const char pose_text[] = HEADER "geometry_msgs/Pose pose\n" DEF_HEADER MSG(
    "geometry_msgs/Pose") "geometry_msgs/Point position\ngeometry_msgs/Quaternion "
                          "orientation\n" MSG("geometry_msgs/Point") XYZ DEF_QUAT;
static const char tf_text[] =
    "geometry_msgs/TransformStamped[] transforms\n" MSG("geometry_msgs/TransformStamped") HEADER
    "string child_frame_id\ngeometry_msgs/Transform transform\n" MSG(
        "geometry_msgs/Transform") "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion "
                                   "rotation\n" DEF_HEADER DEF_VECTOR DEF_QUAT;

static int declare(struct record *r, int *channel, const char *topic, const char *name,
                   const char *text)
{
    const int schema = mcap_schema(&r->file, name, "ros2msg", text);

    *channel = schema < 0 ? schema : mcap_channel(&r->file, schema, topic, "cdr");
    return *channel < 0 ? *channel : 0;
}

int record_viewer_open(struct record *r)
{
    int code = declare(r, &r->events, "/events", "freefall_msgs/msg/Event", event_text);

    if (code != 0 || r->every == 0) {
        return code;
    }
    code = declare(r, &r->joint_states, "/joint_states", "sensor_msgs/msg/JointState", joint_text);
    code = code != 0
               ? code
               : declare(r, &r->wrench, "/wrench", "geometry_msgs/msg/WrenchStamped", wrench_text);
    code = code != 0 ? code
                     : declare(r, &r->client_pose, "/client_pose", "geometry_msgs/msg/PoseStamped",
                               pose_text);
    code = code != 0 ? code
                     : declare(r, &r->servicer_pose, "/servicer_pose",
                               "geometry_msgs/msg/PoseStamped", pose_text);
    return code != 0 ? code : declare(r, &r->tf, "/tf", "tf2_msgs/msg/TFMessage", tf_text);
}

/* ---- CDR ---- */

struct message {
    uint8_t memory[MESSAGE_MOST];
    struct mcap_bytes bytes;
};

static void begin(struct message *m)
{
    m->bytes = (struct mcap_bytes){.data = m->memory, .most = sizeof m->memory};
    mcap_put(&m->bytes, "\0\1\0", 4); /* little-endian */
}

/* Numbers stand at multiples of their size, counted behind the first four bytes. */
static void number(struct message *m, uint64_t value, int bytes)
{
    while (m->bytes.size % (size_t)bytes != 4 % (size_t)bytes && !m->bytes.full) {
        mcap_put_number(&m->bytes, 0, 1);
    }
    mcap_put_number(&m->bytes, value, bytes);
}

static void reals(struct message *m, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits;

        memcpy(&bits, &x[i], sizeof bits);
        number(m, bits, 8);
    }
}

static void text(struct message *m, const char *s)
{
    const size_t n = strlen(s) + 1;

    number(m, n, 4);
    mcap_put(&m->bytes, s, n);
}

static void header(struct message *m, int64_t time_ns, const char *frame)
{
    number(m, (uint32_t)(time_ns / SECOND), 4);
    number(m, (uint32_t)(time_ns % SECOND), 4);
    text(m, frame);
}

static void place(struct message *m, const double *R, const double *p)
{
    double q[4];

    so3_to_quat(q, R);
    reals(m, p, 3);
    reals(m, q, 4);
}

static int send(struct record *r, int channel, int64_t time_ns, const struct message *m)
{
    return mcap_message(&r->file, channel, (uint64_t)time_ns, m->bytes.data, m->bytes.size);
}

/* ---- messages ---- */

static void describe(char *out, size_t most, const struct record *r, const struct record_raw *raw)
{
    size_t n = (size_t)snprintf(out, most, "%s%s%s", r->any ? safety_mode_name((int)r->mode) : "",
                                r->any ? " -> " : "", safety_mode_name((int)raw->mode));

    for (int i = 0; i < SAFETY_CAUSES && n < most; i++) {
        if ((raw->causes & SAFETY_BIT(i)) != 0) {
            n += (size_t)snprintf(out + n, most - n, ", %s", safety_cause_name(i));
        }
    }
}

int record_viewer_event(struct record *r, const struct record_raw *raw)
{
    struct message m;
    char words[1024];

    describe(words, sizeof words, r, raw);
    begin(&m);
    number(&m, raw->cycle, 8);
    number(&m, (uint64_t)raw->time_ns, 8);
    number(&m, r->any ? r->mode : raw->mode, 4);
    number(&m, raw->mode, 4);
    number(&m, raw->causes, 4);
    text(&m, words);
    return send(r, r->events, raw->time_ns, &m);
}

static int joint_states(struct record *r, const struct record_raw *raw)
{
    const double *const part[3] = {raw->position, raw->velocity, raw->torque};
    struct message m;

    begin(&m);
    header(&m, raw->time_ns, "");
    number(&m, (uint64_t)r->joints, 4);
    for (int i = 0; i < r->joints; i++) {
        char name[24];

        (void)snprintf(name, sizeof name, "joint%d", i + 1);
        text(&m, name);
    }
    for (int i = 0; i < 3; i++) {
        number(&m, (uint64_t)r->joints, 4);
        reals(&m, part[i], r->joints);
    }
    return send(r, r->joint_states, raw->time_ns, &m);
}

static int pose(struct record *r, int channel, const struct record_raw *raw, const double *R,
                const double *p)
{
    struct message m;

    begin(&m);
    header(&m, raw->time_ns, "lab");
    place(&m, R, p);
    return send(r, channel, raw->time_ns, &m);
}

int record_viewer_write(struct record *r, const struct record_raw *raw)
{
    struct message m;
    int code = joint_states(r, raw);
    const int poses[2] = {
        pose(r, r->client_pose, raw, raw->client_rotation, raw->client_position),
        pose(r, r->servicer_pose, raw, raw->servicer_rotation, raw->servicer_position),
    };

    code = code != 0 ? code : poses[0] != 0 ? poses[0] : poses[1];
    begin(&m);
    header(&m, raw->time_ns, "client");
    reals(&m, raw->wrench, 6);
    code = code != 0 ? code : send(r, r->wrench, raw->time_ns, &m);

    begin(&m);
    number(&m, 2, 4);
    header(&m, raw->time_ns, "lab");
    text(&m, "client");
    place(&m, raw->client_rotation, raw->client_position);
    header(&m, raw->time_ns, "lab");
    text(&m, "servicer");
    place(&m, raw->servicer_rotation, raw->servicer_position);
    return code != 0 ? code : send(r, r->tf, raw->time_ns, &m);
}
