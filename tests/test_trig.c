/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_trig.c - sine, cosine and arc tangent against the long double functions of the C library,
 * whose own error (2^-64 relative) does not show at the tolerances here.
 */
#include "model/trig.h"

#include <float.h>
#include <math.h>

#include "unity.h"

#include "tests/draw.h"

#if LDBL_MANT_DIG < 64
#error "the reference needs a long double wider than double"
#endif

static struct draw dice;

void setUp(void)
{
    dice.state = 0x9e3779b97f4a7c15u;
}

void tearDown(void)
{
}

/* Distance to the reference in units of the last place of the result */
static double ulps(double value, long double truth)
{
    const double near = fabs((double)truth);

    return (double)(fabsl((long double)value - truth) /
                    (long double)(nextafter(near, HUGE_VAL) - near));
}

static long double true_sin(double x)
{
    return sinl((long double)x);
}

static long double true_cos(double x)
{
    return cosl((long double)x);
}

static long double true_atan2(double y, double x)
{
    return atan2l((long double)y, (long double)x);
}

/* Greatest absolute error of both over n times eight angles within +-range */
static double sincos_error(double range, int n)
{
    double worst = 0.0;

    for (int i = 0; i < n; i++) {
        double x[TRIG_LANES], s[TRIG_LANES], c[TRIG_LANES];

        draw_vector(&dice, x, TRIG_LANES, range);
        trig_sincos8(s, c, x);
        for (int l = 0; l < TRIG_LANES; l++) {
            worst = draw_greater(worst, (double)fabsl((long double)s[l] - true_sin(x[l])));
            worst = draw_greater(worst, (double)fabsl((long double)c[l] - true_cos(x[l])));
        }
    }
    return worst;
}

static void test_sine_and_cosine_are_right_to_1e_16_for_the_angles_of_a_joint(void)
{
    /* half an ulp of 1 is 1.1e-16: nothing is left for a polynomial one term short */
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0.0, sincos_error(7.0, 250000));
}

static void test_sine_and_cosine_stay_right_up_to_100000_radians(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0.0, sincos_error(1e3, 50000));
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0.0, sincos_error(1e5, 50000));
}

/* Half an ulp of 1 from the last sum, half an ulp of pi/4 from rounding what reduction leaves, and a
 * fifth of that from the part of pi/2 left out at the largest angles. */
