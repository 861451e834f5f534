/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_soem.c - SOEM is the version we pinned, compiled with the options the driver relies on. */
#include "soem/soem.h"
#include "unity.h"

#include <stdbool.h>
#include <string.h>

void setUp(void)
{
}

void tearDown(void)
{
}

/* Default 16: a reply 16 cycles late would pass as the present one. */
static void test_frame_index_does_not_alias_within_a_fifth_of_a_second(void)
{
    TEST_ASSERT_EQUAL_INT(240, EC_MAXBUF);
    TEST_ASSERT_EQUAL_INT(64, EC_MAXSLAVE);
}

/* Bit 0 of the first octet marks multicast; bit 1 must be 0 because a slave sets it in its reply. */
static void test_source_address_is_unicast_and_leaves_the_reply_bit_free(void)
{
    const uint16_t words[] = EC_PRIMARY_MAC_ARRAY;

    TEST_ASSERT_EQUAL_HEX16(0x1001, words[0]);
    TEST_ASSERT_EQUAL_HEX16(0, words[0] & 0x0300);
    TEST_ASSERT_EQUAL_HEX16(words[0], priMAC[0]); /* what the library sends */
}

/* The library and this file must agree on the layout: the compiled code reports what we compiled in. */
static void test_library_finds_the_adapters_of_this_machine(void)
{
    ec_adaptert *first = ec_find_adapters();
    bool loopback = false;

    for (const ec_adaptert *a = first; a; a = a->next) {
        loopback = loopback || strcmp(a->name, "lo") == 0;
    }
    ec_free_adapters(first);
    TEST_ASSERT_TRUE(loopback);
}

/* A wrong interface name is refused, not crashed on. */
static void test_opening_a_missing_interface_fails(void)
{
    static ecx_contextt bus;

    TEST_ASSERT_EQUAL_INT(0, ecx_init(&bus, "no-such-nic0"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_frame_index_does_not_alias_within_a_fifth_of_a_second);
    RUN_TEST(test_source_address_is_unicast_and_leaves_the_reply_bit_free);
    RUN_TEST(test_library_finds_the_adapters_of_this_machine);
    RUN_TEST(test_opening_a_missing_interface_fails);
    return UNITY_END();
}
