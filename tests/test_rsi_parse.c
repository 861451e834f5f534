/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_rsi_parse.c - telegrams read, numbers read and written: against strtod and printf, in a locale with commas too. */
#include "drivers/rsi_parse.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "drivers/abc.h"
#include "drivers/rsi_format.h"
#include "drivers/rsi_number.h"
#include "tests/draw.h"
#include "unity.h"

#define DEGREE (BASE_PI / 180.0)

static struct rsi_model model;
static struct rsi_telegram t;

void setUp(void)
{
    rsi_model_default(&model, RSI_POSE);
}

void tearDown(void)
{
}

static enum rsi_reject parse(const char *text)
{
    return rsi_parse(&t, &model, text, strlen(text));
}

#define POSE "<RIst X='1' Y='2' Z='3' A='4' B='5' C='6'/>"

static void test_the_telegram_of_the_description_is_understood(void)
{
    const char *text =
        "<Rob Type=\"KUKA\"><RIst X=\"540.4000\" Y=\"-18.1000\" Z=\"890.0000\" A=\"180.0000\" "
        "B=\"0.0000\" "
        "C=\"180.0000\" />\n<RSol X=\"1\" Y=\"1\" Z=\"1\" A=\"1\" B=\"1\" C=\"1\"/><AIPos "
        "A1=\"0.0000\" "
        "A2=\"-90\" A3=\"90\" A4=\"0\" A5=\"45.5\" A6=\"0.0000\" /><EIPos E1=\"0\" "
        "E2=\"0\"/><MACur "
        "A1=\"0.1\"/>\r\n<Delay D=\"7\" /><Tech C11=\"0\" C12=\"1\"/><DiL>0</DiL><Digout o1=\"0\" "
        "o2=\"0\" o3=\"0\" /><Source1>12.5</Source1><IPOC>123645634</IPOC></Rob>";

    TEST_ASSERT_EQUAL(RSI_UNDERSTOOD, parse(text));
    TEST_ASSERT_EQUAL_UINT64(123645634, t.ipoc);
    TEST_ASSERT_EQUAL_UINT64(7, t.delay);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5404, t.pose[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, BASE_PI, t.pose[3]);
    TEST_ASSERT_TRUE(t.has_axes);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 45.5 * DEGREE, t.axes[4]);
}

static void test_order_quotes_blanks_and_trailing_zeros_do_not_matter(void)
{
    const char text[] =
        "\r\n <Rob TYPE='KUKA' >\t<IPOC> 18446744073709551615 </IPOC><RIst C = '6' B=\"5\"\n A='4' "
        "Z='3' Y='2' X='1e0'></RIst><New><a><b/></a></New></Rob>\r\n\0\0";

    TEST_ASSERT_EQUAL(RSI_UNDERSTOOD, rsi_parse(&t, &model, text, sizeof text));
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, t.ipoc);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1e-3, t.pose[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 6 * DEGREE, t.pose[5]);
}

