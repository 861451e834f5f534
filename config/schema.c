/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.c - every key a configuration file may contain, one row each, and the search among
 * them. */
#include "config/schema.h"

#include <stdio.h>
#include <string.h>

/* Short names inside the table, so that a key is one line. */
#define NUMBER   SCHEMA_NUMBER
#define INERTIA  SCHEMA_INERTIA
#define INTEGER  SCHEMA_INTEGER
#define CODE     SCHEMA_CODE
#define FLAG     SCHEMA_FLAG
#define WORD     SCHEMA_WORD
#define NAME     SCHEMA_NAME
#define TEXT     SCHEMA_TEXT
#define PATH     SCHEMA_PATH
#define LIST     SCHEMA_LIST
#define OPTIONAL SCHEMA_OPTIONAL
#define REQUIRED SCHEMA_REQUIRED

/* clang-format off */
static const struct schema_row table[] = {
    /* key, type, need, size, units or words, default (required: example), least, greatest, help */
    {"name",                   NAME,    REQUIRED, 1, "",                   "envisat",     1,   63,           "name of the scenario; its runs are kept in folders <time>-<name>"},
    {"description",            TEXT,    OPTIONAL, 1, "",                   "",            0,   250,          "what the scenario shows, for reports"},

    {"rt.period",              NUMBER,  OPTIONAL, 1, "ms us",              "1 ms",        0.1, 10,           "length of a control cycle"},
    {"rt.priority",            INTEGER, OPTIONAL, 1, "",                   "80",          1,   98,           "SCHED_FIFO priority of the cyclic thread"},
    {"rt.rsi_priority",        INTEGER, OPTIONAL, 1, "",                   "85",          1,   98,           "SCHED_FIFO priority of the threads that answer the robots"},
    {"rt.cpu",                 INTEGER, OPTIONAL, 1, "",                   "1",           0,   1023,         "processor of the real-time threads"},
    {"rt.helper_cpu",          INTEGER, OPTIONAL, 1, "",                   "0",           0,   1023,         "processor of everything else"},
    {"rt.overrun",             WORD,    OPTIONAL, 1, "skip catch_up_once", "skip",        0,   0,            "what happens to cycles that were missed"},
    {"rt.lock_memory",         FLAG,    OPTIONAL, 1, "",                   "true",        0,   0,            "lock all memory before the first cycle"},

    {"log.folder",             PATH,    OPTIONAL, 1, "",                   "runs",        1,   200,          "folder of the runs, from the working directory"},
    {"log.viewers",            INTEGER, OPTIONAL, 1, "",                   "20",          0,   1000000,      "every how many cycles messages for viewers are logged (joints, poses, wrench, tf); 0 for none"},
    {"log.ring",               NUMBER,  OPTIONAL, 1, "s ms",               "4 s",         1,   60,           "time the ring between cycle and log writer can hold"},

    {"bus.interface",          NAME,    OPTIONAL, 1, "",                   "",            0,   15,           "network interface of the EtherCAT segment; empty for none"},
    {"bus.devices",            LIST,    OPTIONAL, 1, "",                   "",            0,   63,           "devices expected on the segment, in the order of the wire"},
    {"bus.devices[].name",     NAME,    REQUIRED, 1, "",                   "servicer_ft", 1,   31,           "name of the device in messages and logs"},
    {"bus.devices[].vendor",   CODE,    REQUIRED, 1, "",                   "0x00000732",  1,   0xffffffff,   "vendor code"},
    {"bus.devices[].product",  CODE,    REQUIRED, 1, "",                   "0x26483053",  0,   0xffffffff,   "product code"},
    {"bus.devices[].type",     WORD,    OPTIONAL, 1, "auto coupler di8 di4 do8 do4 ft-axia ft-bota drive airboard bridge", "auto", 0, 0, "kind of device: what its bytes mean; auto takes it from vendor and product"},
    {"bus.devices[].serial",   INTEGER, OPTIONAL, 1, "",                   "0",           0,   4294967295.0, "serial number; 0 for any"},
    {"bus.devices[].revision", CODE,    REQUIRED, 1, "",                   "0x00000001",  0,   0xffffffff,   "revision"},
    {"bus.devices[].mode",     WORD,    OPTIONAL, 1, "torque position",    "torque",      0,   0,            "drive: what is commanded"},
    {"bus.devices[].increments", INTEGER, OPTIONAL, 1, "",                 "1048576",     1,   2147483647.0, "drive: increments in a turn of the joint; velocity in increments per second"},
    {"bus.devices[].reversed", FLAG,    OPTIONAL, 1, "",                   "false",       0,   0,            "drive: its positive direction is the joint's negative one"},
    {"bus.devices[].rated_torque", NUMBER, OPTIONAL, 1, "Nm",              "10 Nm",       0.001, 10000,      "drive: torque at the joint that is 1000 per mille"},
    {"bus.devices[].torque_limit", NUMBER, OPTIONAL, 1, "Nm",              "8 Nm",        0,   10000,        "drive: greatest torque commanded"},
    {"bus.devices[].velocity_limit", NUMBER, OPTIONAL, 1, "rad/s deg/s",   "1 rad/s",     0,   100,          "drive: greatest speed of a commanded position"},
    {"bus.devices[].filter",   INTEGER, OPTIONAL, 1, "",                   "0",           0,   8,            "force sensor: filter, 0 for none"},
    {"bus.devices[].rate",     INTEGER, OPTIONAL, 1, "",                   "2",           0,   3,            "force sensor: sample rate, 0 to 3 for 487, 975, 1990, 3900 Hz"},
    {"bus.receive_limit",      NUMBER,  OPTIONAL, 1, "us ms",              "250 us",      20,  2000,         "time a reply may take; a later one counts as lost"},
    {"bus.watchdog",           NUMBER,  OPTIONAL, 1, "ms",                 "20 ms",       1,   6500,         "devices switch their outputs off after this time without a frame"},
    {"bus.watchdog_io",        NUMBER,  OPTIONAL, 1, "ms",                 "50 ms",       1,   6500,         "the same for digital outputs"},
    {"bus.soft_cycles",        INTEGER, OPTIONAL, 1, "",                   "3",           1,   1000,         "cycles in a row without valid inputs until the robots stop softly"},
    {"bus.hard_cycles",        INTEGER, OPTIONAL, 1, "",                   "10",          2,   1000,         "the same until the drives are switched off; less than bus.watchdog"},
    {"bus.saturated_cycles",   INTEGER, OPTIONAL, 1, "",                   "6",           1,   1000,         "cycles in a row with a force sensor beyond its range until the robots stop softly"},
    {"bus.overruns",           INTEGER, OPTIONAL, 1, "",                   "3",           1,   1000,         "late cycles among 1000 until the robots stop softly"},
    {"bus.link_errors",        INTEGER, OPTIONAL, 1, "",                   "11",          1,   1000,         "receive errors and lost links in 1000 cycles until the robots stop softly"},

    {"client.mass",            NUMBER,  REQUIRED, 1, "kg t",               "7800 kg",     10,  1e6,          "mass of the client satellite"},
    {"client.inertia",         INERTIA, REQUIRED, 9, "kgm2",               "17000 0 0 0 125000 0 0 0 129000 kgm2", -1e9, 1e9,          "inertia of the client about its centre of mass, body axes, row by row"},
    {"client.velocity",        NUMBER,  OPTIONAL, 3, "m/s mm/s",           "0 0 0 m/s",   -10, 10,           "velocity of the client's centre of mass at the start, body axes"},
    {"client.rate",            NUMBER,  OPTIONAL, 3, "deg/s rad/s",        "0 0 0 deg/s", -60, 60,           "angular rate of the client at the start, body axes"},

    {"servicer.mass",          NUMBER,  REQUIRED, 1, "kg t",               "1500 kg",     10,  1e6,          "mass of the servicer's base, without its arm"},
    {"servicer.inertia",       INERTIA, REQUIRED, 9, "kgm2",               "1050 12 -18 12 1090 9 -18 9 880 kgm2", -1e9, 1e9,          "inertia of the servicer's base about its centre of mass, body axes, row by row"},

    {"safety.force",           NUMBER,  REQUIRED, 1, "N kN",               "400 N",       1,   1e4,          "force at a sensor above which the run is stopped"},
    {"safety.torque",          NUMBER,  REQUIRED, 1, "Nm",                 "100 Nm",      0.1, 1e4,          "torque at a sensor above which the run is stopped"},
    {"safety.bus_losses",      INTEGER, OPTIONAL, 1, "",                   "3",           1,   100,          "lost bus cycles in a row after which the arm stops and the robots hold"},
    {"safety.rsi_late",        INTEGER, OPTIONAL, 1, "",                   "2",           0,   100,          "late robot datagrams in a row that are bridged before the robots hold"},
    {"safety.ft_stale",        INTEGER, OPTIONAL, 1, "",                   "3",           1,   100,          "cycles without a new force sample after which the robots hold"},
    {"safety.ft_frozen",       INTEGER, OPTIONAL, 1, "",                   "50",          2,   10000,        "identical force samples in a row after which the robots hold"},
    {"safety.ft_range",        NUMBER,  OPTIONAL, 1, "%",                  "95 %",        10,  100,          "share of a force sensor's range above which it counts as saturated"},
    {"safety.overruns",        INTEGER, OPTIONAL, 1, "",                   "3",           1,   1000,         "late cycles within overrun_window after which the robots hold"},
    {"safety.overrun_window",  INTEGER, OPTIONAL, 1, "",                   "1000",        1,   1000000,      "cycles over which late ones are counted"},
    {"safety.obsw_late",       INTEGER, OPTIONAL, 1, "",                   "2",           0,   100,          "cycles the on-board software may be late before its command decays and the robots hold"},
    {"safety.log_ring",        NUMBER,  OPTIONAL, 1, "%",                  "90 %",        10,  100,          "filling of the log ring above which the robots hold"},
    {"safety.tracking",           NUMBER,  OPTIONAL, 1, "mm m",                 "10 mm",                       0.01, 1000, "distance of a robot from its command, beyond its known delay, that stops the run"},
    {"safety.tracking_turn",      NUMBER,  OPTIONAL, 1, "rad deg",              "0.01 rad",                    1e-5, 1, "the same for its attitude"},
    {"safety.energy",             NUMBER,  OPTIONAL, 1, "J mJ",                 "1 J",                         1e-6, 1e6, "energy made by the delay of the robots that stops the run"},
    {"safety.contact",            NUMBER,  OPTIONAL, 1, "N",                    "0.5 N",                       1e-6, 1e3, "force from which on something touches"},

    {"nominal.form",              WORD,    OPTIONAL, 1, "unforced given absolute", "unforced",                    0, 0, "motion taken out of the lab: of the untouched client, a constant twist, or none"},
    {"grasp.position",            NUMBER,  OPTIONAL, 3, "m mm",                 "0 0 0 m",                     -100, 100, "grasp frame G on the client: its origin from the centre of mass, body axes"},
    {"grasp.rotation",            NUMBER,  OPTIONAL, 3, "deg rad",              "0 0 0 deg",                   -360, 360, "its roll, pitch and yaw; z of G points into the client"},
    {"place.position",            NUMBER,  OPTIONAL, 3, "m mm",                 "5 0 0 m",                     -100, 100, "where the servicer's base stands beside the client at the end of the approach, client axes"},
    {"place.rotation",            NUMBER,  OPTIONAL, 3, "deg rad",              "0 180 0 deg",                 -360, 360, "its roll, pitch and yaw"},
    {"start.position",            NUMBER,  OPTIONAL, 3, "m mm",                 "0 0 0 m",                     -10, 10, "how far from that place the base starts, axes of the place"},
    {"start.rotation",            NUMBER,  OPTIONAL, 3, "deg rad",              "0 0 0 deg",                   -180, 180, "by what rotation vector its attitude differs at the start"},
    {"arm.description",           PATH,    OPTIONAL, 1, "",                     "servicer.urdf",               1, 200, "robot description of base and arm, from the folder of this file"},
    {"arm.gripper",               NAME,    OPTIONAL, 1, "",                     "E",                           1, 63, "link of the description that is the frame E between the jaws"},
    {"arm.posture",               NUMBER,  OPTIONAL, 7, "rad deg",              "0 1.1 0 2.05 0 0.95 0 rad",   -7, 7, "joint angles at the start, and where spare motion is pulled"},
    {"arm.hold_damping",          NUMBER,  OPTIONAL, 7, "Nms/rad",              "20 20 12 12 5 3 1.2 Nms/rad", 0, 1e3, "damping of the joints outside RUN"},
    {"arm.torque_rate",           NUMBER,  OPTIONAL, 1, "Nm/s",                 "100000 Nm/s",                 1, 1e7, "greatest change of a joint torque command"},
    {"arm.latency",               NUMBER,  OPTIONAL, 1, "ms us",                "0 ms",                        0, 15, "time from a torque command to the torque"},
    {"friction.observer",         FLAG,    OPTIONAL, 1, "",                     "false",                       0, 0, "estimate and cancel the friction of the joints"},
    {"friction.bandwidth",        NUMBER,  OPTIONAL, 1, "Hz",                   "20 Hz",                       0.1, 200, "how fast the estimate follows"},
    {"friction.limit",            NUMBER,  OPTIONAL, 7, "Nm",                   "3 3 3 3 3 1.5 1.5 Nm",        0, 100, "greatest torque the estimate may add to a joint"},
    {"thrust.force",              NUMBER,  OPTIONAL, 1, "N kN",                 "80 N",                        0.001, 1e5, "greatest force of the servicer's thrusters along an axis"},
    {"thrust.torque",             NUMBER,  OPTIONAL, 1, "Nm",                   "60 Nm",                       0.001, 1e5, "greatest torque of its thrusters and wheels about an axis"},
    {"robots.dead_time",          NUMBER,  OPTIONAL, 1, "ms us",                "0 ms",                        0, 60, "time from a pose command to the first motion, both robots"},
    {"robots.interpolation",      NUMBER,  OPTIONAL, 1, "ms",                   "0 ms",                        0, 20, "period in which the robots take set-points; 0 for every cycle"},
    {"robots.bandwidth",          NUMBER,  OPTIONAL, 1, "Hz",                   "0 Hz",                        0, 150, "of their servos; 0 for robots that follow exactly"},
    {"robots.damping",            NUMBER,  OPTIONAL, 1, "",                     "1",                           0.1, 10, "damping ratio of their servos"},
    {"robots.lead",               NUMBER,  OPTIONAL, 1, "ms us",                "0 ms",                        0, 100, "how far ahead of time they are commanded; freefall sim --find-lead measures it"},
    {"robots.speed",              NUMBER,  OPTIONAL, 1, "m/s mm/s",             "1 m/s",                       0.001, 10, "greatest commanded speed"},
    {"robots.rate",               NUMBER,  OPTIONAL, 1, "rad/s deg/s",          "1 rad/s",                     0.001, 20, "greatest commanded turning rate"},
    {"robots.acceleration",       NUMBER,  OPTIONAL, 1, "m/s2",                 "5 m/s2",                      0.01, 100, "greatest commanded acceleration"},
    {"robots.rotation",           NUMBER,  OPTIONAL, 1, "rad/s2 deg/s2",        "5 rad/s2",                    0.01, 200, "greatest commanded change of the turning rate"},
    {"robots.jerk",               NUMBER,  OPTIONAL, 1, "m/s3",                 "500 m/s3",                    0.1, 1e5, "greatest commanded change of the acceleration"},
    {"robots.twitch",             NUMBER,  OPTIONAL, 1, "rad/s3 deg/s3",        "500 rad/s3",                  0.1, 1e5, "the same for turning"},
    {"robots.low",                NUMBER,  OPTIONAL, 3, "m mm",                 "-20 -20 -20 m",               -100, 100, "lower corner of the box the bodies' origins must stay in, lab axes"},
    {"robots.high",               NUMBER,  OPTIONAL, 3, "m mm",                 "20 20 20 m",                  -100, 100, "upper corner of that box"},
    {"robots.links",              LIST,    OPTIONAL, 1, "",                     "",                            0, 2, "links to the industrial robots"},
    {"robots.links[].name",       WORD,    REQUIRED, 1, "client servicer",      "client",                      0, 0, "which robot"},
    {"robots.links[].address",    NAME,    REQUIRED, 1, "",                     "192.168.10.2",                7, 15, "our address on the robot's own network, as in its Ethernet file"},
    {"robots.links[].port",       INTEGER, OPTIONAL, 1, "",                     "49152",                       1, 65535, "our UDP port, as in its Ethernet file"},
    {"robots.links[].source",     NAME,    OPTIONAL, 1, "",                     "",                            0, 15, "address of the robot; empty for whoever speaks first"},
    {"robots.links[].kind",       WORD,    OPTIONAL, 1, "pose axes",            "pose",                        0, 0, "what is corrected: the pose of the tool (RKorr) or the axes (AKorr)"},
    {"robots.links[].cycle",      NUMBER,  OPTIONAL, 1, "ms",                   "4 ms",                        1, 20, "of the robot: 4 ms with IPO_FAST, 12 ms with IPO"},
    {"robots.links[].timeout",    INTEGER, OPTIONAL, 1, "",                     "100",                         1, 100000, "late answers after which the robot ends RSI: Timeout of its ETHERNET object"},
    {"robots.links[].sentype",    NAME,    OPTIONAL, 1, "",                     "ImFree",                      1, 32, "SENTYPE of the Ethernet file, Type of our answers"},
    {"robots.links[].correction", NAME,    OPTIONAL, 1, "",                     "",                            0, 32, "element of the corrections; empty for RKorr or AKorr"},
    {"robots.links[].channels",   TEXT,    OPTIONAL, 1, "",                     "",                            0, 200, "its six attributes; empty for X Y Z A B C or A1 to A6"},
    {"robots.links[].root_tag",   NAME,    OPTIONAL, 1, "",                     "Rob",                         1, 32, "root of the robot's telegrams"},
    {"robots.links[].answer_tag", NAME,    OPTIONAL, 1, "",                     "Sen",                         1, 32, "root of our answers"},
    {"robots.links[].pose_tag",   NAME,    OPTIONAL, 1, "",                     "RIst",                        1, 32, "element of the measured pose"},
    {"robots.links[].axes_tag",   NAME,    OPTIONAL, 1, "",                     "AIPos",                       1, 32, "element of the measured axes"},
    {"robots.links[].delay_tag",  NAME,    OPTIONAL, 1, "",                     "Delay",                       1, 32, "element in which the robot counts late answers"},
    {"robots.links[].ipoc_tag",   NAME,    OPTIONAL, 1, "",                     "IPOC",                        1, 32, "element of the counter, both ways"},
    {"robots.links[].stop_tag",   NAME,    OPTIONAL, 1, "",                     "Stop",                        0, 32, "element that ends the motion; empty for none"},
    {"robots.links[].text_tag",   NAME,    OPTIONAL, 1, "",                     "EStr",                        0, 32, "element of the text for the pendant; empty for none"},
    {"robots.links[].text",       NAME,    OPTIONAL, 1, "",                     "freefall",                    0, 32, "that text"},
    {"robots.links[].decimals",   INTEGER, OPTIONAL, 1, "",                     "6",                           4, 9, "of the corrections in mm and deg"},
    {"robots.links[].step",       NUMBER,  OPTIONAL, 1, "mm m",                 "2 mm",                        0.001, 100, "greatest correction from one cycle to the next"},
    {"robots.links[].speed",      NUMBER,  OPTIONAL, 1, "m/s mm/s",             "0.25 m/s",                    0.001, 3, "greatest speed of the correction, each axis"},
    {"robots.links[].acceleration", NUMBER, OPTIONAL, 1, "m/s2",                "5 m/s2",                      0.01, 100, "greatest acceleration of it"},
    {"robots.links[].jerk",       NUMBER,  OPTIONAL, 1, "m/s3",                 "500 m/s3",                    0.1, 1e5, "greatest jerk of it"},
    {"robots.links[].box",        NUMBER,  OPTIONAL, 1, "mm m",                 "400 mm",                      0.1, 3000, "greatest correction, either way"},
    {"robots.links[].turn_step",  NUMBER,  OPTIONAL, 1, "deg rad",              "0.5 deg",                     0.001, 10, "greatest turn from one cycle to the next, each angle or axis"},
    {"robots.links[].turn_speed", NUMBER,  OPTIONAL, 1, "deg/s rad/s",          "30 deg/s",                    0.01, 500, "greatest turning rate"},
    {"robots.links[].turn_acceleration", NUMBER, OPTIONAL, 1, "deg/s2 rad/s2",  "600 deg/s2",                  0.1, 1e5, "greatest change of it"},
    {"robots.links[].turn_jerk",  NUMBER,  OPTIONAL, 1, "deg/s3 rad/s3",        "60000 deg/s3",                1, 1e7, "greatest change of that"},
    {"robots.links[].turn_box",   NUMBER,  OPTIONAL, 1, "deg rad",              "60 deg",                      0.01, 180, "greatest turn, either way"},
    {"robots.links[].tracking",   NUMBER,  OPTIONAL, 1, "mm m",                 "1 mm",                        0.01, 100, "how far the robot may be from its command beyond speed times loop_delay"},
    {"robots.links[].tracking_turn", NUMBER, OPTIONAL, 1, "deg rad",            "0.5 deg",                     0.01, 10, "the same for angles and axes"},
    {"robots.links[].loop_delay", NUMBER,  OPTIONAL, 1, "ms",                   "30 ms",                       0, 500, "time from a correction to the motion"},
    {"robots.links[].sample_delay", NUMBER, OPTIONAL, 1, "ms us",               "2 ms",                        0, 20, "set-points are sampled so long before the robot's instant"},
    {"robots.links[].corr_limit", NUMBER,  OPTIONAL, 1, "mm m",                 "5 mm",                        0.1, 3000, "limit of the robot's POSCORR object, at which it clamps silently"},
    {"robots.links[].corr_turn",  NUMBER,  OPTIONAL, 1, "deg rad",              "5 deg",                       0.1, 180, "limit of its rotations or of AXISCORR"},
    {"passivity.control",         FLAG,    OPTIONAL, 1, "",                     "true",                        0, 0, "take energy made by the delay of the robots out of the motion"},
    {"passivity.speed",           NUMBER,  OPTIONAL, 1, "m/s mm/s",             "20 mm/s",                     0.0001, 1, "greatest speed of the motion that does so"},
    {"passivity.rate",            NUMBER,  OPTIONAL, 1, "rad/s deg/s",          "0.02 rad/s",                  0.0001, 1, "the same for turning"},
    {"passivity.bleed",           NUMBER,  OPTIONAL, 1, "s ms",                 "0.5 s",                       0.01, 100, "time constant of the way back without contact"},
    {"passivity.tolerated",        NUMBER,  OPTIONAL, 1, "mJ J",                 "0.5 mJ",                      0, 1e6, "energy made that is let be, for each robot: nothing may yield to the noise of a sensor"},
    {"navigation.position",       NUMBER,  OPTIONAL, 1, "m mm",                 "0 mm",                        0, 10, "error of the measured relative position, 1 sigma per axis"},
    {"navigation.attitude",       NUMBER,  OPTIONAL, 1, "deg rad",              "0 deg",                       0, 30, "error of the measured relative attitude"},
    {"navigation.velocity",       NUMBER,  OPTIONAL, 1, "m/s mm/s",             "0 mm/s",                      0, 1, "error of the measured velocity of the client"},
    {"navigation.rate",           NUMBER,  OPTIONAL, 1, "deg/s rad/s",          "0 deg/s",                     0, 10, "error of its measured angular rate"},
    {"navigation.correlation",    NUMBER,  OPTIONAL, 1, "s ms",                 "1 s",                         0, 1000, "correlation time of these errors"},
    {"obsw.kind",                 WORD,    OPTIONAL, 1, "capture zero library process", "capture",             0, 0, "on-board software: built in (capture, or zero for none), a shared library, or a process of its own"},
    {"obsw.library",              PATH,    OPTIONAL, 1, "",                     "",                            0, 200, "file of the library, from the working directory; of a process: what it loads"},
    {"obsw.program",              PATH,    OPTIONAL, 1, "",                     "",                            0, 200, "program of the process, if it is not to load a library; tools/example says what it must do"},
    {"obsw.deadline",             NUMBER,  OPTIONAL, 1, "ms us s",              "0.5 ms",                      0.01, 10000, "time a process has for each answer; a simulation has no clock and waits 1 s at least"},
    {"obsw.parameters",           TEXT,    OPTIONAL, 1, "",                     "",                            0, 250, "text handed to the library at its start"},
    {"capture.standoff",          NUMBER,  OPTIONAL, 1, "m mm",                 "0.36 m",                      0, 10, "distance of the jaws from the grasp frame before the approach"},
    {"capture.base_stiffness",    NUMBER,  OPTIONAL, 1, "N/m",                  "540 N/m",                     0, 1e6, "of the base towards its place"},
    {"capture.base_stiffness_turn", NUMBER,  OPTIONAL, 1, "Nm/rad",               "380 Nm/rad",                  0, 1e6, "the same for its attitude"},
    {"capture.tool_stiffness",    NUMBER,  OPTIONAL, 1, "N/m",                  "400 N/m",                     0, 1e6, "of the gripper towards the grasp frame"},
    {"capture.tool_stiffness_turn", NUMBER,  OPTIONAL, 1, "Nm/rad",               "30 Nm/rad",                   0, 1e6, "the same for its attitude"},
    {"capture.base_damping",      NUMBER,  OPTIONAL, 1, "Ns/m",                 "1600 Ns/m",                   0, 1e6, "of the base"},
    {"capture.base_damping_turn", NUMBER,  OPTIONAL, 1, "Nms/rad",              "1100 Nms/rad",                0, 1e6, "of its attitude"},
    {"capture.joint_damping",     NUMBER,  OPTIONAL, 7, "Nms/rad",              "20 20 12 12 5 3 1.2 Nms/rad", 0, 1e4, "of the joints"},
    {"capture.rigidise",          NUMBER,  OPTIONAL, 1, "",                     "1",                           0, 100, "factor on the joint damping after the grasp"},
    {"capture.posture_time",      NUMBER,  OPTIONAL, 1, "s",                    "2 s",                         0.01, 1000, "time constant with which spare joint motion goes to the posture"},
    {"capture.ramp",              NUMBER,  OPTIONAL, 2, "s",                    "1 8 s",                       0, 1e4, "from when to when the tool stiffness grows"},
    {"capture.approach",          NUMBER,  OPTIONAL, 2, "s",                    "9.1 32.6 s",                  0, 1e4, "from when to when the gripper moves forward"},
    {"capture.grasp",             NUMBER,  OPTIONAL, 1, "s",                    "2 s",                         0, 1e3, "how long the grasp lasts before the pair is made rigid"},
    {"lab.gravity",               NUMBER,  OPTIONAL, 3, "m/s2",                 "0 0 -9.81 m/s2",              -30, 30, "gravity in the axes the robots' poses are told in"},
    {"lab.height",                NUMBER,  OPTIONAL, 1, "m mm",                 "1.5 m",                       -10, 10, "height of the client's centre of mass when motion begins"},
    {"lab.substeps",              INTEGER, OPTIONAL, 1, "",                     "2",                           1, 100, "steps of the lab's own integrator in a cycle"},
    {"lab.friction",              NUMBER,  OPTIONAL, 7, "Nm",                   "0 0 0 0 0 0 0 Nm",            0, 100, "Coulomb friction of the joints"},
    {"lab.viscous",               NUMBER,  OPTIONAL, 7, "Nms/rad",              "0 0 0 0 0 0 0 Nms/rad",       0, 100, "viscous friction of the joints"},
    {"lab.slip",                  NUMBER,  OPTIONAL, 1, "rad/s deg/s",          "0.002 rad/s",                 1e-6, 1, "speed at which Coulomb friction is at 71 %"},
    {"lab.torque_step",           NUMBER,  OPTIONAL, 1, "Nm",                   "0 Nm",                        0, 1, "resolution of the drives"},
    {"lab.encoder_step",          NUMBER,  OPTIONAL, 1, "rad deg",              "0 rad",                       0, 0.1, "resolution of the encoders"},
    {"lab.velocity_noise",        NUMBER,  OPTIONAL, 1, "rad/s deg/s",          "0 rad/s",                     0, 1, "noise of the measured joint velocity"},
    {"mockup.mass",               NUMBER,  OPTIONAL, 1, "kg",                   "0 kg",                        0, 1e3, "mass of the client mock-up beyond the force sensor"},
    {"mockup.centre",             NUMBER,  OPTIONAL, 3, "m mm",                 "0 0 0 m",                     -5, 5, "its centre of mass, sensor axes"},
    {"mockup.inertia",            NUMBER,  OPTIONAL, 3, "kgm2",                 "0 0 0 kgm2",                  0, 1e4, "its principal moments about that, sensor axes"},
    {"sensor.position",           NUMBER,  OPTIONAL, 3, "m mm",                 "0 0 0 m",                     -10, 10, "force sensor under the mock-up: place in client axes"},
    {"sensor.rotation",           NUMBER,  OPTIONAL, 3, "deg rad",              "0 0 0 deg",                   -360, 360, "its roll, pitch and yaw"},
    {"sensor.bias_force",         NUMBER,  OPTIONAL, 3, "N",                    "0 0 0 N",                     -1e3, 1e3, "bias of the forces, known to the controller"},
    {"sensor.bias_torque",        NUMBER,  OPTIONAL, 3, "Nm",                   "0 0 0 Nm",                    -1e3, 1e3, "bias of the torques, known to the controller"},
    {"sensor.noise_force",        NUMBER,  OPTIONAL, 1, "N",                    "0.001 N",                     0, 100, "noise of each force sample"},
    {"sensor.noise_torque",       NUMBER,  OPTIONAL, 1, "Nm",                   "0.0001 Nm",                   0, 100, "noise of each torque sample"},
    {"sensor.filter",             NUMBER,  OPTIONAL, 1, "ms us",                "0 ms",                        0, 100, "time constant of the sensor's filter"},
    {"contact.pads",              INTEGER, OPTIONAL, 1, "",                     "0",                           0, 8, "pads of the gripper that can press on the ring"},
    {"contact.radius",            NUMBER,  OPTIONAL, 1, "m mm",                 "50 mm",                       0, 1000, "of the circle they stand on"},
    {"contact.reach",             NUMBER,  OPTIONAL, 1, "m mm",                 "0 mm",                        -1000, 1000, "how far they stand out before E"},
    {"contact.stiffness",         NUMBER,  OPTIONAL, 1, "N/m",                  "0 N/m",                       0, 1e7, "of each pad"},
    {"contact.friction",          NUMBER,  OPTIONAL, 1, "",                     "0",                           0, 2, "Coulomb's coefficient"},
    {"latch.stiffness",           NUMBER,  OPTIONAL, 1, "N/m",                  "20000 N/m",                   0, 1e7, "of the closed latch"},
    {"latch.stiffness_turn",      NUMBER,  OPTIONAL, 1, "Nm/rad",               "800 Nm/rad",                  0, 1e6, "of the closed latch"},
    {"latch.damping",             NUMBER,  OPTIONAL, 1, "Ns/m",                 "300 Ns/m",                    0, 1e6, "of the closed latch"},
    {"latch.damping_turn",        NUMBER,  OPTIONAL, 1, "Nms/rad",              "2 Nms/rad",                   0, 1e6, "of the closed latch"},
    {"latch.ramp",                NUMBER,  OPTIONAL, 1, "s ms",                 "0.5 s",                       0, 60, "time in which it takes hold"},
    {"latch.pull",                NUMBER,  OPTIONAL, 1, "s ms",                 "1 s",                         0, 60, "time in which it pulls the jaws home"},
    {"latch.distance",            NUMBER,  OPTIONAL, 1, "m mm",                 "20 mm",                       0, 1000, "greatest distance at which it closes"},
    {"latch.angle",               NUMBER,  OPTIONAL, 1, "deg rad",              "3 deg",                       0, 90, "greatest misalignment at which it closes"},
    {"latch.speed",               NUMBER,  OPTIONAL, 1, "m/s mm/s",             "50 mm/s",                     0, 10000, "greatest speed at which it closes"},
    {"latch.hold",                NUMBER,  OPTIONAL, 1, "s ms",                 "0.05 s",                      0, 10, "how long these must be met"},
    {"latch.release_force",       NUMBER,  OPTIONAL, 1, "N kN",                 "5000 N",                      0.1, 1e6, "force that opens it"},
    {"latch.release_torque",      NUMBER,  OPTIONAL, 1, "Nm",                   "5000 Nm",                     0.1, 1e6, "torque that opens it"},
    {"cell.robot",                WORD,    OPTIONAL, 1, "kr120-r2700-2 kr120-r2500-pro table", "kr120-r2700-2", 0, 0, "the two industrial robots, alike: one with published geometry, or the table of the keys that follow"},
    {"cell.height",               NUMBER,  OPTIONAL, 1, "m mm",                 "0.645 m",                     -10, 10, "axis 2 above the robot's root"},
    {"cell.offset",               NUMBER,  OPTIONAL, 1, "m mm",                 "0.33 m",                      -10, 10, "axis 2 before axis 1"},
    {"cell.upper_arm",            NUMBER,  OPTIONAL, 1, "m mm",                 "1.15 m",                      0, 10, "axis 2 to axis 3"},
    {"cell.forearm",              NUMBER,  OPTIONAL, 1, "m mm",                 "1.22 m",                      -10, 10, "axis 3 to the wrist, along the forearm"},
    {"cell.elbow",                NUMBER,  OPTIONAL, 1, "m mm",                 "0.115 m",                     -10, 10, "axis 3 to the wrist, upwards when the forearm is level"},
    {"cell.flange",               NUMBER,  OPTIONAL, 1, "m mm",                 "0.215 m",                     -10, 10, "wrist to flange"},
    {"cell.sign",                 NUMBER,  OPTIONAL, 6, "",                     "-1 1 1 -1 1 -1",              -1, 1, "sense of the axes on the pendant: 1 or -1 each"},
    {"cell.zero",                 NUMBER,  OPTIONAL, 6, "deg rad",              "0 0 0 0 0 0 deg",             -360, 360, "angle of the axes at 0 on the pendant; KUKA: 0, stretched out level"},
    {"cell.lower",                NUMBER,  OPTIONAL, 6, "deg rad",              "-185 -140 -120 -350 -125 -350 deg", -3600, 3600, "where the ranges of the axes begin"},
    {"cell.upper",                NUMBER,  OPTIONAL, 6, "deg rad",              "185 -5 168 350 125 350 deg",  -3600, 3600, "where they end"},
    {"cell.speed",                NUMBER,  OPTIONAL, 6, "deg/s rad/s",          "116 111 119 190 180 260 deg/s", 0, 10000, "greatest speeds of the axes"},
    {"cell.acceleration",         NUMBER,  OPTIONAL, 6, "deg/s2 rad/s2",        "155 134 368 998 518 492 deg/s2", 0, 100000, "greatest accelerations of the axes"},
    {"cell.radius",               NUMBER,  OPTIONAL, 1, "m mm",                 "0.25 m",                      0, 2, "of the capsules the links are taken for when the robots' distance is measured"},
    {"cell.client_base",          NUMBER,  OPTIONAL, 3, "m mm",                 "0.8 0 0.8 m",                 -50, 50, "root of the client's robot in the lab"},
    {"cell.client_base_turn",     NUMBER,  OPTIONAL, 3, "deg rad",              "0 0 0 deg",                   -360, 360, "its roll, pitch and yaw"},
    {"cell.client_mockup",        NUMBER,  OPTIONAL, 3, "m mm",                 "0 0 0.05 m",                  -10, 10, "mock-up on the flange of the client's robot, flange axes"},
    {"cell.client_mockup_turn",   NUMBER,  OPTIONAL, 3, "deg rad",              "0 0 0 deg",                   -360, 360, "its roll, pitch and yaw"},
    {"cell.client_centre",        NUMBER,  OPTIONAL, 3, "m mm",                 "1.312 0 -2.4863 m",           -50, 50, "the client's centre of mass, mock-up axes; the force sensor is told from there, sensor.position"},
    {"cell.client_centre_turn",   NUMBER,  OPTIONAL, 3, "deg rad",              "0 -90 0 deg",                 -360, 360, "roll, pitch and yaw of the client's axes"},
    {"cell.servicer_base",        NUMBER,  OPTIONAL, 3, "m mm",                 "6 0 1.6 m",                   -50, 50, "root of the servicer's robot in the lab"},
    {"cell.servicer_base_turn",   NUMBER,  OPTIONAL, 3, "deg rad",              "0 0 180 deg",                 -360, 360, "its roll, pitch and yaw"},
    {"cell.servicer_mockup",      NUMBER,  OPTIONAL, 3, "m mm",                 "0 0 0.05 m",                  -10, 10, "mount of the arm on the flange of the servicer's robot, flange axes"},
    {"cell.servicer_mockup_turn", NUMBER,  OPTIONAL, 3, "deg rad",              "0 0 0 deg",                   -360, 360, "its roll, pitch and yaw"},
    {"cell.servicer_centre",      NUMBER,  OPTIONAL, 3, "m mm",                 "-0.3 0 -1.0 m",               -50, 50, "the servicer's base frame B, mount axes"},
    {"cell.servicer_centre_turn", NUMBER,  OPTIONAL, 3, "deg rad",              "0 -90 180 deg",               -360, 360, "roll, pitch and yaw of its axes"},
    {"check.joint",               NUMBER,  OPTIONAL, 1, "deg rad",              "2 deg",                       0, 90, "freefall check: what must be left of the range of an axis"},
    {"check.reach",               NUMBER,  OPTIONAL, 1, "m mm",                 "0.02 m",                      0, 1, "what must be left of the reach"},
    {"check.singular",            NUMBER,  OPTIONAL, 1, "deg rad",              "3 deg",                       0, 45, "least angle of wrist and elbow from a singularity"},
    {"check.overhead",            NUMBER,  OPTIONAL, 1, "m mm",                 "0.1 m",                       0, 1, "least distance of the wrist from axis 1"},
    {"check.gap",                 NUMBER,  OPTIONAL, 1, "m mm",                 "0.1 m",                       0, 10, "least distance between the robots"},
    {"check.share",               NUMBER,  OPTIONAL, 1, "%",                    "90 %",                        1, 100, "how much of a limit of speed, acceleration, force or delay may be used"},
    {"check.runs",                INTEGER, OPTIONAL, 1, "",                     "3",                           1, 1000, "missions flown: the first as it is written, the others dispersed"},
    {"check.dispersion.mass",     NUMBER,  OPTIONAL, 1, "%",                    "2 %",                         0, 50, "of the masses and inertias, 1 sigma"},
    {"check.dispersion.rate",     NUMBER,  OPTIONAL, 1, "deg/s rad/s",          "0.05 deg/s",                  0, 10, "of the client's rate at the start, each axis"},
    {"check.dispersion.position", NUMBER,  OPTIONAL, 1, "mm m",                 "10 mm",                       0, 1000, "of where the base starts, each axis"},
    {"check.dispersion.attitude", NUMBER,  OPTIONAL, 1, "deg rad",              "0.3 deg",                     0, 30, "of its attitude there"},
    {"sim.duration",              NUMBER,  OPTIONAL, 1, "s min",                "40 s",                        0.01, 36000, "time simulated after motion begins"},
    {"sim.seed",                  INTEGER, OPTIONAL, 1, "",                     "1",                           0, 4294967295.0, "chooses every random number of a run"},
    {"sim.record",                INTEGER, OPTIONAL, 1, "",                     "10",                          0, 1000000, "every how many cycles one is recorded; 0 for none"},
    {"verdict.capture",           FLAG,    OPTIONAL, 1, "",                     "true",                        0, 0, "must the client be held at the end?"},
    {"verdict.position",          NUMBER,  OPTIONAL, 1, "mm m",                 "1 mm",                        0, 1000, "greatest difference of the relative position to the orbit reference"},
    {"verdict.rotation",          NUMBER,  OPTIONAL, 1, "rad deg",              "0.002 rad",                   0, 3, "greatest difference of the relative attitude"},
    {"verdict.gripper",           NUMBER,  OPTIONAL, 1, "mm m",                 "0.2 mm",                      0, 1000, "greatest difference of gripper to grasp frame, to the orbit reference"},
    {"verdict.grasp_rate",        NUMBER,  OPTIONAL, 1, "deg/s rad/s",          "0.2 deg/s",                   0, 60, "greatest relative angular rate at the grasp"},
    {"verdict.energy",            NUMBER,  OPTIONAL, 1, "mJ J",                 "10 mJ",                       0, 1e6, "energy the delay may add that is not taken out"},

    {"vision.filter",             WORD,    OPTIONAL, 1, "measured paper",       "measured",                    0, 0, "measured: 20 unknowns in the measured frame; paper: its own 21 in principal axes, for comparison in freefall estimate"},
    {"vision.n_z",                NUMBER,  OPTIONAL, 1, "rad/s deg/s",          "0 rad/s",                     0, 1.3e-3, "orbital rate of the axes poses are told in; 0 in a lab without orbital motion"},
    {"vision.sigma_r",            NUMBER,  OPTIONAL, 1, "mm m",                 "5 mm",                        0.01, 1000, "noise of a measured position, 1 sigma per axis, where its source gives none"},
    {"vision.sigma_theta",        NUMBER,  OPTIONAL, 1, "deg rad",              "1 deg",                       0.0058, 57, "noise of a measured attitude, the same way"},
    {"vision.sigma_tau",          NUMBER,  OPTIONAL, 1, "rad/s2",               "5e-5 rad/s2",                 1e-9, 0.1, "angular acceleration of the target that nobody knows of, per root Hz"},
    {"vision.sigma_f",            NUMBER,  OPTIONAL, 1, "m/s2",                 "1e-5 m/s2",                   1e-9, 0.1, "the same for its acceleration"},
    {"vision.learn_noise",        FLAG,    OPTIONAL, 1, "",                     "true",                        0, 0, "correct the noise its source claims by what is seen"},
    {"vision.forgetting",         NUMBER,  OPTIONAL, 1, "",                     "0.98",                        0.5, 0.9999, "weight of older poses in that, per pose"},
    {"vision.gate",               NUMBER,  OPTIONAL, 1, "",                     "22.46",                       6, 1e6, "squared distance of a pose, in units of its uncertainty, from which on it is refused"},
    {"vision.huber",              NUMBER,  OPTIONAL, 1, "",                     "4",                           1, 100, "distance, in units of the noise, from which on a pose loses weight in a fit"},
    {"vision.first_fit",          INTEGER, OPTIONAL, 1, "",                     "20",                          10, 60, "poses of the first fit"},
    {"vision.window",             INTEGER, OPTIONAL, 1, "",                     "240",                         60, 240, "poses kept and fitted again and again"},
    {"vision.recovery",           INTEGER, OPTIONAL, 1, "",                     "6",                           2, 60, "poses refused in a row after which the filter itself is the suspect"},
    {"vision.silence",            NUMBER,  OPTIONAL, 1, "s ms",                 "0.75 s",                      0.01, 100, "time without a pose after which the motion is predicted"},
    {"vision.limit_position",     NUMBER,  OPTIONAL, 1, "mm m",                 "15 mm",                       0.001, 100000, "twice the deviation of the position from which on the output is not valid"},
    {"vision.limit_attitude",     NUMBER,  OPTIONAL, 1, "deg rad",              "4 deg",                       0.001, 360, "the same for the attitude"},
    {"vision.horizon",            NUMBER,  OPTIONAL, 1, "s min",                "60 s",                        0.5, 600, "greatest time a prediction is valid"},
    {"vision.prior.mu",           NUMBER,  OPTIONAL, 1, "rad deg",              "0.5 rad",                     1e-4, 10, "uncertainty of the first guess: half angle of the attitude"},
    {"vision.prior.w",            NUMBER,  OPTIONAL, 1, "rad/s deg/s",          "0.3 rad/s",                   1e-4, 10, "of the angular rate"},
    {"vision.prior.d",            NUMBER,  OPTIONAL, 1, "",                     "0.35",                        1e-4, 10, "of each inertia number, where the moments add up to 3"},
    {"vision.prior.r",            NUMBER,  OPTIONAL, 1, "m mm",                 "1 m",                         1e-4, 1e4, "of the position of the centre of mass"},
    {"vision.prior.v",            NUMBER,  OPTIONAL, 1, "m/s mm/s",             "0.05 m/s",                    1e-6, 1e3, "of its velocity"},
    {"vision.prior.rho",          NUMBER,  OPTIONAL, 1, "m mm",                 "0.25 m",                      1e-4, 1e3, "of the lever from the centre of mass to the measured frame"},
    {"vision.prior.inertia",      INERTIA, OPTIONAL, 9, "kgm2",                 "1 0 0 0 1 0 0 0 1 kgm2",      -1e9, 1e9, "expected inertia in the axes of the measured frame, at any scale"},
    {"vision.prior.lever",        NUMBER,  OPTIONAL, 3, "m mm",                 "0 0 0 m",                     -100, 100, "expected lever, axes of the measured frame"},
};
/* clang-format on */

