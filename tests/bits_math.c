/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bits_math.c - fingerprints of the small mathematics, for tests/bits.sh.
 *
 * bits.sh sources: model/trig.c model/mat.c model/linear.c model/so3.c model/se3.c
 */
#include <math.h>

#include "model/base.h"
#include "model/linear.h"
#include "model/mat.h"
#include "model/se3.h"
#include "model/so3.h"
#include "model/trig.h"
#include "tests/bits.h"
#include "tests/draw.h"

static struct draw dice;

/* n numbers: mostly of a robot's size, some tiny, some huge, some zero */
static void numbers(double *x, int n)
{
    const int kind = draw_index(&dice, 8);

    draw_vector(&dice, x, n, 3.0);
    for (int i = 0; i < n; i++) {
        if (kind == 0) {
            x[i] = draw_scaled(&dice, -1000, -300);
        } else if (kind == 1) {
            x[i] = draw_scaled(&dice, -30, 60);
        } else if (kind == 2 && draw_index(&dice, 3) == 0) {
            x[i] = 0.0;
        }
    }
}

/* A rotation vector of any size, every eighth close to pi */
static void rotation_vector(double w[static 3])
{
    numbers(w, 3);
    if (draw_index(&dice, 8) == 0) {
        draw_direction(&dice, w, BASE_PI - fabs(draw_scaled(&dice, -52, 0)));
    }
}

static void rotation(double R[static 9])
{
    double w[3];

    rotation_vector(w);
    so3_exp(R, w);
}

static void pose(struct pose *g)
{
    rotation(g->R);
    numbers(g->p, 3);
}

/* ---- one, two arrays in, one out ---- */

enum kind { NUMBERS, ROTATION, VECTOR6 };

static const struct {
    const char *name;
    void (*f)(double *, const double *);
    int out, in;
    enum kind kind;
} unary[] = {
    {"mat_transpose3", mat_transpose3, 9, 9, NUMBERS},
    {"so3_hat", so3_hat, 9, 3, NUMBERS},
    {"so3_exp", so3_exp, 9, 3, VECTOR6},
    {"so3_log", so3_log, 3, 9, ROTATION},
    {"so3_left_jacobian", so3_left_jacobian, 9, 3, VECTOR6},
    {"so3_left_jacobian_inverse", so3_left_jacobian_inverse, 9, 3, VECTOR6},
    {"so3_right_jacobian", so3_right_jacobian, 9, 3, VECTOR6},
    {"so3_right_jacobian_inverse", so3_right_jacobian_inverse, 9, 3, VECTOR6},
    {"so3_from_quat", so3_from_quat, 9, 4, NUMBERS},
    {"so3_to_quat", so3_to_quat, 4, 9, ROTATION},
    {"se3_ad", se3_ad, 36, 6, NUMBERS},
    {"se3_left_jacobian", se3_left_jacobian, 36, 6, VECTOR6},
    {"se3_left_jacobian_inverse", se3_left_jacobian_inverse, 36, 6, VECTOR6},
    {"se3_right_jacobian", se3_right_jacobian, 36, 6, VECTOR6},
    {"se3_right_jacobian_inverse", se3_right_jacobian_inverse, 36, 6, VECTOR6},
};

static const struct {
    const char *name;
    void (*f)(double *, const double *, const double *);
    int out, in[2];
} binary[] = {
    {"mat_cross3", mat_cross3, 3, {3, 3}},
    {"mat_vec3", mat_vec3, 3, {9, 3}},
    {"mat_vec3_t", mat_vec3_t, 3, {9, 3}},
    {"mat_mul3", mat_mul3, 9, {9, 9}},
    {"mat_mul3_tn", mat_mul3_tn, 9, {9, 9}},
    {"mat_mul3_nt", mat_mul3_nt, 9, {9, 9}},
    {"mat_vec6", mat_vec6, 6, {36, 6}},
    {"mat_vec6_t", mat_vec6_t, 6, {36, 6}},
    {"mat_mul6", mat_mul6, 36, {36, 36}},
    {"so3_quat_mul", so3_quat_mul, 4, {4, 4}},
    {"se3_apply_ad", se3_apply_ad, 6, {6, 6}},
    {"se3_apply_ad_transpose", se3_apply_ad_transpose, 6, {6, 6}},
};

static const struct {
    const char *name;
    void (*f)(double *, const struct pose *, const double *);
    int size;
} framed[] = {
    {"se3_point", se3_point, 3},
    {"se3_apply_Ad", se3_apply_Ad, 6},
    {"se3_apply_Ad_inverse", se3_apply_Ad_inverse, 6},
    {"se3_apply_Ad_transpose", se3_apply_Ad_transpose, 6},
    {"se3_apply_Ad_inverse_transpose", se3_apply_Ad_inverse_transpose, 6},
};

