/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_machine.c - files of a machine are read as they are, and their absence is noticed. */
#include "tools/machine.h"

#include <errno.h>

#include "tests/folder.h"
#include "unity.h"

static struct folder tree;
static struct machine machine;

void setUp(void)
{
    folder_open(&tree);
    memset(&machine, 0, sizeof machine);
    machine.root = tree.root;
    machine.processors = 2;
}

void tearDown(void)
{
    folder_close(&tree);
}

static void test_a_line_is_read_without_its_end(void)
{
    char text[16];

    folder_put(&tree, "/proc/irq/7/name", "timer\nmore\n");
    TEST_ASSERT_EQUAL_INT(0, machine_line(&machine, text, sizeof text, "/proc/irq/%d/name", 7));
    TEST_ASSERT_EQUAL_STRING("timer", text);
}

static void test_a_missing_file_is_an_error_and_an_empty_one_an_empty_line(void)
{
    char text[16] = "before";

    TEST_ASSERT_EQUAL_INT(-ENOENT, machine_line(&machine, text, sizeof text, "/none"));
    TEST_ASSERT_EQUAL_STRING("", text);
    folder_put(&tree, "/empty", "");
    TEST_ASSERT_EQUAL_INT(0, machine_line(&machine, text, sizeof text, "/empty"));
    TEST_ASSERT_EQUAL_STRING("", text);
    TEST_ASSERT_EQUAL_INT(-EISDIR, machine_line(&machine, text, sizeof text, "/"));
}

static void test_a_line_cannot_carry_control_characters(void)
{
    char text[16];

    folder_put(&tree, "/name", "a\033[1mb\t\n");
    machine_line(&machine, text, sizeof text, "/name");
    TEST_ASSERT_EQUAL_STRING("a?[1mb?", text);
}

static void test_only_a_whole_number_is_a_number(void)
{
    static const char *const others[] = {"", "x", "1x", "1 2", "99999999999999999999"};
    long value = 0;

    folder_put(&tree, "/n", "-1\n");
    TEST_ASSERT_EQUAL_INT(0, machine_integer(&machine, &value, "/n"));
    TEST_ASSERT_EQUAL_INT(-1, value);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        folder_put(&tree, "/n", others[i]);
        TEST_ASSERT_EQUAL_INT_MESSAGE(-EINVAL, machine_integer(&machine, &value, "/n"), others[i]);
    }
    TEST_ASSERT_EQUAL_INT(-ENOENT, machine_integer(&machine, &value, "/none"));
}

static void test_words_of_the_kernel_command_line_are_found(void)
{
    char value[64];

    folder_put(&tree, "/proc/cmdline",
               "root=/dev/sda1 xnohz_full=9 nohz_fully=8 nohz_full=3 quiet isolcpus=domain,3\n");
    TEST_ASSERT_EQUAL_INT(0, machine_parameter(&machine, value, sizeof value, "nohz_full"));
    TEST_ASSERT_EQUAL_STRING("3", value);
    TEST_ASSERT_EQUAL_INT(0, machine_parameter(&machine, value, sizeof value, "isolcpus"));
    TEST_ASSERT_EQUAL_STRING("domain,3", value);
    TEST_ASSERT_EQUAL_INT(0, machine_parameter(&machine, value, sizeof value, "quiet"));
    TEST_ASSERT_EQUAL_STRING("", value);
    TEST_ASSERT_EQUAL_INT(-ENOENT, machine_parameter(&machine, value, sizeof value, "full"));
    folder_remove(&tree, "/proc/cmdline");
    TEST_ASSERT_EQUAL_INT(-ENOENT, machine_parameter(&machine, value, sizeof value, "quiet"));
}