#define DISTANCE_MAX 48 /* longer names are near to nothing */

const struct schema_row *schema_row(int index)
{
    int n = (int)(sizeof table / sizeof table[0]);

    return index >= 0 && index < n ? &table[index] : NULL;
}

int schema_find(const char *key)
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        if (strcmp(row->key, key) == 0) {
            return i;
        }
    }
    return -1;
}

const struct schema_row *schema_list(const struct schema_row *row)
{
    const char *brackets = strstr(row->key, "[]");
    char key[SCHEMA_KEY_MAX];

    if (brackets == NULL) {
        return NULL;
    }
    (void)snprintf(key, sizeof key, "%.*s", (int)(brackets - row->key), row->key);
    return schema_row(schema_find(key));
}

/* The part of a key behind the prefix and its point; NULL if the key is not below it. */
static const char *rest_of(const char *key, const char *prefix)
{
    size_t n = strlen(prefix);

    if (n == 0) {
        return key;
    }
    return strncmp(key, prefix, n) == 0 && key[n] == '.' ? key + n + 1 : NULL;
}

bool schema_below(const struct schema_row *row, const char *prefix)
{
    return rest_of(row->key, prefix) != NULL;
}

bool schema_section(const char *prefix)
{
    int index = 0;
    char name[SCHEMA_KEY_MAX];

    return schema_child(prefix, &index, name);
}