static void test_half_angles_are_right_to_2e_16_up_to_100000_radians(void)
{
    const double range[3] = {1e-3, 7.0, 1e5};
    double worst = 0.0;

    for (int i = 0; i < 300000; i++) {
        double x[TRIG_LANES], s[TRIG_LANES], c[TRIG_LANES];

        draw_vector(&dice, x, TRIG_LANES, range[i % 3]);
        trig_sincos_half8(s, c, x);
        for (int l = 0; l < TRIG_LANES; l++) {
            const double half = 0.5 * x[l];

            worst = draw_greater(worst, (double)fabsl((long double)s[l] - true_sin(half)));
            worst = draw_greater(worst, (double)fabsl((long double)c[l] - true_cos(half)));
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(2e-16, 0.0, worst);
    TEST_ASSERT_TRUE(worst > 5e-17); /* it did compare */
}

/* At the doubles nearest to k pi/2 the result is all that reduction leaves: it must be right
 * relative to itself. */
static void test_the_zeros_keep_their_relative_accuracy(void)
{
    double worst = 0.0;

    for (int k = 1; k < 63000; k++) {
        const double x = (double)(k * 1.57079632679489661923132169163975144L);
        double s, c;

        trig_sincos(&s, &c, x);
        worst = draw_greater(worst, (k & 1) != 0 ? ulps(c, true_cos(x)) : ulps(s, true_sin(x)));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1.0, 0.0, worst);
}

static void test_sine_and_cosine_lie_on_the_unit_circle(void)
{
    for (int i = 0; i < 100000; i++) {
        double s, c;

        trig_sincos(&s, &c, draw_uniform(&dice, -100.0, 100.0));
        TEST_ASSERT_DOUBLE_WITHIN(4.0 * DBL_EPSILON, 1.0, s * s + c * c);
    }
}

static void test_sine_is_odd_and_cosine_even_to_the_bit(void)
{
    for (int i = 0; i < 100000; i++) {
        const double x = draw_scaled(&dice, -1000, 17);
        double s, c, s_back, c_back;

        trig_sincos(&s, &c, x);
        trig_sincos(&s_back, &c_back, -x);
        s_back = -s_back;
        TEST_ASSERT_EQUAL_MEMORY(&s, &s_back, sizeof s);
        TEST_ASSERT_EQUAL_MEMORY(&c, &c_back, sizeof c);
    }
}

static void test_one_angle_has_the_bits_of_a_lane(void)
{
    for (int i = 0; i < 20000; i++) {
        double x[TRIG_LANES], s[TRIG_LANES], c[TRIG_LANES];

        for (int l = 0; l < TRIG_LANES; l++) {
            x[l] = draw_scaled(&dice, -1040, 20); /* past both ends of what is accepted */
        }
        trig_sincos8(s, c, x);
        for (int l = 0; l < TRIG_LANES; l++) {
            double s1, c1;

            trig_sincos(&s1, &c1, x[l]);
            if (isnan(s1)) {
                TEST_ASSERT_TRUE(isnan(c1) && isnan(s[l]) && isnan(c[l]));
            } else {
                TEST_ASSERT_EQUAL_MEMORY(&s1, &s[l], sizeof s1);
                TEST_ASSERT_EQUAL_MEMORY(&c1, &c[l], sizeof c1);
            }
        }
    }
}

static void test_an_angle_too_large_is_nan_in_its_lane_only(void)
{
    const double x[TRIG_LANES] = {0.5,       131072.0,    -1e300,   HUGE_VAL,
                                  -HUGE_VAL, (double)NAN, 131071.9, 1.0};
    double s[TRIG_LANES], c[TRIG_LANES];

    trig_sincos8(s, c, x);
    for (int l = 1; l < 6; l++) {
        TEST_ASSERT_TRUE(isnan(s[l]) && isnan(c[l]));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, sin(0.5), s[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, sin(1.0), s[7]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, (double)true_sin(131071.9), s[6]);
}

/* OEIS A049469, A049470; sin of the double next to pi is pi minus that double, 1.2246...e-16 */
static void test_known_sines_and_cosines(void)
{
    double s, c;

    trig_sincos(&s, &c, 1.0);
    TEST_ASSERT_DOUBLE_WITHIN(1.2e-16, 0.841470984807896506652502, s);
    TEST_ASSERT_DOUBLE_WITHIN(1.2e-16, 0.540302305868139717400936, c);
    trig_sincos(&s, &c, BASE_PI);
    TEST_ASSERT_DOUBLE_WITHIN(1e-31, 1.22464679914735317722607e-16, s);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, -1.0, c);
    trig_sincos(&s, &c, 0.0);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 0.0, s);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 1.0, c);
    trig_sincos(&s, &c, 5e-324);
    TEST_ASSERT_DOUBLE_WITHIN(0.0, 5e-324, s);
}

static void test_arc_tangent_is_right_to_one_and_a_half_ulp(void)
{
    double worst = 0.0;

    for (int i = 0; i < 500000; i++) {
        const double x = draw_uniform(&dice, -1.0, 1.0);
        const double y = draw_uniform(&dice, -1.0, 1.0);
        const double small = draw_scaled(&dice, -60, 60);

        worst = draw_greater(worst, ulps(trig_atan2(y, x), true_atan2(y, x)));
        worst = draw_greater(worst, ulps(trig_atan2(y * small, x), true_atan2(y * small, x)));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1.5, 0.0, worst);
}

/* Off the axes the table carries its rounding error along: without one low part it is 1.07 ulp */
static void test_arc_tangent_is_nearly_rounded_off_the_axes(void)
{
    double worst = 0.0;

    for (int i = 0; i < 200000; i++) {
        const double slope = draw_uniform(&dice, 0.25, 1.0);

        worst = draw_greater(worst, ulps(trig_atan2(slope, 1.0), true_atan2(slope, 1.0)));
        worst = draw_greater(worst, ulps(trig_atan2(1.0, -slope), true_atan2(1.0, -slope)));
    }
    TEST_ASSERT_DOUBLE_WITHIN(0.9, 0.0, worst);
}