static void test_numbered_entries_come_sorted(void)
{
    int numbers[4];

    folder_put(&tree, "/proc/irq/12/", "");
    folder_put(&tree, "/proc/irq/2/", "");
    folder_put(&tree, "/proc/irq/100/", "");
    folder_put(&tree, "/proc/irq/default_smp_affinity", "1\n");
    folder_put(&tree, "/proc/irq/99999999999/", "");
    TEST_ASSERT_EQUAL_INT(3, machine_numbers(&machine, numbers, 4, "/proc/irq"));
    TEST_ASSERT_EQUAL_INT(2, numbers[0]);
    TEST_ASSERT_EQUAL_INT(12, numbers[1]);
    TEST_ASSERT_EQUAL_INT(100, numbers[2]);
    TEST_ASSERT_EQUAL_INT(2, machine_numbers(&machine, numbers, 2, "/proc/irq"));
    TEST_ASSERT_EQUAL_INT(0, machine_numbers(&machine, numbers, 4, "/proc/none"));
}

static void test_processes_are_found_by_name(void)
{
    folder_put(&tree, "/proc/17/comm", "irqbalance\n");
    folder_put(&tree, "/proc/45/comm", "irq/125-enp3s0\n");
    TEST_ASSERT_EQUAL_INT(17, machine_process(&machine, "irqbalance", true));
    TEST_ASSERT_EQUAL_INT(0, machine_process(&machine, "irqbal", true));
    TEST_ASSERT_EQUAL_INT(45, machine_process(&machine, "irq/125-", false));
    TEST_ASSERT_EQUAL_INT(0, machine_process(&machine, "irq/12-", false));
}

/* Kernel parameter isolcpus, the kernel's sum of isolated partitions, a partition alone. */
static void test_isolated_cores_come_from_boot_and_from_control_groups(void)
{
    folder_put(&tree, "/sys/devices/system/cpu/online", "0-7\n");
    folder_put(&tree, "/sys/devices/system/cpu/isolated", "7\n");
    folder_put(&tree, "/sys/fs/cgroup/rt/cpuset.cpus.partition", "isolated\n");
    folder_put(&tree, "/sys/fs/cgroup/rt/cpuset.cpus.effective", "4-5\n");
    folder_put(&tree, "/sys/fs/cgroup/user/cpuset.cpus.partition", "member\n");
    folder_put(&tree, "/sys/fs/cgroup/user/cpuset.cpus.effective", "0-3\n");
    machine_read(&machine);
    TEST_ASSERT_EQUAL_INT(3, cpus_count(&machine.isolated));
    TEST_ASSERT_TRUE(cpus_has(&machine.isolated, 4) && cpus_has(&machine.isolated, 7));
    folder_put(&tree, "/sys/fs/cgroup/cpuset.cpus.isolated", "6\n");
    machine_read(&machine);
    TEST_ASSERT_EQUAL_INT(2, cpus_count(&machine.isolated));
    TEST_ASSERT_TRUE(cpus_has(&machine.isolated, 6) && cpus_has(&machine.isolated, 7));
}

static void test_without_files_the_number_of_processors_is_the_one_given(void)
{
    machine_read(&machine);
    TEST_ASSERT_EQUAL_INT(2, cpus_count(&machine.online));
    TEST_ASSERT_EQUAL_INT(0, cpus_count(&machine.isolated));
}

static void test_containers_are_told_apart(void)
{
    machine_read(&machine);
    TEST_ASSERT_EQUAL_STRING("", machine.container);
    folder_put(&tree, "/proc/1/cgroup", "0::/kubepods/besteffort\n");
    machine_read(&machine);
    TEST_ASSERT_EQUAL_STRING("kubernetes", machine.container);
    folder_put(&tree, "/run/systemd/container", "lxc\n");
    machine_read(&machine);
    TEST_ASSERT_EQUAL_STRING("lxc", machine.container);
    folder_put(&tree, "/.dockerenv", "");
    machine_read(&machine);
    TEST_ASSERT_EQUAL_STRING("docker", machine.container);
    folder_put(&tree, "/run/.containerenv", "");
    machine_read(&machine);
    TEST_ASSERT_EQUAL_STRING("podman", machine.container);
}