bool schema_child(const char *prefix, int *index, char name[static SCHEMA_KEY_MAX])
{
    const struct schema_row *row = NULL;
    char last[SCHEMA_KEY_MAX] = "";

    if (*index > 0 && rest_of(table[*index - 1].key, prefix) != NULL) {
        const char *rest = rest_of(table[*index - 1].key, prefix);

        (void)snprintf(last, sizeof last, "%.*s", (int)strcspn(rest, ".["), rest);
    }
    while ((row = schema_row((*index)++)) != NULL) {
        const char *rest = rest_of(row->key, prefix);

        if (rest == NULL) {
            continue;
        }
        (void)snprintf(name, SCHEMA_KEY_MAX, "%.*s", (int)strcspn(rest, ".["), rest);
        if (strcmp(name, last) != 0) {
            return true;
        }
    }
    return false;
}

void schema_item(char out[static SCHEMA_ITEM_MAX], const char *key, int item)
{
    const char *brackets = strstr(key, "[]");

    if (brackets == NULL || item < 0) {
        (void)snprintf(out, SCHEMA_ITEM_MAX, "%s", key);
    } else {
        (void)snprintf(out, SCHEMA_ITEM_MAX, "%.*s[%d]%s", (int)(brackets - key), key, item,
                       brackets + 2);
    }
}

