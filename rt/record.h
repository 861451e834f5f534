/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.h - what a cycle leaves behind: records whose bytes are messages of ROS 2, and the log they are kept in.
 *
 *     cycle:   record_take() -- struct record_raw --> ring
 *     helper:  ring --> record_raw_write() --> run.mcap: /raw, /events, and what viewers know (JointState, PoseStamped, ...)
 *
 * Each record is one list of fields below. The C struct, the text of its schema, the names of its columns and the search
 * for a difference all come from that list. The struct has no padding, and behind its first four bytes it is the CDR
 * encoding of the schema (little-endian): nothing is ever converted.
 */
#ifndef FREEFALL_RECORD_H
#define FREEFALL_RECORD_H

#include "rt/control.h"
#include "rt/mcap_read.h"

#define RECORD_FILE   "run.mcap"
#define RECORD_JOINTS 8 /* as MULTIBODY_LANES, as a word of the schemas */

/* S a number, A an array, J one for each joint: type, name, [count,] unit. SI; poses x y z qx qy qz qw; rotations by
 * rows. Names are lower case: ROS 2 takes no others. */

/* One account of the satellites in an instant: as the controller believes, as the lab is, as it would be in orbit. */
#define RECORD_ACCOUNT_FIELDS(S, A, J)                                                             \
    A(float64, client_orbit_pose, 7, "T in I, m")                                                  \
    A(float64, client_orbit_velocity, 6, "m/s, rad/s")                                             \
    A(float64, client_lab_pose, 7, "T in N, m")                                                    \
    A(float64, client_lab_velocity, 6, "m/s, rad/s")                                               \
    A(float64, servicer_orbit_pose, 7, "B in I, m")                                                \
    A(float64, servicer_orbit_velocity, 6, "m/s, rad/s")                                           \
    A(float64, servicer_lab_pose, 7, "B in N, m")                                                  \
    A(float64, servicer_lab_velocity, 6, "m/s, rad/s")                                             \
    J(float64, joint_position, "rad")                                                              \
    J(float64, joint_velocity, "rad/s")                                                            \
    J(float64, joint_torque, "Nm, of the drives")                                                  \
    J(float64, obsw_torque, "Nm, wanted by the on-board software")                                 \
    A(float64, base_wrench, 6, "F_b, N, Nm")                                                       \
    A(float64, client_wrench, 6, "on the client at T, N, Nm")                                      \
    A(float64, gripper_wrench, 6, "on the gripper at E, N, Nm")                                    \
    A(float64, momentum, 6, "about the inertial origin, kg m/s, kg m^2/s")

/* What the controller believes in a cycle of motion. */
#define RECORD_CYCLE_FIELDS(S, A, J)                                                               \
    S(float64, t_s, "since motion began")                                                          \
    S(uint32, mode, "number of rt/safety.h")                                                       \
    S(uint32, phase, "of the on-board software")                                                   \
    A(float64, nominal_pose, 7, "m")                                                               \
    A(float64, nominal_velocity, 6, "m/s, rad/s")                                                  \
    RECORD_ACCOUNT_FIELDS(S, A, J)                                                                 \
    A(float64, energy_observer, 2, "J, client and servicer robot")

/* Everything control_step() got and gave: enough to compute it again. */
#define RECORD_RAW_FIELDS(S, A, J)                                                                 \
    S(uint64, cycle, "")                                                                           \
    S(int64, time_ns, "since the start of the program")                                            \
    A(float64, wrench, 6, "in: on the client at T, compensated, N, Nm")                            \
    J(float64, position, "in: rad")                                                                \
    J(float64, velocity, "in: rad/s")                                                              \
    A(float64, client_rotation, 9, "in: measured")                                                 \
    A(float64, client_position, 3, "in: m")                                                        \
    A(float64, client_velocity, 6, "in: m/s, rad/s")                                               \
    A(float64, servicer_rotation, 9, "in: measured")                                               \
    A(float64, servicer_position, 3, "in: m")                                                      \
    A(float64, servicer_velocity, 6, "in: m/s, rad/s")                                             \
    A(int32, age, 4, "in: cycles, of wrench, joints, client, servicer")                            \
    S(uint32, valid, "in: bits: wrench, joints, client, servicer, ready, latched")                 \
    S(uint32, request, "in: of the operator, number of rt/safety.h")                               \
    S(uint32, seen, "in: causes seen outside, bits of rt/safety.h")                                \
    S(uint32, mode, "out: number of rt/safety.h")                                                  \
    A(float64, command_client_rotation, 9, "out")                                                  \
    A(float64, command_client_position, 3, "out: m")                                               \
    A(float64, command_client_velocity, 6, "out: m/s, rad/s")                                      \
    A(float64, command_client_acceleration, 6, "out: m/s^2, rad/s^2")                              \
    A(float64, command_servicer_rotation, 9, "out")                                                \
    A(float64, command_servicer_position, 3, "out: m")                                             \
    A(float64, command_servicer_velocity, 6, "out: m/s, rad/s")                                    \
    A(float64, command_servicer_acceleration, 6, "out: m/s^2, rad/s^2")                            \
    J(float64, torque, "out: Nm")                                                                  \
    S(uint32, torque_on, "out: drives enabled")                                                    \
    S(uint32, grip, "out")                                                                         \
    S(uint32, causes, "out: bits of rt/safety.h")                                                  \
    S(uint32, phase, "out: of the on-board software")

