/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_random.c - repeatable numbers with the distribution they promise. Statistical bounds are five
 * standard deviations of the estimate; the seeds are fixed, so a bound once met is always met. */
#include "model/random.h"

#include <math.h>

#include "unity.h"

#define DRAWS 1000000

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_same_seed_and_stream_give_the_same_numbers(void)
{
    struct random_state a, b;

    random_init(&a, 7, 3);
    random_init(&b, 7, 3);
    for (int i = 0; i < 1000; i++) {
        const double x = random_normal(&a), y = random_normal(&b);

        TEST_ASSERT_EQUAL_MEMORY(&x, &y, sizeof x);
    }
}

static void test_starting_again_forgets_the_spare_number(void)
{
    struct random_state a, b;

    random_init(&a, 7, 3);
    (void)random_normal(&a);
    random_init(&a, 7, 3);
    random_init(&b, 7, 3);
    TEST_ASSERT_EQUAL_DOUBLE(random_normal(&b), random_normal(&a));
    TEST_ASSERT_TRUE(a.has_spare);
}

/* The correlation of two independent streams has deviation 1/sqrt(n). */
static void test_streams_of_neighbouring_seeds_are_independent(void)
{
    const uint64_t pair[4][4] = {{1, 0, 1, 1}, {1, 0, 2, 0}, {1, 1, 2, 0}, {0, 0, 0, 1}};
    const int n = 100000;

    for (int k = 0; k < 4; k++) {
        struct random_state a, b;
        double sum = 0.0;

        random_init(&a, pair[k][0], pair[k][1]);
        random_init(&b, pair[k][2], pair[k][3]);
        for (int i = 0; i < n; i++) {
            sum += random_normal(&a) * random_normal(&b);
        }
        TEST_ASSERT_DOUBLE_WITHIN(5.0 / sqrt(n), 0.0, sum / n);
    }
}

static void test_uniform_stays_inside_and_has_its_moments(void)
{
    struct random_state s;
    double sum = 0.0, square = 0.0;

    random_init(&s, 42, 0);
    for (int i = 0; i < DRAWS; i++) {
        const double u = random_uniform(&s);

        TEST_ASSERT_TRUE(u > 0.0 && u < 1.0);
        sum += u;
        square += u * u;
    }
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(1.0 / 12.0 / DRAWS), 0.5, sum / DRAWS);
    TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(4.0 / 45.0 / DRAWS), 1.0 / 3.0, square / DRAWS);
}

/* Least and greatest uniform number: the whole range of the normal stays finite, 8.57 sigma. */
static void test_ends_of_the_uniform_grid_are_finite(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, 8.57, sqrt(-2.0 * random_log(0.5 * 0x1p-52)));
    TEST_ASSERT_TRUE(random_log((0x1p52 - 0.5) * 0x1p-52) < 0.0);
}

static void test_normal_has_the_moments_of_the_normal(void)
{
    const double expected[6] = {0.0, 1.0, 0.0, 3.0, 0.0, 15.0};
    const double variance[6] = {1.0, 2.0, 15.0, 96.0, 945.0, 10170.0};
    struct random_state s;
    double sum[6] = {0};

    random_init(&s, 5, 9);
    for (int i = 0; i < DRAWS; i++) {
        const double x = random_normal(&s);
        double power = 1.0;

        for (int k = 0; k < 6; k++) {
            power *= x;
            sum[k] += power;
        }
    }
    for (int k = 0; k < 6; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(variance[k] / DRAWS), expected[k], sum[k] / DRAWS);
    }
}

/* Counts beyond z against erfc, up to 4.5 sigma, where a sum of twelve uniforms falls short. */
static void test_normal_has_the_tails_of_the_normal(void)
{
    const double z[5] = {0.5, 2.0, 3.0, 4.0, 4.5};
    const int n = 4 * DRAWS;
    struct random_state s;
    int above[5] = {0}, below[5] = {0};

    random_init(&s, 11, 0);
    for (int i = 0; i < n; i++) {
        const double x = random_normal(&s);

        for (int k = 0; k < 5; k++) {
            above[k] += x > z[k];
            below[k] += x < -z[k];
        }
    }
    for (int k = 0; k < 5; k++) {
        const double expected = 0.5 * erfc(z[k] / sqrt(2.0)) * n;

        TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(expected), expected, above[k]);
        TEST_ASSERT_DOUBLE_WITHIN(5.0 * sqrt(expected), expected, below[k]);
    }
}