/* user_namespaces(7): the first one maps everything to itself. */
static void test_a_user_namespace_is_noticed(void)
{
    machine_read(&machine);
    TEST_ASSERT_FALSE(machine.user_space);
    folder_put(&tree, "/proc/self/uid_map", "         0          0 4294967295\n");
    machine_read(&machine);
    TEST_ASSERT_FALSE(machine.user_space);
    folder_put(&tree, "/proc/self/uid_map", "         0          0          1\n");
    machine_read(&machine);
    TEST_ASSERT_TRUE(machine.user_space);
    folder_put(&tree, "/proc/self/uid_map", "         0       1000          1\n");
    machine_read(&machine);
    TEST_ASSERT_TRUE(machine.user_space);
}

/* capabilities(7): bit 13 is CAP_NET_RAW, bit 23 CAP_SYS_NICE. */
static void test_capabilities_are_the_effective_ones(void)
{
    folder_put(&tree, "/proc/self/status", "Name:\tx\nCapPrm:\tffff\nCapEff:\t0000000000802000\n");
    machine_read(&machine);
    TEST_ASSERT_TRUE(machine.capabilities_known);
    TEST_ASSERT_EQUAL_HEX64((UINT64_C(1) << MACHINE_NET_RAW) | (UINT64_C(1) << MACHINE_SYS_NICE),
                            machine.capabilities);
    folder_remove(&tree, "/proc");
    machine_read(&machine);
    TEST_ASSERT_FALSE(machine.capabilities_known);
}

static void test_text_is_found_in_any_line(void)
{
    char name[16];

    folder_put(&tree, "/etc/os-release", "NAME=\"Debian\"\nID=debian\n");
    TEST_ASSERT_TRUE(machine_contains(&machine, "ID=debian", "/etc/os-release"));
    TEST_ASSERT_FALSE(machine_contains(&machine, "ID=ubuntu", "/etc/os-release"));
    TEST_ASSERT_FALSE(machine_contains(&machine, "ID", "/none"));
    TEST_ASSERT_TRUE(machine_entry(&machine, name, sizeof name, "os-", "/etc"));
    TEST_ASSERT_EQUAL_STRING("os-release", name);
    TEST_ASSERT_FALSE(machine_entry(&machine, name, sizeof name, "x", "/etc"));
    TEST_ASSERT_FALSE(machine_entry(&machine, name, sizeof name, "x", "/none"));
}

static void test_a_path_too_long_is_refused(void)
{
    static char path[PATH_MAX + 1];
    char text[16];
    struct cpus set;
    long value;

    memset(path, 'a', sizeof path - 1);
    TEST_ASSERT_EQUAL_INT(-ENAMETOOLONG, machine_line(&machine, text, sizeof text, "/%s", path));
    TEST_ASSERT_EQUAL_INT(-ENAMETOOLONG, machine_integer(&machine, &value, "/%s", path));
    TEST_ASSERT_EQUAL_INT(-ENAMETOOLONG, machine_cpus(&machine, &set, "/%s", path));
    TEST_ASSERT_FALSE(machine_exists(&machine, "/%s", path));
    TEST_ASSERT_FALSE(machine_contains(&machine, "a", "/%s", path));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_line_is_read_without_its_end);
    RUN_TEST(test_a_missing_file_is_an_error_and_an_empty_one_an_empty_line);
    RUN_TEST(test_a_line_cannot_carry_control_characters);
    RUN_TEST(test_only_a_whole_number_is_a_number);
    RUN_TEST(test_words_of_the_kernel_command_line_are_found);
    RUN_TEST(test_numbered_entries_come_sorted);
    RUN_TEST(test_processes_are_found_by_name);
    RUN_TEST(test_isolated_cores_come_from_boot_and_from_control_groups);
    RUN_TEST(test_without_files_the_number_of_processors_is_the_one_given);
    RUN_TEST(test_containers_are_told_apart);
    RUN_TEST(test_a_user_namespace_is_noticed);
    RUN_TEST(test_capabilities_are_the_effective_ones);
    RUN_TEST(test_text_is_found_in_any_line);
    RUN_TEST(test_a_path_too_long_is_refused);
    return UNITY_END();
}