void schema_example(char *out, size_t size, const struct schema_row *row, const char *prefix)
{
    const char *value = row->type == SCHEMA_LIST ? "[]"
                        : row->value[0] != '\0'  ? row->value
                                                 : "\"\"";
    const char *name = row->key + (prefix[0] != '\0' ? strlen(prefix) + 1 : 0);
    const char *point = NULL;
    char closing[24] = ""; /* what closes the sections opened so far, innermost first */
    size_t n = 0;

    while ((point = strchr(name, '.')) != NULL && n < size) {
        bool list = point[-1] == ']';
        char outer[sizeof closing];

        n += (size_t)snprintf(out + n, size - n, "%.*s: %s{ ", (int)strcspn(name, ".["), name,
                              list ? "[" : "");
        memcpy(outer, closing, sizeof outer);
        (void)snprintf(closing, sizeof closing, "%s%.16s", list ? " }]" : " }", outer);
        name = point + 1;
    }
    if (n < size) {
        (void)snprintf(out + n, size - n, "%s: %s%s", name, value, closing);
    }
}

static int least_of(int a, int b, int c)
{
    int ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Fewest letters to change, insert, drop or swap to make b of a (optimal string alignment), row
 * by row: d[i][j] is the distance of the first i letters of a from the first j of b; three rows
 * are enough. */
static int distance(const char *a, const char *b)
{
    int row[3][DISTANCE_MAX + 1];
    int na = (int)strlen(a);
    int nb = (int)strlen(b);

    for (int j = 0; j <= nb; j++) {
        row[0][j] = j;
    }
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3];
        const int *before = row[(i + 2) % 3];

        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            now[j] =
                least_of(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = least_of(now[j], row[(i + 1) % 3][j - 2] + 1, now[j]);
            }
        }
    }
    return row[na % 3][nb];
}

