/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapping.c - from orbit to lab and back, through the nominal motion. */
#include "model/mapping.h"

#include "model/mat.h"

RT_SAFE void mapping_carried(double dV[static 6], double dV_dot[static 6],
                             const struct motion *nominal, const struct pose *lab_pose,
                             const double lab_velocity[static 6])
{
    double turning[6];

    /* [REL 6]  dV = Ad_g^-1 V_n */
    se3_apply_Ad_inverse(dV, lab_pose, nominal->velocity);

    /* [REL 7']  dV' = Ad_g^-1 V_n' - ad_V dV; the print has + */
    se3_apply_ad(turning, lab_velocity, dV);
    se3_apply_Ad_inverse(dV_dot, lab_pose, nominal->acceleration);
    mat_sub(dV_dot, dV_dot, turning, 6);
}

RT_SAFE void mapping_to_orbit(struct motion *orbit, const struct motion *nominal,
                              const struct motion *lab)
{
    double dV[6], dV_dot[6];

    /* [REL 23]  g_t = g_n g_c,  V_t = V_c + dV_c,  V_t' = V_c' + dV_c' */
    mapping_carried(dV, dV_dot, nominal, &lab->pose, lab->velocity);
    se3_mul(&orbit->pose, &nominal->pose, &lab->pose);
    mat_add(orbit->velocity, lab->velocity, dV, 6);
    mat_add(orbit->acceleration, lab->acceleration, dV_dot, 6);
}

RT_SAFE void mapping_to_lab(struct motion *lab, const struct motion *nominal,
                            const struct motion *orbit)
{
    const double *R_n = nominal->pose.R, *R_t = orbit->pose.R;
    double difference[9], offset[3], dV[6], dV_dot[6];

    /* [REL 5]  g_c = g_n^-1 g_t, with R_n' R_t written as 1 + R_n' (R_t - R_n): the same to rounding,
     * and exactly 1 for equal bits, so that an unforced client leaves its robot at rest */
    mat_sub(difference, R_t, R_n, 9);
    mat_sub(offset, orbit->pose.p, nominal->pose.p, 3);
    mat_mul3_tn(lab->pose.R, R_n, difference);
    for (int i = 0; i < 9; i += 4) {
        lab->pose.R[i] += 1.0;
    }
    mat_vec3_t(lab->pose.p, R_n, offset);

    /* V_c = V_t - dV_c comes before dV_c', which needs V_c */
    se3_apply_Ad_inverse(dV, &lab->pose, nominal->velocity);
    mat_sub(lab->velocity, orbit->velocity, dV, 6);
    mapping_carried(dV, dV_dot, nominal, &lab->pose, lab->velocity);
    mat_sub(lab->acceleration, orbit->acceleration, dV_dot, 6);
}

RT_SAFE void mapping_contact(double F_t[static 6], const struct pose *g_te,
                             const double F_e[static 6])
{
    /* action and reaction, moved from E to T: the source's F_e = -F_t holds only after this */
    se3_apply_Ad_inverse_transpose(F_t, g_te, F_e);
    mat_scale(F_t, -1.0, F_t, 6);
}

RT_SAFE void mapping_start(struct motion *client, struct motion *servicer, const struct pose *g_t,
                           const double V_t[static 6], const struct pose *g_tb,
                           const double V_s[static 6])
{
    client->pose = *g_t;
    mat_copy(client->velocity, V_t, 6);
    mat_zero(client->acceleration, 6);

    /* [REL 15] at t = 0, where g_s = g_tb and V_n = V_t:  V_b = V_s + Ad_{g_tb^-1} V_t */
    se3_mul(&servicer->pose, g_t, g_tb);
    se3_apply_Ad_inverse(servicer->velocity, g_tb, V_t);
    mat_add(servicer->velocity, servicer->velocity, V_s, 6);
    mat_zero(servicer->acceleration, 6);
}

RT_SAFE void mapping_bound(struct mapping_bound *b, const struct motion *nominal,
                           const struct motion *lab, const struct motion *orbit)
{
    double dV[6];

    /* [REL 29]; |dV| grows with the distance from N, so a bound on the position is a bound on the speed */
    se3_apply_Ad_inverse(dV, &lab->pose, nominal->velocity);
    b->speed_mps = mat_norm3(lab->velocity);
    b->rate_radps = mat_norm3(lab->velocity + 3);
    b->speed_bound_mps = mat_norm3(orbit->velocity) + mat_norm3(dV);
    b->rate_bound_radps = mat_norm3(orbit->velocity + 3) + mat_norm3(dV + 3);
}
