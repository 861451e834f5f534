/* SPDX-License-Identifier: GPL-3.0-or-later */
/* multibody_frame.h - frames on a robot: pose, twist, Jacobian, its bias, and wrenches that act
 * there.
 *
 * The twist of a frame is in its own axes at its own origin: V_f = J nu = J_b V + J_q qd, J_b =
 * Ad(g_bf)^-1 [MAR 7], [REL 12].
 */
#ifndef FREEFALL_MULTIBODY_FRAME_H
#define FREEFALL_MULTIBODY_FRAME_H

#include "model/multibody.h"

/* J of one frame: base columns, and one lane for each joint of the arm that carries it (zero behind
 * the frame). */
struct multibody_jacobian {
    _Alignas(16) double joint[6][MULTIBODY_LANES];
    double base[36]; /* all six columns, also of a planar base; zero if the base is fixed */
    struct pose g;   /* of the frame in the base */
    int arm;         /* MULTIBODY_BASE: joint is zero */
};

/* g = pose of the frame in the base. Needs multibody_kinematics(). */
RT_SAFE void multibody_frame_pose(struct pose *g, const struct multibody_work *w,
                                  const struct multibody_frame *f);

/* V_f for the base twist V. Needs multibody_rates(). */
RT_SAFE void multibody_frame_twist(double V_f[static 6], struct multibody_work *w,
                                   const struct multibody_frame *f, const double V[static 6]);

/* Jdot nu: acceleration of the frame, d/dt V_f in its own axes, when Vdot = 0 and qdd = 0. Needs
 * multibody_rates(). */
RT_SAFE void multibody_frame_bias(double a_f[static 6], struct multibody_work *w,
                                  const struct multibody_frame *f, const double V[static 6]);

/* Needs multibody_kinematics(). */
RT_SAFE void multibody_frame_jacobian(struct multibody_jacobian *J, const struct multibody_work *w,
                                      const struct multibody_frame *f);

/* J as 6 x dof, columns [base nb | joints]. */
RT_SAFE void multibody_frame_dense(double *J_dense, const struct multibody_model *m,
                                   const struct multibody_jacobian *J);

/* load = load + J'F for the wrench F acting on the robot at the frame, in the frame's axes. A
 * wrench that is not usable clears w->valid and adds nothing. Needs multibody_kinematics(). */
RT_SAFE void multibody_frame_wrench(struct multibody_vector *load, const struct multibody_model *m,
                                    struct multibody_work *w, const struct multibody_frame *f,
                                    const double F[static 6]);

#endif