static void test_each_fault_has_its_reason(void)
{
    static const struct {
        enum rsi_reject reason;
        const char *text;
    } cases[] = {
        {RSI_EMPTY, ""},
        {RSI_EMPTY, " \r\n"},
        {RSI_SYNTAX, "hello"},
        {RSI_ROOT, "<rob Type=\"KUKA\"><IPOC>1</IPOC></rob>"},
        {RSI_ROOT, "<Robot>" POSE "<IPOC>1</IPOC></Robot>"},
        {RSI_CUT, "<Rob>" POSE "<IPOC>1</IPOC>"},
        {RSI_CUT, "<Rob>" POSE "<IPOC>1</IPOC></Rob"},
        {RSI_CUT, "<Rob"},
        {RSI_SYNTAX, "<Rob>" POSE "<IPOC>1</IPOC></Rob>x"},
        {RSI_SYNTAX, "<Rob>" POSE "<IPOC>1</IPOC></Rab>"},
        {RSI_SYNTAX, "<Rob>text" POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_SYNTAX, "<Rob><RIst X=1/><IPOC>1</IPOC></Rob>"},
        {RSI_SYNTAX, "<Rob><RIst X='1'Y='2'/><IPOC>1</IPOC></Rob>"},
        {RSI_DECLARATION, "<?xml version='1.0'?><Rob>" POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_DECLARATION, "<Rob><!-- x -->" POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_DECLARATION, "<Rob>" POSE "<IPOC>&one;</IPOC></Rob>"},
        {RSI_DECLARATION, "<Rob a='&lt;'>" POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_DEPTH, "<Rob><a><b><c><d><e/></d></c></b></a>" POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_WIDTH, "<Rob><a012345678901234567890123456789012/>" POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_WIDTH, "<Rob><a b='012345678901234567890123456789012'/>" POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_DOUBLE, "<Rob>" POSE POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_DOUBLE, "<Rob>" POSE "<IPOC>1</IPOC><IPOC>1</IPOC></Rob>"},
        {RSI_DOUBLE, "<Rob><a b='1' b='1'/>" POSE "<IPOC>1</IPOC></Rob>"},
        {RSI_MISSING, "<Rob><IPOC>1</IPOC></Rob>"},
        {RSI_MISSING, "<Rob><RIst X='1' Y='2' Z='3' A='4' B='5'/><IPOC>1</IPOC></Rob>"},
        {RSI_MISSING, "<Rob>" POSE "<Delay E='1'/><IPOC>1</IPOC></Rob>"},
        {RSI_NUMBER, "<Rob><RIst X='1' Y='2' Z='' A='4' B='5' C='6'/><IPOC>1</IPOC></Rob>"},
        {RSI_NUMBER, "<Rob><RIst X='1' Y='2' Z='0x10' A='4' B='5' C='6'/><IPOC>1</IPOC></Rob>"},
        {RSI_NUMBER, "<Rob><RIst X='1' Y='2' Z='1e400' A='4' B='5' C='6'/><IPOC>1</IPOC></Rob>"},
        {RSI_NUMBER, "<Rob><RIst X='1' Y='2' Z='1e' A='4' B='5' C='6'/><IPOC>1</IPOC></Rob>"},
        {RSI_NUMBER, "<Rob><RIst X='1' Y='2' Z='-' A='4' B='5' C='6'/><IPOC>1</IPOC></Rob>"},
        {RSI_NUMBER, "<Rob>" POSE "<Delay D='-1'/><IPOC>1</IPOC></Rob>"},
        {RSI_NO_IPOC, "<Rob>" POSE "</Rob>"},
        {RSI_NO_IPOC, "<Rob>" POSE "<a><IPOC>1</IPOC></a></Rob>"},
        {RSI_BAD_IPOC, "<Rob>" POSE "<IPOC></IPOC></Rob>"},
        {RSI_BAD_IPOC, "<Rob>" POSE "<IPOC>-4</IPOC></Rob>"},
        {RSI_BAD_IPOC, "<Rob>" POSE "<IPOC>18446744073709551616</IPOC></Rob>"},
        {RSI_BAD_IPOC, "<Rob>" POSE "<IPOC>1 2</IPOC></Rob>"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        TEST_ASSERT_EQUAL_STRING_MESSAGE(rsi_reject_name(cases[i].reason),
                                         rsi_reject_name(parse(cases[i].text)), cases[i].text);
    }
}

static void test_too_long_is_refused_before_it_is_read(void)
{
    static char text[RSI_TELEGRAM_MAX + 1];

    memset(text, ' ', sizeof text);
    TEST_ASSERT_EQUAL(RSI_TOO_LONG, rsi_parse(&t, &model, text, sizeof text));
}

static void test_no_prefix_of_a_telegram_is_understood(void)
{
    const char *text = "<Rob Type=\"KUKA\">" POSE "<Delay D=\"0\" /><IPOC>4</IPOC></Rob>";

    for (size_t n = 0; n < strlen(text); n++) {
        TEST_ASSERT_NOT_EQUAL(RSI_UNDERSTOOD, rsi_parse(&t, &model, text, n));
    }
    TEST_ASSERT_EQUAL(RSI_UNDERSTOOD, rsi_parse(&t, &model, text, strlen(text)));
}

static void test_numbers_are_those_of_strtod(void)
{
    struct draw draw = {.state = 0x77};
    char text[40];
    double x;

    for (int i = 0; i < 100000; i++) {
        const double size = draw_uniform(&draw, -1.0, 1.0) * (i % 3 ? 5000.0 : 1.0);
        const int n = snprintf(text, sizeof text, "%.*f", 1 + i % 9, size);

        TEST_ASSERT_TRUE(rsi_number_read(&x, text, (size_t)n));
        TEST_ASSERT_TRUE(
            !(fabs(x - strtod(text, NULL)) > 0.0)); /* up to 15 digits: the same bits */
    }
}

static void test_written_numbers_are_those_of_printf(void)
{
    struct draw draw = {.state = 0x78};
    char ours[RSI_NUMBER_MAX + 1], theirs[40];

    for (int i = 0; i < 100000; i++) {
        const int decimals = 4 + i % 4;
        const double x = draw_uniform(&draw, -2000.0, 2000.0);

        ours[rsi_number_put(ours, x, decimals)] = '\0';
        snprintf(theirs, sizeof theirs, "%.*f", decimals, x);
        /* a half in the last place may be rounded either way by the product x * 10^n */
        TEST_ASSERT_DOUBLE_WITHIN(1.0001 * pow(10, -decimals), strtod(theirs, NULL),
                                  strtod(ours, NULL));
        TEST_ASSERT_DOUBLE_WITHIN(0.5001 * pow(10, -decimals), x, strtod(ours, NULL));
        TEST_ASSERT_EQUAL(strlen(theirs), strlen(ours));
    }
    ours[rsi_number_put(ours, -1e-9, 4)] = '\0';
    TEST_ASSERT_EQUAL_STRING("0.0000", ours);
    TEST_ASSERT_EQUAL(0, rsi_number_put(ours, (double)NAN, 4));
    TEST_ASSERT_EQUAL(0, rsi_number_put(ours, 1e9, 4));
}

static void test_the_answer_is_the_one_of_the_description_in_any_locale(void)
{
    const double c[6] = {0.0012345, -0.001, 0.0, 1.5 * DEGREE, 0.0, -90 * DEGREE};
    struct rsi_answer a;

    (void)setlocale(
        LC_ALL,
        "de_DE.UTF-8"); /* where it is not installed this changes nothing, and proves less */
    model.decimals = 4;
    rsi_format(&a, &model, 123645634, c, false);
    a.bytes[a.n] = '\0';
    TEST_ASSERT_EQUAL_STRING(
        "<Sen Type=\"ImFree\"><EStr>freefall</EStr><RKorr X=\"1.2345\" Y=\"-1.0000\" Z=\"0.0000\" "
        "A=\"1.5000\" B=\"0.0000\" C=\"-90.0000\" /><Stop>0</Stop><IPOC>123645634</IPOC></Sen>",
        a.bytes);
    (void)setlocale(LC_ALL, "C");
}

static void test_the_longest_answer_fits(void)
{
    const double c[6] = {-9e5, -9e5, -9e5, -1e7, -1e7, -1e7};
    struct rsi_answer a;

    for (int i = 0; i < 6; i++) {
        memset(model.tags.channel[i], 'a', RSI_NAME_MAX - 1);
    }
    memset(model.tags.correction, 'a', RSI_NAME_MAX - 1);
    memset(model.tags.answer, 'a', RSI_NAME_MAX - 1);
    memset(model.tags.type, 'a', RSI_NAME_MAX - 1);
    memset(model.tags.stop, 'a', RSI_NAME_MAX - 1);
    memset(model.tags.text, 'a', RSI_NAME_MAX - 1);
    memset(model.tags.message, 'a', RSI_NAME_MAX - 1);
    memset(model.tags.ipoc, 'a', RSI_NAME_MAX - 1);
    model.decimals = 9;
    rsi_format(&a, &model, UINT64_MAX, c, true);
    TEST_ASSERT_TRUE(a.n > 600 && a.n < RSI_ANSWER_MAX);
}

static void test_what_is_not_finite_is_not_sent(void)
{
    const double c[6] = {0, 0, (double)INFINITY, 0, 0, 0};
    struct rsi_answer a;

    rsi_format(&a, &model, 1, c, false);
    TEST_ASSERT_EQUAL(0, a.n);
}

static void test_angles_make_the_matrix_and_come_back_without_leaps(void)
{
    struct draw draw = {.state = 0x79};
    double track[3] = {0.1, 0.2, 0.3}, wander[3] = {0.1, 0.2, 0.3}, R[9];

    /* Rz(90) Ry(0) Rx(0) turns x into y */
    abc_to_matrix(R, (const double[3]){BASE_PI / 2, 0, 0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0, R[3]);
    for (int i = 0; i < 20000; i++) {
        for (int k = 0; k < 3; k++) { /* several turns of A and C, B through +-70 deg */
            wander[k] += k == 1 ? 0.0 : 0.01 * (1 + k) + draw_uniform(&draw, -0.01, 0.01);
        }
        wander[1] = 1.2 * sin(0.003 * i);
        abc_to_matrix(R, wander);
        abc_from_matrix(track, R, track);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, wander[k] - (i == 0 ? 0 : 0), track[k]);
        }
    }
}

