/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_identity.c - every way a device can be the wrong one is named, with its position and a likely cause. */
#include "drivers/identity.h"
#include "unity.h"

#include <string.h>

static const struct identity expected[] = {
    {"coupler", 0x2, 0x044c2c52, 0x00110000, 0},
    {"servicer_ft", 0x732, 0x26483053, 1, 77},
    {"joint1", 0xe0000f1f, 0x402, 1, 0},
};
static struct identity found[4];
static char text[IDENTITY_TEXT_MAX];

void setUp(void)
{
    memcpy(found, expected, sizeof expected);
    found[3] = (struct identity){"EL1008", 0x2, 0x03f03052, 0x00100000, 0};
    found[2].serial = 4711; /* any will do */
}

void tearDown(void)
{
}

static int check(int n_found, int position)
{
    return (int)identity_check(expected, 3, found, n_found, position, text);
}

static void assert_says(const char *words)
{
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, words), text);
}

static void test_right_devices_need_no_words(void)
{
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_INT(IDENTITY_OK, check(3, i));
        TEST_ASSERT_EQUAL_STRING("", text);
    }
}

static void test_a_missing_device_points_at_the_cable(void)
{
    TEST_ASSERT_EQUAL_INT(IDENTITY_MISSING, check(1, 1));
    assert_says("slave 2: expected servicer_ft 0x00000732:0x26483053, found nothing");
    assert_says("cable between 1 and 2");
    TEST_ASSERT_EQUAL_INT(IDENTITY_MISSING, check(0, 0));
    assert_says("cable to the first device");
}

static void test_an_extra_device_is_named(void)
{
    TEST_ASSERT_EQUAL_INT(IDENTITY_EXTRA, check(4, 3));
    assert_says("slave 4: expected nothing, found 0x00000002:0x03f03052 \"EL1008\"");
}

static void test_swapped_devices_say_where_they_belong(void)
{
    const struct identity swap = found[1];

    found[1] = found[2];
    found[2] = swap;
    TEST_ASSERT_EQUAL_INT(IDENTITY_ORDER, check(3, 1));
    assert_says("which is joint1, expected as slave 3 (cables swapped?)");
    TEST_ASSERT_EQUAL_INT(IDENTITY_ORDER, check(3, 2));
    assert_says("which is servicer_ft, expected as slave 2");
}

static void test_another_revision_serial_and_product_are_told_apart(void)
{
    found[0].revision = 0x00120000;
    TEST_ASSERT_EQUAL_INT(IDENTITY_REVISION, check(3, 0));
    assert_says("expected coupler revision 0x00110000, found revision 0x00120000");
    found[1].serial = 78;
    TEST_ASSERT_EQUAL_INT(IDENTITY_SERIAL, check(3, 1));
    assert_says("serial 77, found serial 78");
    found[2].product = 0x403;
    TEST_ASSERT_EQUAL_INT(IDENTITY_OTHER, check(3, 2));
    assert_says("expected joint1 0xe0000f1f:0x00000402, found 0xe0000f1f:0x00000403");
}

static void test_longest_names_fit(void)
{
    static struct identity longest[2];

    for (int i = 0; i < 2; i++) {
        memset(longest[i].name, 'x', sizeof longest[i].name - 1);
        longest[i].vendor = 0xffffffff - (uint32_t)i;
    }
    found[0] = longest[1];
    TEST_ASSERT_EQUAL_INT(IDENTITY_ORDER, identity_check(longest, 2, found, 1, 0, text));
    assert_says("swapped?)");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_right_devices_need_no_words);
    RUN_TEST(test_a_missing_device_points_at_the_cable);
    RUN_TEST(test_an_extra_device_is_named);
    RUN_TEST(test_swapped_devices_say_where_they_belong);
    RUN_TEST(test_another_revision_serial_and_product_are_told_apart);
    RUN_TEST(test_longest_names_fit);
    return UNITY_END();
}