bool schema_similar(const char *word, const char *candidate, int *slips)
{
    size_t a = strlen(word);
    size_t b = strlen(candidate);
    int longer = (int)(a > b ? a : b);

    if (a > DISTANCE_MAX || b > DISTANCE_MAX) {
        return false;
    }
    *slips = distance(word, candidate);
    return *slips < longer && *slips <= (longer < 3 ? 1 : longer / 3);
}

/* The same name as the last part of a key somewhere else. */
static bool elsewhere(const char *name, char key[static SCHEMA_KEY_MAX])
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        const char *point = strrchr(row->key, '.');

        if (point != NULL && strcmp(point + 1, name) == 0) {
            (void)snprintf(key, SCHEMA_KEY_MAX, "%s", row->key);
            return true;
        }
    }
    return false;
}

/* Split a key at the first name that is not known: the section before it, the name, and what
 * follows. */
static const char *first_unknown(const char *key, char prefix[static SCHEMA_KEY_MAX],
                                 char name[static SCHEMA_KEY_MAX])
{
    const char *rest = key;
    const char *point = NULL;

    prefix[0] = '\0';
    while ((point = strchr(rest, '.')) != NULL) {
        (void)snprintf(name, SCHEMA_KEY_MAX, "%.*s", (int)(point - key), key);
        if (!schema_section(name)) {
            break;
        }
        (void)snprintf(prefix, SCHEMA_KEY_MAX, "%s", name);
        rest = point + 1;
    }
    size_t n = strcspn(rest, ".");

    (void)snprintf(name, SCHEMA_KEY_MAX, "%.*s", (int)n, rest);
    return rest + n;
}

