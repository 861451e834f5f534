/* SPDX-License-Identifier: GPL-3.0-or-later */
/* orbit.c - the tide near a point on a circular orbit. */
#include "model/orbit.h"

#include <errno.h>
#include <math.h>

#include "model/mat.h"
#include "model/so3.h"
#include "model/trig.h"

#define EARTH_GM_M3PS2 3.986004418e14
#define EARTH_RADIUS_M 6378137.0
#define GREATEST_RATE  0.01

int orbit_init(struct orbit_model *m, double rate_radps, const double radial[static 3],
               const double normal[static 3])
{
    const double r = mat_norm3(radial), z = mat_norm3(normal);

    *m = (struct orbit_model){.rate_radps = rate_radps};
    if (!(rate_radps >= 0.0 && rate_radps <= GREATEST_RATE) || !base_finite(r) || !base_finite(z) ||
        !(r > 0.0) || !(z > 0.0) || !(fabs(mat_dot3(radial, normal)) <= 1e-6 * r * z)) {
        return -EINVAL;
    }
    mat_scale(m->radial, 1.0 / r, radial, 3);
    mat_cross3(m->track, normal, m->radial);
    mat_scale(m->track, 1.0 / mat_norm3(m->track), m->track, 3);
    return 0;
}

RT_SAFE double orbit_rate(double altitude_m)
{
    const double a = EARTH_RADIUS_M + altitude_m;

    return sqrt(EARTH_GM_M3PS2 / a) / a;
}

RT_SAFE void orbit_hill(double acceleration[static 3], double rate_radps, const double r[static 3],
                        const double v[static 3])
{
    const double n = rate_radps, x = r[0], z = r[2], vx = v[0], vy = v[1];

    acceleration[0] = 2.0 * n * vy + 3.0 * n * n * x;
    acceleration[1] = -2.0 * n * vx;
    acceleration[2] = -n * n * z;
}

RT_SAFE void orbit_transition(double Phi[static 36], double rate_radps, double t_s)
{
    const double n = rate_radps, t = t_s;
    double c[6];

    /* with c_k of so3.h: cos nt = c_0, sin nt / n = t c_1, (1 - cos nt) / n = n t^2 c_2,
     * (nt - sin nt) = (nt)^3 c_3; nothing is divided by n */
    so3_coefficients(c, n * t * (n * t));
    const double cosine = c[0], sine = n * t * c[1], over = t * c[1], versed = n * t * t * c[2];
    const double late = n * t * (n * t) * (n * t) * c[3], late_over = n * t * (n * t) * t * c[3];

    mat_zero(Phi, 36);
    Phi[0] = 4.0 - 3.0 * cosine;
    Phi[3] = over;
    Phi[4] = 2.0 * versed;
    Phi[6] = -6.0 * late;
    Phi[7] = 1.0;
    Phi[9] = -2.0 * versed;
    Phi[10] = t - 4.0 * late_over; /* (4 sin nt - 3 nt) / n */
    Phi[14] = cosine;
    Phi[17] = over;
    Phi[18] = 3.0 * n * sine;
    Phi[21] = cosine;
    Phi[22] = 2.0 * sine;
    Phi[24] = -6.0 * n * n * versed;
    Phi[27] = -2.0 * sine;
    Phi[28] = 4.0 * cosine - 3.0;
    Phi[32] = -n * sine;
    Phi[35] = cosine;
}

/* e = radial cos nt + track sin nt, fixed axes */
RT_SAFE static void radial_now(double e[static 3], const struct orbit_model *m, double time_s)
{
    double s, c;

    trig_sincos(&s, &c, m->rate_radps * time_s);
    for (int i = 0; i < 3; i++) {
        e[i] = c * m->radial[i] + s * m->track[i];
    }
}

RT_SAFE void orbit_tide(double acceleration[static 3], const struct orbit_model *m,
                        const double r[static 3], double time_s)
{
    const double n2 = m->rate_radps * m->rate_radps;
    double e[3], height;

    radial_now(e, m, time_s);
    height = mat_dot3(e, r);
    for (int i = 0; i < 3; i++) {
        acceleration[i] = n2 * (3.0 * height * e[i] - r[i]);
    }
}

RT_SAFE void orbit_wrench(double F[static 6], const struct orbit_model *m,
                          const struct rigid_model *body, const struct pose *g, double time_s)
{
    const double n2 = m->rate_radps * m->rate_radps;
    double e[3], e_body[3], Je[3], acceleration[3];

    orbit_tide(acceleration, m, g->p, time_s);
    mat_vec3_t(F, g->R, acceleration);
    mat_scale(F, body->body.mass_kg, F, 3);

    radial_now(e, m, time_s);
    mat_vec3_t(e_body, g->R, e);
    mat_vec3(Je, body->inertia, e_body);
    mat_cross3(F + 3, e_body, Je);
    mat_scale(F + 3, 3.0 * n2, F + 3, 3);
}