static void test_models_that_cannot_work_are_refused_with_a_reason(void)
{
    char why[160];

    TEST_ASSERT_EQUAL(0, rsi_model_init(&model, why));
    snprintf(model.tags.correction, RSI_NAME_MAX, "R Korr");
    TEST_ASSERT_EQUAL(-EINVAL, rsi_model_init(&model, why));
    TEST_ASSERT_NOT_NULL(strstr(why, "R Korr"));
    setUp();
    model.decimals = 1;
    TEST_ASSERT_EQUAL(-EINVAL, rsi_model_init(&model, why));
    setUp();
    model.cycle_ns = 0;
    TEST_ASSERT_EQUAL(-EINVAL, rsi_model_init(&model, why));
    setUp();
    model.tracking_m = (double)NAN;
    TEST_ASSERT_EQUAL(-EINVAL, rsi_model_init(&model, why));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_telegram_of_the_description_is_understood);
    RUN_TEST(test_order_quotes_blanks_and_trailing_zeros_do_not_matter);
    RUN_TEST(test_each_fault_has_its_reason);
    RUN_TEST(test_too_long_is_refused_before_it_is_read);
    RUN_TEST(test_no_prefix_of_a_telegram_is_understood);
    RUN_TEST(test_numbers_are_those_of_strtod);
    RUN_TEST(test_written_numbers_are_those_of_printf);
    RUN_TEST(test_the_answer_is_the_one_of_the_description_in_any_locale);
    RUN_TEST(test_the_longest_answer_fits);
    RUN_TEST(test_what_is_not_finite_is_not_sent);
    RUN_TEST(test_angles_make_the_matrix_and_come_back_without_leaps);
    RUN_TEST(test_models_that_cannot_work_are_refused_with_a_reason);
    return UNITY_END();
}