static void test_markov_keeps_its_deviation_and_forgets_in_its_time(void)
{
    struct random_state s;
    struct random_markov m;
    double square = 0.0, product = 0.0, first = 0.0, x = 0.0;
    const int n = DRAWS;

    random_init(&s, 3, 1);
    random_markov_init(&m, 2.0, 0.05, 0.01);
    for (int i = 0; i < 10000; i++) {
        x = random_markov_start(&m, &s);
        first += x * x;
    }
    TEST_ASSERT_DOUBLE_WITHIN(4.0 * 5.0 * sqrt(2.0 / 1e4), 4.0, first / 1e4);
    for (int i = 0; i < n; i++) {
        const double y = random_markov_next(&m, &s, x);

        square += y * y;
        product += x * y;
        x = y;
    }
    /* about n dt / tau = 200,000 independent values */
    TEST_ASSERT_DOUBLE_WITHIN(4.0 * 5.0 * sqrt(2.0 / 2e5), 4.0, square / n);
    TEST_ASSERT_DOUBLE_WITHIN(4.0 * 5.0 * sqrt(2.0 / 2e5), 4.0 * exp(-0.2), product / n);
}

static void test_markov_factor_is_the_exponential(void)
{
    for (int i = 0; i < 260; i++) {
        const double x = 1e-9 * pow(1.1, i);
        struct random_markov m;

        random_markov_init(&m, 1.0, 1.0, x);
        TEST_ASSERT_DOUBLE_WITHIN(4e-13 * exp(-x) + 1e-17, exp(-x), m.keep);
    }
}

static void test_markov_without_memory_is_white(void)
{
    struct random_markov m;

    random_markov_init(&m, 3.0, 0.0, 1e-3);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, m.keep);
    TEST_ASSERT_EQUAL_DOUBLE(3.0, m.drive);
}

static void test_log_agrees_with_extended_precision(void)
{
    struct random_state s;

    random_init(&s, 1, 1);
    for (int i = 0; i < 200000; i++) {
        const double x = i % 2 == 0 ? random_uniform(&s) : ldexp(random_uniform(&s), i % 900 - 450);
        const double expected = (double)logl((long double)x);

        TEST_ASSERT_DOUBLE_WITHIN(4e-16 * fabs(expected), expected, random_log(x));
    }
}

/* State 1, 2, 3, 4: the ten numbers the authors' reference program prints (also in the tests of rand_xoshiro). */
static void test_bits_are_those_of_xoshiro256_plus_plus(void)
{
    const uint64_t expected[10] = {41943041u,
                                   58720359u,
                                   3588806011781223u,
                                   3591011842654386u,
                                   9228616714210784205u,
                                   9973669472204895162u,
                                   14011001112246962877u,
                                   12406186145184390807u,
                                   15849039046786891736u,
                                   10450023813501588000u};
    struct random_state s = {.word = {1, 2, 3, 4}};

    for (int i = 0; i < 10; i++) {
        TEST_ASSERT_EQUAL_UINT64(expected[i], random_bits(&s));
    }
}

/* splitmix64 from 1234567 (Rosetta Code); 0xe220... is its first number from 0, the mark of stream 0. */
static void test_state_is_filled_by_splitmix64(void)
{
    const uint64_t expected[4] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u};
    struct random_state s;

    random_init(&s, 1234567u ^ 0xe220a8397b1dcdafu, 0);
    TEST_ASSERT_EQUAL_UINT64_ARRAY(expected, s.word, 4);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_same_seed_and_stream_give_the_same_numbers);
    RUN_TEST(test_starting_again_forgets_the_spare_number);
    RUN_TEST(test_streams_of_neighbouring_seeds_are_independent);
    RUN_TEST(test_uniform_stays_inside_and_has_its_moments);
    RUN_TEST(test_ends_of_the_uniform_grid_are_finite);
    RUN_TEST(test_normal_has_the_moments_of_the_normal);
    RUN_TEST(test_normal_has_the_tails_of_the_normal);
    RUN_TEST(test_markov_keeps_its_deviation_and_forgets_in_its_time);
    RUN_TEST(test_markov_factor_is_the_exponential);
    RUN_TEST(test_markov_without_memory_is_white);
    RUN_TEST(test_log_agrees_with_extended_precision);
    RUN_TEST(test_bits_are_those_of_xoshiro256_plus_plus);
    RUN_TEST(test_state_is_filled_by_splitmix64);
    return UNITY_END();
}