/* What the on-board software answered, before any check or limit. */
#define RECORD_OBSW_FIELDS(S, A, J)                                                                \
    S(uint64, cycle, "asked")                                                                      \
    S(int32, code, "returned by step()")                                                           \
    S(uint32, version, "")                                                                         \
    S(uint64, answered, "cycle it says it answers")                                                \
    S(uint32, size, "")                                                                            \
    S(uint32, phase, "")                                                                           \
    S(uint32, grip, "")                                                                            \
    S(uint32, reserved, "zero")                                                                    \
    A(float64, base_wrench, 6, "N, Nm")                                                            \
    A(float64, joint_torque, OBSW_JOINTS, "Nm")

#define RECORD_C_float64           double
#define RECORD_C_uint64            uint64_t
#define RECORD_C_int64             int64_t
#define RECORD_C_uint32            uint32_t
#define RECORD_C_int32             int32_t
#define RECORD_S(type, name, u)    RECORD_C_##type name;
#define RECORD_A(type, name, n, u) RECORD_C_##type name[n];
#define RECORD_J(type, name, u)    RECORD_C_##type name[RECORD_JOINTS];

/* unused: so that cdr, the four bytes before every message, leaves the fields at multiples of eight in both. */
#define RECORD_STRUCT(tag, fields)                                                                 \
    struct tag {                                                                                   \
        uint32_t unused;                                                                           \
        uint8_t cdr[4];                                                                            \
        fields(RECORD_S, RECORD_A, RECORD_J)                                                       \
    }
RECORD_STRUCT(record_account, RECORD_ACCOUNT_FIELDS);
RECORD_STRUCT(record_cycle, RECORD_CYCLE_FIELDS);
RECORD_STRUCT(record_raw, RECORD_RAW_FIELDS);
RECORD_STRUCT(record_obsw, RECORD_OBSW_FIELDS);

enum record_kind {
    RECORD_RAW,
    RECORD_CYCLE,
    RECORD_OBSW,
    RECORD_TRUTH,     /* simulated lab only */
    RECORD_REFERENCE, /* simulated lab only */
    RECORD_KINDS
};

struct record_field {
    const char *name, *type, *unit;
    int count;   /* 0: not an array */
    bool joints; /* one for each joint: only the first ones mean something */
    size_t offset, size;
};

/* How a kind of record is laid out. */
struct record_layout {
    const char *topic, *schema;
    const char *text; /* of the schema, ros2msg */
    const struct record_field *field;
    int fields;
    size_t size; /* of the struct; the message is four bytes shorter */
};
extern const struct record_layout record_layouts[RECORD_KINDS];

/* In the cycle: everything control_step() got and gave. */
RT_SAFE void record_take(struct record_raw *raw, const struct control_input *in,
                         const struct control_output *out);

/* The input back, bit by bit. */
void record_input(struct control_input *in, const struct record_raw *raw);

/* First field that differs in any bit, its number in the array to *element; NULL when none does. */
const struct record_field *record_difference(enum record_kind kind, const void *a, const void *b,
                                             int *element);

/* The log of a run. Owned by the caller, all zero before record_open(). */
struct record {
    struct mcap_writer file;
    bool open;
    int channel[RECORD_KINDS];
    int events, joint_states, wrench, client_pose, servicer_pose, tf; /* channels */
    int every; /* cycles from one message for viewers to the next; 0: none */
    int joints;
    bool any;
    uint32_t mode, causes; /* of the last cycle */
};

/* Make the file and declare every channel. 0 or -errno. */
int record_open(struct record *r, const char *path, int joints, int every, bool sync);

/* Keep a record of this kind (its cdr is set here). 0 or -errno. */
int record_write(struct record *r, enum record_kind kind, int64_t time_ns, void *record);

/* The same for a cycle, with the events and the messages for viewers that follow from it. 0 or -errno. */
int record_raw_write(struct record *r, struct record_raw *raw);

int record_close(struct record *r);

/* Reading: the kind of a message, or -ENOENT for another topic, -EPROTO for one of ours laid out otherwise (another
 * version of freefall). */
int record_kind_of(const struct mcap_reader *r, const struct mcap_read_item *item);

/* The message as the struct of its kind. */
void record_copy(enum record_kind kind, void *record, const struct mcap_read_item *item);

#endif
