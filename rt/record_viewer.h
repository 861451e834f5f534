/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_viewer.h - messages of the log that viewers know without being told: events, joints, poses, wrench, frames.
 *
 * Made from the record of a cycle by the thread that writes the log: /events (freefall_msgs/msg/Event), /joint_states
 * (sensor_msgs/JointState), /wrench (geometry_msgs/WrenchStamped), /client_pose, /servicer_pose
 * (geometry_msgs/PoseStamped), /tf (tf2_msgs/TFMessage). Frame "lab" is what the robots' poses are told in.
 */
#ifndef FREEFALL_RECORD_VIEWER_H
#define FREEFALL_RECORD_VIEWER_H

#include "rt/record.h"

/* Declare the channels. 0 or -errno. */
int record_viewer_open(struct record *r);

/* A change of mode or causes, against the cycle before. 0 or -errno. */
int record_viewer_event(struct record *r, const struct record_raw *raw);

/* All of the others, for this cycle. 0 or -errno. */
int record_viewer_write(struct record *r, const struct record_raw *raw);

#endif
