/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sighting.c - the noise of a measured pose. */
#include "estimation/sighting.h"

#include "model/linear.h"
#include "model/mat.h"

RT_SAFE void sighting_sigma(struct sighting *z, double sigma_m, double sigma_rad)
{
    mat_zero(z->factor, 36);
    for (int i = 0; i < 6; i++) {
        z->factor[7 * i] = i < 3 ? sigma_m : 0.5 * sigma_rad;
    }
}

RT_SAFE bool sighting_covariance(struct sighting *z, const double S[static 36])
{
    double half[36];

    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            half[6 * i + j] = S[6 * i + j] * (i < 3 ? 1.0 : 0.5) * (j < 3 ? 1.0 : 0.5);
        }
    }
    return base_all_finite(half, 36) && linear_cholesky(z->factor, half, 6);
}

RT_SAFE static double scale_of(const struct sighting_scale *scale, int i)
{
    return i < 3 ? scale->position : scale->attitude;
}

RT_SAFE void sighting_whiten(double *y, const struct sighting *z,
                             const struct sighting_scale *scale, const double *x, int n)
{
    for (int i = 0; i < 6; i++) {
        const double *L = z->factor + 6 * i;

        mat_scale(y + n * i, 1.0 / scale_of(scale, i), x + n * i, n);
        for (int k = 0; k < i; k++) {
            mat_add_scaled(y + n * i, -L[k], y + n * k, n);
        }
        mat_scale(y + n * i, 1.0 / L[i], y + n * i, n);
    }
}

RT_SAFE void sighting_noise(double R[static 36], const struct sighting *z,
                            const struct sighting_scale *scale)
{
    mat_mul_nt(R, z->factor, z->factor, 6, 6, 6);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            R[6 * i + j] *= scale_of(scale, i) * scale_of(scale, j);
        }
    }
}