static void hash_tables(void)
{
    double x[36], y[36], z[36];
    struct bits b;

    for (size_t k = 0; k < COUNT_OF(unary); k++) {
        bits_start(&b);
        for (int i = 0; i < BITS_INPUTS; i++) {
            if (unary[k].kind == ROTATION) {
                rotation(x);
            } else {
                numbers(x, unary[k].in);
            }
            if (unary[k].kind == VECTOR6) {
                rotation_vector(x + unary[k].in - 3);
            }
            unary[k].f(y, x);
            bits_add(&b, y, unary[k].out);
        }
        bits_print(&b, unary[k].name);
    }
    for (size_t k = 0; k < COUNT_OF(binary); k++) {
        bits_start(&b);
        for (int i = 0; i < BITS_INPUTS; i++) {
            numbers(x, binary[k].in[0]);
            numbers(y, binary[k].in[1]);
            binary[k].f(z, x, y);
            bits_add(&b, z, binary[k].out);
        }
        bits_print(&b, binary[k].name);
    }
    for (size_t k = 0; k < COUNT_OF(framed); k++) {
        bits_start(&b);
        for (int i = 0; i < BITS_INPUTS; i++) {
            struct pose g;

            pose(&g);
            numbers(x, framed[k].size);
            framed[k].f(y, &g, x);
            bits_add(&b, y, framed[k].size);
        }
        bits_print(&b, framed[k].name);
    }
}

/* ---- the rest, each by its own call: EACH(name, what to draw, call and hash) ---- */

#define EACH(name, ...)                                                                            \
    do {                                                                                           \
        struct bits b;                                                                             \
                                                                                                   \
        bits_start(&b);                                                                            \
        for (int i = 0; i < BITS_INPUTS; i++) {                                                    \
            __VA_ARGS__                                                                            \
        }                                                                                          \
        bits_print(&b, name);                                                                      \
    } while (0)

static void hash_trig(void)
{
    double x[TRIG_LANES], s[TRIG_LANES], c[TRIG_LANES];

    EACH("trig_sincos8", numbers(x, TRIG_LANES); trig_sincos8(s, c, x); bits_add(&b, s, TRIG_LANES);
         bits_add(&b, c, TRIG_LANES););
    EACH("trig_sincos_half8", draw_vector(&dice, x, TRIG_LANES, 1e5); trig_sincos_half8(s, c, x);
         bits_add(&b, s, TRIG_LANES); bits_add(&b, c, TRIG_LANES););
    EACH("trig_sincos", numbers(x, 1); trig_sincos(s, c, x[0]); bits_add(&b, s, 1);
         bits_add(&b, c, 1););
    EACH("trig_atan2", numbers(x, 2); bits_add_one(&b, trig_atan2(x[0], x[1])););
}

static void hash_mat(void)
{
    double A[64], B[64], C[64], v[3];

    EACH("mat_zero", numbers(A, 7); mat_zero(A, 7); bits_add(&b, A, 7););
    EACH("mat_copy", numbers(A, 7); mat_copy(B, A, 7); bits_add(&b, B, 7););
    EACH("mat_add", numbers(A, 7); numbers(B, 7); mat_add(C, A, B, 7); bits_add(&b, C, 7););
    EACH("mat_sub", numbers(A, 7); numbers(B, 7); mat_sub(C, A, B, 7); bits_add(&b, C, 7););
    EACH("mat_scale", numbers(A, 8); mat_scale(C, A[7], A, 7); bits_add(&b, C, 7););
    EACH("mat_add_scaled", numbers(A, 8); numbers(B, 7); mat_add_scaled(B, A[7], A, 7);
         bits_add(&b, B, 7););
    EACH("mat_dot", numbers(A, 13); numbers(B, 13); bits_add_one(&b, mat_dot(A, B, 13)););
    EACH("mat_dot3", numbers(A, 3); numbers(B, 3); bits_add_one(&b, mat_dot3(A, B)););
    EACH("mat_dot6", numbers(A, 6); numbers(B, 6); bits_add_one(&b, mat_dot6(A, B)););
    EACH("mat_norm3", numbers(A, 3); bits_add_one(&b, mat_norm3(A)););
    EACH("mat_inverse3", numbers(A, 9); bits_add_one(&b, mat_inverse3(C, A)); bits_add(&b, C, 9););
    EACH("mat_eigen3", numbers(A, 9); mat_eigen3(v, C, A); bits_add(&b, v, 3); bits_add(&b, C, 9););
    EACH("mat_identity", mat_identity(A, 1 + i % 7); bits_add(&b, A, 1 + i % 7););
    EACH("mat_symmetrise", numbers(A, 49); mat_symmetrise(A, 7); bits_add(&b, A, 49););
    EACH("mat_transpose", numbers(A, 35); mat_transpose(C, A, 5, 7); bits_add(&b, C, 35););
    EACH("mat_vec", numbers(A, 35); numbers(B, 7); mat_vec(C, A, B, 5, 7); bits_add(&b, C, 5););
    EACH("mat_vec_t", numbers(A, 35); numbers(B, 5); mat_vec_t(C, A, B, 5, 7); bits_add(&b, C, 7););
    EACH("mat_mul", numbers(A, 35); numbers(B, 42); mat_mul(C, A, B, 5, 7, 6);
         bits_add(&b, C, 30););
    EACH("mat_mul_tn", numbers(A, 35); numbers(B, 42); mat_mul_tn(C, A, B, 5, 7, 6);
         bits_add(&b, C, 30););
    EACH("mat_mul_nt", numbers(A, 35); numbers(B, 42); mat_mul_nt(C, A, B, 5, 7, 6);
         bits_add(&b, C, 30););
}

