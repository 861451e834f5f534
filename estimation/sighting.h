/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sighting.h - one measured pose of the target, and the noise it is believed to have.
 *
 * Whatever the source (datagram, camera, file), the filter sees this. Time stamps are of one clock, ns; the pose is
 * that of C in A, already moved there from the camera.
 */
#ifndef FREEFALL_SIGHTING_H
#define FREEFALL_SIGHTING_H

#include "estimation/target.h"

struct sighting {
    int64_t image_ns;   /* middle of the exposure */
    int64_t receive_ns; /* when it reached this machine */
    double p[3];        /* m, in A */
    double q[4];        /* C in A, x y z w, unit */
    double factor[36];  /* L with L L' = noise covariance: position in A, m; half rotation in C */
    bool has_second;    /* a planar marker may be seen in two ways */
    double second[4];   /* the other attitude */
    double ambiguity;   /* error of the first over that of the second, 0 to 1 */
    uint32_t sequence;
    bool out; /* not believed: kept out of the fit */
};

/* Two scalars that correct the believed noise, as factors on the deviation: position, attitude. */
struct sighting_scale {
    double position;
    double attitude;
};

/* Set the noise: the same in all directions, m and rad. */
RT_SAFE void sighting_sigma(struct sighting *z, double sigma_m, double sigma_rad);

/* Set the noise from a covariance, 6 x 6: position in A, m^2; rotation vector, rad^2, in C. False if not
 * positive definite. */
RT_SAFE bool sighting_covariance(struct sighting *z, const double S[static 36]);

/* y = (D L)^-1 x for n columns: what has unit covariance if x is noise of this pose, D the scale. */
RT_SAFE void sighting_whiten(double *y, const struct sighting *z,
                             const struct sighting_scale *scale, const double *x, int n);

/* R = D L L' D */
RT_SAFE void sighting_noise(double R[static 36], const struct sighting *z,
                            const struct sighting_scale *scale);

#endif
