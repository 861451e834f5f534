/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_layout.c - the devices of the segment from a configuration file. */
#include "tools/lab/layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unity.h"

static struct slave_model models[SEGMENT_SLAVES_MAX];
static char said[2048];

void setUp(void)
{
    memset(said, 0, sizeof said);
}

void tearDown(void)
{
}

/* Read a file with these lines below "devices:"; what was said lands in `said`. */
static int layout(const char *devices)
{
    static const char rest[] =
        "name: bench\n"
        "client: { mass: 7800 kg, inertia: 17000 0 0 0 125000 0 0 0 129000 kgm2 }\n"
        "servicer: { mass: 1500 kg, inertia: 1050 0 0 0 1090 0 0 0 880 kgm2 }\n"
        "safety: { force: 400 N, torque: 100 Nm }\n"
        "bus:\n  devices:\n";
    char path[] = "/tmp/freefall-layout-XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    FILE *messages = fmemopen(said, sizeof said - 1, "w");
    int count;

    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_NOT_NULL(messages);
    fprintf(file, "%s%s", rest, devices);
    fclose(file);
    count = layout_file(path, models, messages);
    fclose(messages);
    unlink(path);
    return count;
}

static void test_devices_are_found_by_vendor_and_product(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(
        3,
        layout("    - { name: coupler, vendor: 0x2, product: 0x044c2c52, revision: 0x00110000 }\n"
               "    - { name: client_ft, vendor: 0x732, product: 0x26483053, revision: 0x1, "
               "serial: 4711 }\n"
               "    - { name: servicer_ft, vendor: 0x732, product: 0x26483053, revision: 0x2 }\n"),
        said);
    TEST_ASSERT_EQUAL_PTR(&device_coupler, models[0].type);
    TEST_ASSERT_EQUAL_PTR(&device_ft_axia, models[1].type);
    TEST_ASSERT_EQUAL_UINT32(4711, models[1].serial);
    TEST_ASSERT_EQUAL_HEX32(2, models[2].revision);
    TEST_ASSERT_EQUAL_INT(1, models[2].channel); /* the second sensor */
    TEST_ASSERT_NOT_EQUAL(models[1].rate_ppb, models[2].rate_ppb);
}

static void test_a_named_kind_may_have_any_identity(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(
        1,
        layout(
            "    - { name: joint1, type: drive, vendor: 0xab, product: 0x1234, revision: 0x7 }\n"),
        said);
    TEST_ASSERT_EQUAL_PTR(&device_drive_cia402, models[0].type);
    TEST_ASSERT_EQUAL_HEX32(0xab, models[0].vendor);
    TEST_ASSERT_EQUAL_HEX32(0x1234, models[0].product);
}

/* The word list of the schema and the table of kinds are two places: they must agree. */
static void test_every_kind_can_be_written_in_a_file(void)
{
    for (int i = 0; i < devices_count(); i++) {
        char line[128];

        snprintf(line, sizeof line,
                 "    - { name: x, type: %s, vendor: 0x1, product: 0x1, revision: 0x1 }\n",
                 devices_type(i)->name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(1, layout(line), said);
        TEST_ASSERT_EQUAL_PTR(devices_type(i), models[0].type);
    }
}

static void test_an_unknown_identity_is_refused_with_line_and_advice(void)
{
    TEST_ASSERT_EQUAL_INT(
        -EINVAL, layout("    - { name: x, vendor: 0x2, product: 0x044c2c52, revision: 0x1 }\n"
                        "    - { name: y, vendor: 0x2, product: 0xdead, revision: 0x1 }\n"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, ":8: error: bus.devices[1]: "), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "found 0x00000002:0x0000dead"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "write type: "), said);
}

static void test_a_file_without_devices_or_none_at_all_is_refused(void)
{
    TEST_ASSERT_EQUAL_INT(-EINVAL, layout("    []\n"));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "expected at least one device"), said);
    TEST_ASSERT_EQUAL_INT(-EINVAL, layout("    - { name: x }\n"));
    TEST_ASSERT_LESS_THAN_INT(0, layout_file("/no/such/file.yaml", models, stderr));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_devices_are_found_by_vendor_and_product);
    RUN_TEST(test_a_named_kind_may_have_any_identity);
    RUN_TEST(test_every_kind_can_be_written_in_a_file);
    RUN_TEST(test_an_unknown_identity_is_refused_with_line_and_advice);
    RUN_TEST(test_a_file_without_devices_or_none_at_all_is_refused);
    return UNITY_END();
}