bool schema_nearest(const char *key, char nearest[static SCHEMA_KEY_MAX])
{
    char prefix[SCHEMA_KEY_MAX];
    char name[SCHEMA_KEY_MAX];
    char child[SCHEMA_KEY_MAX];
    char whole[3 * SCHEMA_KEY_MAX];
    const char *rest = first_unknown(key, prefix, name);
    const char *point = prefix[0] != '\0' ? "." : "";
    int index = 0;
    int best = DISTANCE_MAX;
    int slips = 0;

    while (schema_child(prefix, &index, child)) {
        if (!schema_similar(name, child, &slips) || slips >= best) {
            continue;
        }
        best = slips;
        int n = snprintf(whole, sizeof whole, "%s%s%s", prefix, point, child);

        (void)snprintf(whole + n, sizeof whole - (size_t)n, "%s", rest);
        if (schema_find(whole) < 0) {
            whole[n] = '\0';
        }
        (void)snprintf(nearest, SCHEMA_KEY_MAX, "%.*s", SCHEMA_KEY_MAX - 1, whole);
    }
    return best < DISTANCE_MAX || elsewhere(name, nearest);
}

bool schema_word(const char **list, char word[static SCHEMA_KEY_MAX])
{
    const char *begin = *list + strspn(*list, " ");
    size_t n = strcspn(begin, " ");

    (void)snprintf(word, SCHEMA_KEY_MAX, "%.*s", (int)n, begin);
    *list = begin + n;
    return n > 0;
}

void schema_choice(char *out, size_t size, const char *list)
{
    char word[SCHEMA_KEY_MAX];
    char next[SCHEMA_KEY_MAX];
    size_t n = 0;
    bool more = schema_word(&list, next);

    out[0] = '\0';
    while (more && n < size) {
        (void)snprintf(word, sizeof word, "%s", next);
        more = schema_word(&list, next);
        const char *before = n == 0 ? "" : more ? ", " : " or ";

        n += (size_t)snprintf(out + n, size - n, "%s%s", before, word);
    }
}