/* A n x n: positive definite, indefinite or singular */
static void symmetric(double *A, int n)
{
    double B[169];
    const int rank = n - draw_index(&dice, 3);

    numbers(B, n * rank);
    mat_mul_nt(A, B, B, n, rank, n);
    if (draw_index(&dice, 4) == 0) {
        A[0] = -A[0];
    }
}

static void hash_linear(void)
{
    double A[169], B[169], L[169], X[169], d[13], ratio;

    EACH("linear_cholesky", symmetric(A, 13); bits_add_one(&b, linear_cholesky(L, A, 13));
         bits_add(&b, L, 169););
    EACH("linear_ldl", symmetric(A, 13); bits_add_one(&b, linear_ldl(L, d, A, 13));
         bits_add(&b, L, 169); bits_add(&b, d, 13););
    EACH("linear_lower_solve", symmetric(A, 7); numbers(B, 21); linear_cholesky(L, A, 7);
         linear_lower_solve(X, L, B, 7, 3); bits_add(&b, X, 21););
    EACH("linear_cholesky_solve", symmetric(A, 7); numbers(B, 21); linear_cholesky(L, A, 7);
         linear_cholesky_solve(X, L, B, 7, 3); bits_add(&b, X, 21););
    EACH("linear_ldl_solve", symmetric(A, 7); numbers(B, 21); linear_ldl(L, d, A, 7);
         linear_ldl_solve(X, L, d, B, 7, 3); bits_add(&b, X, 21););
    EACH("linear_solve", numbers(A, 49); numbers(B, 21);
         bits_add_one(&b, linear_solve(X, A, B, 7, 3, &ratio)); bits_add_one(&b, ratio);
         bits_add(&b, X, 21););
    EACH("linear_pinv", numbers(A, 42); bits_add_one(&b, linear_pinv(X, A, 6, 7, 0.01 * (i % 3)));
         bits_add(&b, X, 42););
    EACH("linear_least_singular", numbers(A, 42);
         bits_add_one(&b, linear_least_singular(A, 6, 7)););
}

static void hash_so3(void)
{
    double q[9], c[6], R[9];

    EACH("so3_coefficients", numbers(q, 1); so3_coefficients(c, fabs(q[0])); bits_add(&b, c, 6););
    EACH("so3_quadratic", numbers(q, 5); so3_quadratic(R, q, q[3], q[4]); bits_add(&b, R, 9););
    EACH("so3_quat_normalise", numbers(q, 4); bits_add_one(&b, so3_quat_normalise(q));
         bits_add(&b, q, 4););
    EACH("so3_orthonormalise", rotation(R); numbers(q, 9); mat_add_scaled(R, 1e-4, q, 9);
         so3_orthonormalise(R); bits_add(&b, R, 9););
}

static void add_pose(struct bits *b, const struct pose *g)
{
    bits_add(b, g->R, 9);
    bits_add(b, g->p, 3);
}

static void hash_se3(void)
{
    struct pose g, h, r;
    double u[6], A[36];

    EACH("se3_identity", se3_identity(&g); add_pose(&b, &g););
    EACH("se3_mul", pose(&g); pose(&h); se3_mul(&r, &g, &h); add_pose(&b, &r););
    EACH("se3_inverse", pose(&g); se3_inverse(&r, &g); add_pose(&b, &r););
    EACH("se3_relative", pose(&g); pose(&h); se3_relative(&r, &g, &h); add_pose(&b, &r););
    EACH("se3_exp", numbers(u, 3); rotation_vector(u + 3); se3_exp(&g, u); add_pose(&b, &g););
    EACH("se3_log", pose(&g); se3_log(u, &g); bits_add(&b, u, 6););
    EACH("se3_step", pose(&g); numbers(u, 6); se3_step(&g, u, 0.01); add_pose(&b, &g););
    EACH("se3_Ad", pose(&g); se3_Ad(A, &g); bits_add(&b, A, 36););
}

int main(void)
{
    dice.state = 0x8f1bbcdc5be0cd19u;
    hash_trig();
    hash_tables();
    hash_mat();
    hash_linear();
    hash_so3();
    hash_se3();
    return 0;
}
