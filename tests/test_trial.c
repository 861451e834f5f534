/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_trial.c - trying out rights and interfaces leaves no trace, and tells what the kernel said. */
#include "tools/trial.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "model/base.h"
#include "tests/folder.h"
#include "tools/nic.h"
#include "unity.h"
#include "version.h"

static struct folder tree;
static struct trial trial;

void setUp(void)
{
    folder_open(&tree);
}

void tearDown(void)
{
    folder_close(&tree);
}

static int entries(const char *path)
{
    DIR *folder = opendir(path);
    int n = 0;

    TEST_ASSERT_NOT_NULL(folder);
    while (readdir(folder) != NULL) {
        n++;
    }
    closedir(folder);
    return n - 2;
}

/* A line of /proc/self/status, e.g. how much memory is locked. */
static void status_line(char line[static 128], const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");

    TEST_ASSERT_NOT_NULL(file);
    do {
        TEST_ASSERT_NOT_NULL(fgets(line, 128, file));
    } while (strncmp(line, name, strlen(name)) != 0);
    fclose(file);
}

static void test_nothing_is_left_behind(void)
{
    char locked[128];
    char locked_after[128];
    char space[128] = "";
    char space_after[128] = "";
    int descriptors = entries("/proc/self/fd");

    status_line(locked, "VmLck:");
    TEST_ASSERT_GREATER_THAN(0, readlink("/proc/self/ns/net", space, sizeof space - 1));
    trial_run(&trial, tree.root);
    status_line(locked_after, "VmLck:");
    TEST_ASSERT_GREATER_THAN(0, readlink("/proc/self/ns/net", space_after, sizeof space_after - 1));
    TEST_ASSERT_EQUAL_STRING(locked, locked_after);
    TEST_ASSERT_EQUAL_STRING(space, space_after);
    TEST_ASSERT_EQUAL_INT(SCHED_OTHER, sched_getscheduler(0));
    TEST_ASSERT_EQUAL_INT(0, entries(tree.root));
    TEST_ASSERT_EQUAL_INT(descriptors, entries("/proc/self/fd"));
    TEST_ASSERT_EQUAL_INT(-1, waitpid(-1, NULL, WNOHANG)); /* no child is left */
    TEST_ASSERT_EQUAL_INT(ECHILD, errno);
}

static void test_the_disk_is_tried_within_bounds(void)
{
    trial_run(&trial, tree.root);
    TEST_ASSERT_EQUAL_INT(0, trial.disk.error);
    TEST_ASSERT_GREATER_THAN(0, trial.disk.chunks);
    TEST_ASSERT_LESS_OR_EQUAL(8 * 1024 * 1024, trial.disk.bytes);
    TEST_ASSERT_TRUE(trial.disk.worst_ns > 0 && trial.disk.worst_ns <= trial.disk.total_ns);
    /* no chunk begins after 0.3 s: all but the last fit into it */
    TEST_ASSERT_TRUE(trial.disk.total_ns - trial.disk.worst_ns <= 300000000);
    TEST_ASSERT_TRUE(trial.disk.free_bytes > 0);
}

static void test_a_folder_that_is_not_there_is_named_by_its_error(void)
{
    char folder[128];

    snprintf(folder, sizeof folder, "%s/none", tree.root);
    trial_run(&trial, folder);
    TEST_ASSERT_EQUAL_INT(-ENOENT, trial.disk.error);
    TEST_ASSERT_EQUAL_INT(0, trial.disk.chunks);
}

static void test_limits_are_those_of_the_process(void)
{
    struct rlimit priority;
    struct rlimit memory;

    getrlimit(RLIMIT_RTPRIO, &priority);
    getrlimit(RLIMIT_MEMLOCK, &memory);
    trial_run(&trial, tree.root);
    TEST_ASSERT_EQUAL_UINT64(priority.rlim_cur, trial.priority_limit);
    TEST_ASSERT_EQUAL_UINT64(memory.rlim_cur, trial.lock_limit);
}

/* In a child without any right all of it is refused, with the kernel's own reason. */
static void try_without_rights(void)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_RTPRIO, &none);
    setrlimit(RLIMIT_MEMLOCK, &none);
    if (geteuid() == 0 &&
        (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)) {
        _exit(100);
    }
    trial_run(&trial, "/");
    if (trial.fifo_error != -EPERM) {
        _exit(1);
    }
    if (trial.raw_error != -EPERM) {
        _exit(2);
    }
    /* the address sanitizer answers mlockall() itself, always with yes */
    if (trial.lock_free_error == 0 && !FREEFALL_SANITIZE) {
        _exit(3);
    }
    if (trial.disk.error != -EACCES && trial.disk.error != -EROFS) {
        _exit(4);
    }
    _exit(0);
}

static void test_without_rights_everything_is_refused(void)
{
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        try_without_rights();
    }
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    TEST_ASSERT_TRUE(WIFEXITED(status));
    TEST_ASSERT_EQUAL_INT(0, WEXITSTATUS(status));
}

static void test_the_loopback_interface_is_found(void)
{
    struct nic nic;

    nic_read(&nic, "lo");
    TEST_ASSERT_EQUAL_INT(0, nic.error);
    TEST_ASSERT_EQUAL_INT(1, nic.index); /* in every network the first */
    TEST_ASSERT_EQUAL_INT(-EOPNOTSUPP, nic.coalesce_error);
    TEST_ASSERT_EQUAL_INT(-EOPNOTSUPP, nic.eee_error);
    TEST_ASSERT_TRUE(nic.addresses == 0 || nic.address[0] != '\0');
}

static void test_an_unknown_interface_is_an_error(void)
{
    static const char *const names[] = {"", "none0", "a name longer than any interface", "../lo"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct nic nic;

        nic_read(&nic, names[i]);
        TEST_ASSERT_EQUAL_INT_MESSAGE(-ENODEV, nic.error, names[i]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_nothing_is_left_behind);
    RUN_TEST(test_the_disk_is_tried_within_bounds);
    RUN_TEST(test_a_folder_that_is_not_there_is_named_by_its_error);
    RUN_TEST(test_limits_are_those_of_the_process);
    RUN_TEST(test_without_rights_everything_is_refused);
    RUN_TEST(test_the_loopback_interface_is_found);
    RUN_TEST(test_an_unknown_interface_is_an_error);
    return UNITY_END();
}
