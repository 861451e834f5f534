/* SPDX-License-Identifier: Apache-2.0 */
/* obsw.h - what on-board software may see and command: the plug-in interface of freefall.
 *
 * Copy this header into your own project; it needs nothing else, and is C11 and C++11. Your software is a
 * shared library that exports one function, obsw_table(), or a process of its own that maps the same structs
 * from shared memory. Both get the same bytes and may answer with the same bytes.
 *
 *     const struct obsw_interface *obsw_table(void);
 *
 * Units are SI, angles radians. A pose is x y z qx qy qz qw; a twist [v; w] and a wrench [f; m] have their linear
 * part first and are told in the axes of the body they belong to. Frames: I inertial, T centre of mass of the
 * client, B base of the servicer, E gripper jaws.
 *
 * Numbers are little-endian IEEE double; the structs have no padding and fixed sizes (checked below).
 * A change of layout changes OBSW_VERSION, and another version is refused before anything moves.
 */
#ifndef FREEFALL_OBSW_H
#define FREEFALL_OBSW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OBSW_VERSION    1u
#define OBSW_JOINTS     16
#define OBSW_TEXT_BYTES 1024

/* Which parts of an input are usable in this cycle (bits of obsw_input.valid). */
enum obsw_valid {
    OBSW_VALID_ATTITUDE = 1,   /* star tracker */
    OBSW_VALID_RATE = 2,       /* base_velocity */
    OBSW_VALID_NAVIGATION = 4, /* relative_pose, client_velocity */
    OBSW_VALID_JOINTS = 8,
    OBSW_VALID_WRENCH = 16
};

/* Told once, before the first step. */
struct obsw_setup {
    uint32_t version; /* OBSW_VERSION */
    uint32_t size;    /* sizeof(struct obsw_setup) */
    int64_t period_ns;
    uint32_t joints; /* of the arm */
    uint32_t reserved;
    uint64_t seed;
    char parameters[OBSW_TEXT_BYTES]; /* text of the key obsw.parameters, ends with a zero byte */
};

/* What the satellite's sensors say in this cycle. */
struct obsw_input {
    uint32_t version;
    uint32_t size;
    uint64_t cycle;
    int64_t time_ns;  /* since the start of the run */
    uint32_t valid;   /* bits of enum obsw_valid */
    uint32_t latched; /* 1: the gripper holds the client */

    int64_t attitude_time_ns;  /* when the star tracker measured */
    double attitude[4];        /* B in I, x y z w */
    double base_velocity[6];   /* V_b, B axes */
    double relative_pose[7];   /* B in T */
    double client_velocity[6]; /* V_t, T axes */
    double joint_position[OBSW_JOINTS];
    double joint_velocity[OBSW_JOINTS];
    double gripper_wrench[6]; /* on the gripper, at E, E axes */
};

/* What it wants. Everything beyond the limits of the facility is limited there; a value that is not
 * finite, a wrong version or a late answer stops the run in HOLD. */
struct obsw_output {
    uint32_t version;
    uint32_t size;
    uint64_t cycle;        /* copied from the input it answers */
    uint32_t phase;        /* own number of the phase, recorded and shown */
    uint32_t grip;         /* 1: close the gripper */
    double base_wrench[6]; /* F_b at B, B axes, by thrusters and wheels */
    double joint_torque[OBSW_JOINTS];
};

/* Functions of a shared library. All are called from one thread; step must return within its share of the cycle,
 * must not allocate, lock, wait or write a file, and keeps its memory behind the pointer that init returns. */
struct obsw_interface {
    uint32_t version; /* OBSW_VERSION this library was compiled with */
    uint32_t reserved;
    const char *name; /* shown and recorded */
    /* Memory for one run, or NULL when the setup is not usable. */
    void *(*init)(const struct obsw_setup *setup);
    /* 0, or anything else to ask for HOLD. */
    int (*step)(void *self, const struct obsw_input *in, struct obsw_output *out);
    void (*terminate)(void *self);
    /* Name of a phase number for people, or NULL. */
    const char *(*phase_name)(uint32_t phase);
};

/* The one symbol a library exports. */
const struct obsw_interface *obsw_table(void);

#ifdef __cplusplus
}
#define OBSW_CHECK(type, bytes) static_assert(sizeof(type) == (bytes), "layout of " #type)
#else
#define OBSW_CHECK(type, bytes) _Static_assert(sizeof(type) == (bytes), "layout of " #type)
#endif

OBSW_CHECK(struct obsw_setup, 32 + OBSW_TEXT_BYTES);
OBSW_CHECK(struct obsw_input, 40 + 8 * (4 + 6 + 7 + 6 + 2 * OBSW_JOINTS + 6));
OBSW_CHECK(struct obsw_output, 24 + 8 * (6 + OBSW_JOINTS));

#endif