/* Around the slopes where the table changes row, and around the diagonals and axes */
static void test_arc_tangent_has_no_step_between_its_pieces(void)
{
    double worst = 0.0;

    for (int i = -40; i <= 40; i++) {
        double slope = i / 32.0;

        for (int j = 0; j < 64; j++) {
            slope = nextafter(slope, 2.0);
            worst = draw_greater(worst, ulps(trig_atan2(slope, 1.0), true_atan2(slope, 1.0)));
            worst = draw_greater(worst, ulps(trig_atan2(1.0, slope), true_atan2(1.0, slope)));
            worst = draw_greater(worst, ulps(trig_atan2(slope, -1.0), true_atan2(slope, -1.0)));
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1.5, 0.0, worst);
}

static void test_arc_tangent_does_not_depend_on_scale(void)
{
    for (int i = 0; i < 20000; i++) {
        const double x = draw_uniform(&dice, -1.0, 1.0);
        const double y = draw_uniform(&dice, -1.0, 1.0);
        const double here = trig_atan2(y, x);
        const double far = trig_atan2(ldexp(y, 1020), ldexp(x, 1020));
        const double close = trig_atan2(ldexp(y, -960), ldexp(x, -960));

        TEST_ASSERT_EQUAL_MEMORY(&here, &far, sizeof here);
        TEST_ASSERT_EQUAL_MEMORY(&here, &close, sizeof here);
    }
    for (int y = -9; y <= 9; y += 2) { /* the smallest numbers there are */
        const double here = trig_atan2(y, 7.0);
        const double close = trig_atan2(y * 5e-324, 7.0 * 5e-324);

        TEST_ASSERT_EQUAL_MEMORY(&here, &close, sizeof here);
    }
}

static void test_arc_tangent_undoes_sine_and_cosine(void)
{
    for (int i = 0; i < 100000; i++) {
        const double angle = draw_uniform(&dice, -BASE_PI, BASE_PI);
        double s, c;

        trig_sincos(&s, &c, angle);
        TEST_ASSERT_DOUBLE_WITHIN(2.0 * DBL_EPSILON, angle, trig_atan2(s, c));
    }
}

/* C11 Annex F 10.1.4, row by row */
static void test_arc_tangent_of_zeros_and_infinities(void)
{
    static const struct {
        double y, x, angle;
    } row[] = {
        {0.0, 0.0, 0.0},
        {0.0, -0.0, BASE_PI},
        {0.0, 1.0, 0.0},
        {0.0, -1.0, BASE_PI},
        {1.0, 0.0, BASE_PI / 2.0},
        {1.0, -0.0, BASE_PI / 2.0},
        {1.0, HUGE_VAL, 0.0},
        {1.0, -HUGE_VAL, BASE_PI},
        {HUGE_VAL, 1.0, BASE_PI / 2.0},
        {HUGE_VAL, -1.0, BASE_PI / 2.0},
        {HUGE_VAL, HUGE_VAL, BASE_PI / 4.0},
        {HUGE_VAL, -HUGE_VAL, 3.0 * (BASE_PI / 4.0)},
        {5e-324, DBL_MAX, 0.0},
        {DBL_MAX, 5e-324, BASE_PI / 2.0},
        {DBL_MAX, DBL_MAX, BASE_PI / 4.0},
        {5e-324, 5e-324, BASE_PI / 4.0},
    };

    for (size_t i = 0; i < COUNT_OF(row); i++) {
        const double up = trig_atan2(row[i].y, row[i].x);
        const double down = -trig_atan2(-row[i].y, row[i].x);

        TEST_ASSERT_EQUAL_MEMORY(&row[i].angle, &up, sizeof up);
        TEST_ASSERT_EQUAL_MEMORY(&row[i].angle, &down, sizeof down);
    }
    TEST_ASSERT_TRUE(isnan(trig_atan2((double)NAN, 1.0)) && isnan(trig_atan2(1.0, (double)NAN)));
    TEST_ASSERT_TRUE(isnan(trig_atan2((double)NAN, HUGE_VAL)) &&
                     isnan(trig_atan2(0.0, (double)NAN)));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_sine_and_cosine_are_right_to_1e_16_for_the_angles_of_a_joint);
    RUN_TEST(test_sine_and_cosine_stay_right_up_to_100000_radians);
    RUN_TEST(test_half_angles_are_right_to_2e_16_up_to_100000_radians);
    RUN_TEST(test_the_zeros_keep_their_relative_accuracy);
    RUN_TEST(test_sine_and_cosine_lie_on_the_unit_circle);
    RUN_TEST(test_sine_is_odd_and_cosine_even_to_the_bit);
    RUN_TEST(test_one_angle_has_the_bits_of_a_lane);
    RUN_TEST(test_an_angle_too_large_is_nan_in_its_lane_only);
    RUN_TEST(test_known_sines_and_cosines);
    RUN_TEST(test_arc_tangent_is_right_to_one_and_a_half_ulp);
    RUN_TEST(test_arc_tangent_is_nearly_rounded_off_the_axes);
    RUN_TEST(test_arc_tangent_has_no_step_between_its_pieces);
    RUN_TEST(test_arc_tangent_does_not_depend_on_scale);
    RUN_TEST(test_arc_tangent_undoes_sine_and_cosine);
    RUN_TEST(test_arc_tangent_of_zeros_and_infinities);
    return UNITY_END();
}
