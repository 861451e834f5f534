/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_config.c - whole files and assignments: values in SI, origins, printing that reads back,
 * every refusal. */
#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unity.h"

#define GOOD "tests/good/lab.yaml"

/* Configurations are too large for the stack; made anew for each test. */
static struct fixture {
    struct config config;
    struct config other;
    char messages[16384];
    char text[65536];
} *f;

void setUp(void)
{
    f = calloc(1, sizeof *f);
    TEST_ASSERT_NOT_NULL(f);
}

void tearDown(void)
{
    free(f);
}

static FILE *message_stream(void)
{
    memset(f->messages, 0, sizeof f->messages);
    FILE *out = fmemopen(f->messages, sizeof f->messages, "w");

    TEST_ASSERT_NOT_NULL(out);
    return out;
}

static int read_file(struct config *c, const char *path)
{
    FILE *out = message_stream();
    int error = config_read(c, path, out);

    TEST_ASSERT_EQUAL_INT(0, fclose(out));
    return error;
}

/* A text as a file in memory. */
static int read_text(struct config *c, const char *text, size_t length)
{
    int fd = memfd_create("config", MFD_CLOEXEC);
    char path[64];

    TEST_ASSERT_TRUE(fd >= 0);
    TEST_ASSERT_EQUAL_INT((int)length, (int)write(fd, text, length));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int error = read_file(c, path);

    TEST_ASSERT_EQUAL_INT(0, close(fd));
    return error;
}

static int set(struct config *c, const char *assignment)
{
    FILE *out = message_stream();
    int error = config_set(c, assignment, out);

    TEST_ASSERT_EQUAL_INT(0, fclose(out));
    return error;
}

static void read_good(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, read_file(&f->config, GOOD), f->messages);
    TEST_ASSERT_EQUAL_STRING("", f->messages);
}

static void print(const struct config *c, bool origins)
{
    memset(f->text, 0, sizeof f->text);
    FILE *out = fmemopen(f->text, sizeof f->text, "w");

    TEST_ASSERT_NOT_NULL(out);
    config_print(c, out, origins);
    TEST_ASSERT_EQUAL_INT(0, fclose(out));
}

/* The values alone, bit for bit; origins differ. */
static void same_values(const struct config *a, const struct config *b)
{
    for (int i = 0; i < STORE_SLOTS_MAX; i++) {
        TEST_ASSERT_EQUAL_MEMORY(&a->store.slot[i].value, &b->store.slot[i].value,
                                 sizeof a->store.slot[i].value);
    }
}

/* ---- reading and looking up ---- */

static void test_a_good_file_gives_si_values(void)
{
    double rate[3];
    double inertia[9];

    read_good();
    TEST_ASSERT_EQUAL_STRING("envisat", config_text(&f->config, "name"));
    TEST_ASSERT_EQUAL_DOUBLE(0.001, config_number(&f->config, "rt.period"));
    TEST_ASSERT_EQUAL_INT64(80, config_integer(&f->config, "rt.priority"));
    TEST_ASSERT_EQUAL_STRING("catch_up_once", config_text(&f->config, "rt.overrun"));
    TEST_ASSERT_FALSE(config_flag(&f->config, "rt.lock_memory"));
    TEST_ASSERT_EQUAL_STRING("runs/today", config_text(&f->config, "log.folder"));
    TEST_ASSERT_EQUAL_DOUBLE(7827.867, config_number(&f->config, "client.mass"));
    TEST_ASSERT_EQUAL_DOUBLE(1500, config_number(&f->config, "servicer.mass"));
    TEST_ASSERT_EQUAL_DOUBLE(400, config_number(&f->config, "safety.force"));
    TEST_ASSERT_EQUAL_DOUBLE(0.95, config_number(&f->config, "safety.ft_range"));
    config_vector(&f->config, "client.rate", 3, rate);
    TEST_ASSERT_DOUBLE_WITHIN(1e-17, -0.04363323129985824, rate[1]);
    config_vector(&f->config, "client.inertia", 9, inertia);
    TEST_ASSERT_EQUAL_DOUBLE(344.2, inertia[7]);
}

static void test_what_the_file_does_not_say_has_its_default(void)
{
    double velocity[3] = {1, 1, 1};

    read_good();
    TEST_ASSERT_EQUAL_INT64(3, config_integer(&f->config, "safety.bus_losses"));
    TEST_ASSERT_EQUAL_DOUBLE(0.9, config_number(&f->config, "safety.log_ring"));
    config_vector(&f->config, "client.velocity", 3, velocity);
    TEST_ASSERT_EQUAL_DOUBLE(0, velocity[2]);
    TEST_ASSERT_EQUAL_INT(STORE_DEFAULT, config_item(&f->config, "safety.bus_losses", -1)->origin);
}

static void test_list_items_are_counted_and_found(void)
{
    read_good();
    TEST_ASSERT_EQUAL_INT(3, config_count(&f->config, "bus.devices"));
    TEST_ASSERT_EQUAL_STRING("servicer_ft",
                             config_item(&f->config, "bus.devices[].name", 1)->value.text);
    TEST_ASSERT_EQUAL_INT64(0x26483053,
                            config_item(&f->config, "bus.devices[].product", 1)->value.integer);
    TEST_ASSERT_EQUAL_INT64(
        2, config_item(&f->config, "bus.devices[].vendor", 2)->value.integer); /* an alias */
}

static void test_every_value_knows_where_it_came_from(void)
{
    char origin[CONFIG_ORIGIN_MAX];

    read_good();
    TEST_ASSERT_EQUAL_INT(0, set(&f->config, "client.mass=7.8 t"));
    config_origin(&f->config, config_item(&f->config, "rt.period", -1), origin);
    TEST_ASSERT_EQUAL_STRING(GOOD ":7", origin);
    config_origin(&f->config, config_item(&f->config, "client.inertia", -1), origin);
    TEST_ASSERT_EQUAL_STRING(GOOD ":30", origin);
    config_origin(&f->config, config_item(&f->config, "bus.devices[].vendor", 2), origin);
    TEST_ASSERT_EQUAL_STRING(GOOD ":23", origin);
    config_origin(&f->config, config_item(&f->config, "rt.cpu", -1), origin);
    TEST_ASSERT_EQUAL_STRING("default", origin);
    config_origin(&f->config, config_item(&f->config, "client.mass", -1), origin);
    TEST_ASSERT_EQUAL_STRING("--set", origin);
}

/* The same configuration written as JSON, which is YAML too. */
static void test_json_is_read_as_well(void)
{
    read_good();
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, read_file(&f->other, "tests/good/lab.json"), f->messages);
    same_values(&f->config, &f->other);
}

static void test_line_ends_and_byte_order_mark_of_other_systems_are_read(void)
{
    char text[8192] = "\xef\xbb\xbf";
    size_t n = 3;
    FILE *in = fopen(GOOD, "r");
    int c = 0;

    TEST_ASSERT_NOT_NULL(in);
    while ((c = fgetc(in)) != EOF && n + 2 < sizeof text) {
        if (c == '\n') {
            text[n++] = '\r';
        }
        text[n++] = (char)c;
    }
    TEST_ASSERT_EQUAL_INT(0, fclose(in));
    read_good();
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, read_text(&f->other, text, n), f->messages);
    same_values(&f->config, &f->other);
    TEST_ASSERT_EQUAL_INT(7, config_item(&f->other, "rt.period", -1)->line);
}

/* ---- printing ---- */

static void test_a_printed_configuration_reads_back_bit_for_bit(void)
{
    read_good();
    for (int origins = 0; origins < 2; origins++) {
        print(&f->config, origins == 1);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, read_text(&f->other, f->text, strlen(f->text)),
                                      f->messages);
        same_values(&f->config, &f->other);
    }
}

/* Numbers that no short decimal gives, in units that are not SI; texts with everything that must
 * be escaped. */
static void test_awkward_values_read_back_bit_for_bit(void)
{
    static const char *const awkward[] = {
        "client.mass=7.8276543210987654 t",
        "client.rate=0.1 -59.999999999999993 1e-17 deg/s",
        "rt.period=333.33333333333331 us",
        "safety.ft_range=333333.33333333337 ppm",
        "client.velocity=-0 123.45678901234567 -9999.9999999999991 mm/s",
        "log.ring=0.1 min",
        "description=a \"b\" \\c # d: [e] \xc3\xa9",
        "description=two\nlines\t.",
        "log.folder= a b ",
        "bus.interface=",
        "bus.devices[1].name=null",
        "bus.devices[2].name=true",
        "safety.force=0.3333333333333333 kN",
    };

    read_good();
    for (size_t i = 0; i < sizeof awkward / sizeof awkward[0]; i++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, set(&f->config, awkward[i]), f->messages);
        print(&f->config, true);
        TEST_ASSERT_EQUAL_INT_MESSAGE(0, read_text(&f->other, f->text, strlen(f->text)),
                                      f->messages);
        same_values(&f->config, &f->other);
    }
}

static void test_a_file_name_cannot_leave_its_comment(void)
{
    char path[] = "/tmp/test_config_XXXXXX";
    char odd[64];
    int fd = mkstemp(path);

    TEST_ASSERT_TRUE(fd >= 0);
    read_good();
    print(&f->config, false);
    TEST_ASSERT_EQUAL_INT((int)strlen(f->text), (int)write(fd, f->text, strlen(f->text)));
    TEST_ASSERT_EQUAL_INT(0, close(fd));
    (void)snprintf(odd, sizeof odd, "%s\nname: x", path);
    TEST_ASSERT_EQUAL_INT(0, rename(path, odd));
    int error = read_file(&f->config, odd);

    TEST_ASSERT_EQUAL_INT(0, unlink(odd));
    TEST_ASSERT_EQUAL_INT(0, error);
    print(&f->config, true);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, read_text(&f->other, f->text, strlen(f->text)), f->messages);
}

/* Each key once, in the order of the rows; all keys of one item before those of the next. */
static void test_entries_come_in_the_order_of_printing(void)
{
    struct config_entry e = {.row = -1, .item = -1};
    struct config_entry before = e;
    int first = schema_find("bus.devices") + 1;
    int count[4] = {0};

    read_good();
    while (config_next(&f->config, &e)) {
        bool listed = schema_list(schema_row(e.row)) != NULL;

        TEST_ASSERT_EQUAL_INT(listed, e.item >= 0);
        if (listed && e.item != before.item) {
            TEST_ASSERT_EQUAL_INT(before.item + 1, e.item);
            TEST_ASSERT_EQUAL_INT(first, e.row);
        } else {
            int next = before.row + 1; /* a list without items has no entries */

            while (schema_list(schema_row(next)) != NULL &&
                   store_items(&f->config.store, schema_row(next)) == 0) {
                next++;
            }
            TEST_ASSERT_EQUAL_INT(next, e.row);
        }
        if (e.row == first) {
            char wanted[SCHEMA_ITEM_MAX];

            (void)snprintf(wanted, sizeof wanted, "bus.devices[%d].name", e.item);
            TEST_ASSERT_EQUAL_STRING(wanted, e.key);
        }
        count[e.item + 1]++;
        before = e;
    }
    TEST_ASSERT_NULL_MESSAGE(schema_row(before.row + 1), "the last entry is of the last row");
    TEST_ASSERT_TRUE(count[1] >= 4 && count[1] == count[2] && count[2] == count[3]);
}

static void test_an_empty_list_is_printed_and_skipped(void)
{
    static const char text[] = "name: a\nclient: {mass: 1 t, inertia: 1 0 0 0 1 0 0 0 1 kgm2}\n"
                               "servicer: {mass: 1 t, inertia: 1 0 0 0 1 0 0 0 1 kgm2}\n"
                               "safety: {force: 1 N, torque: 1 Nm}\nbus: {devices: []}\n";
    struct config_entry e = {.row = -1, .item = -1};

    TEST_ASSERT_EQUAL_INT_MESSAGE(0, read_text(&f->config, text, strlen(text)), f->messages);
    while (config_next(&f->config, &e)) {
        TEST_ASSERT_EQUAL_INT(-1, e.item);
    }
    print(&f->config, false);
    TEST_ASSERT_NOT_NULL(strstr(f->text, "  devices: []\n"));
    TEST_ASSERT_NOT_NULL(strstr(f->text, "client:\n  mass: 1000 kg\n"));
}

/* ---- assignments ---- */

static void test_assignments_change_one_value(void)
{
    read_good();
    TEST_ASSERT_EQUAL_INT(0, set(&f->config, "bus.devices[1].vendor=0x5"));
    TEST_ASSERT_EQUAL_INT64(5, config_item(&f->config, "bus.devices[].vendor", 1)->value.integer);
    TEST_ASSERT_EQUAL_INT(0, set(&f->config, "rt.lock_memory=true"));
    TEST_ASSERT_TRUE(config_flag(&f->config, "rt.lock_memory"));
    TEST_ASSERT_EQUAL_INT(0, set(&f->config, "description=a=b"));
    TEST_ASSERT_EQUAL_STRING("a=b", config_text(&f->config, "description"));
}

static void test_wrong_assignments_say_why_and_change_nothing(void)
{
    static const struct {
        const char *assignment, *message;
    } wrong[] = {
        {"client.mass=7.8",
         "--set: error: client.mass: expected a number with unit kg or t, found \"7.8\"\n"
         "      | client.mass=7.8\n"
         "      |             ^~~   write 7.8 t or 7800 kg\n"},
        {"client.mass", "--set: error: expected key=value, found no \"=\"\n"
                        "      | client.mass\n"
                        "      | ^~~~~~~~~~~   write for example --set \"client.mass=7800 kg\"\n"},
        {"cleint.mass=5 t",
         "--set: error: unknown key \"cleint.mass\"; did you mean \"client.mass\"?\n"
         "      | cleint.mass=5 t\n"
         "      | ^~~~~~~~~~~\n"},
        {"client=5", "--set: error: expected the key of one value, found that of several\n"
                     "      | client=5\n"
                     "      | ^~~~~~   freefall config explain client lists the keys below it\n"},
        {"bus.devices[3].name=x",
         "--set: error: expected an item of bus.devices, found none of that number\n"
         "      | bus.devices[3].name=x\n"
         "      | ^~~~~~~~~~~~~~~~~~~   the file has 3, counted from 0: bus.devices[0]\n"},
        {"bus.devices[].name=x",
         "--set: error: expected an item of bus.devices, found none of that number\n"
         "      | bus.devices[].name=x\n"
         "      | ^~~~~~~~~~~~~~~~~~   the file has 3, counted from 0: bus.devices[0]\n"},
        {"bus.devices[0].vendor=x",
         "--set: error: bus.devices[0].vendor: expected a code from 0x1 to 0xffffffff, "
         "found \"x\"\n"
         "      | bus.devices[0].vendor=x\n"
         "      |                       ^   write for example 0x00000732\n"},
        {"name=\xff", "--set: error: expected UTF-8 text, found the byte 0xff, which is not UTF-8\n"
                      "      | name=?\n"
                      "      |      ^\n"},
    };

    read_good();
    f->other = f->config;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(-EINVAL, set(&f->config, wrong[i].assignment),
                                      wrong[i].assignment);
        TEST_ASSERT_EQUAL_STRING(wrong[i].message, f->messages);
        TEST_ASSERT_EQUAL_MEMORY(&f->other, &f->config, sizeof f->config);
    }
}

/* ---- files that are none ---- */

static void test_a_missing_file_is_named(void)
{
    TEST_ASSERT_EQUAL_INT(-ENOENT, read_file(&f->config, "tests/good/nothing.yaml"));
    TEST_ASSERT_EQUAL_STRING(
        "tests/good/nothing.yaml: error: expected a configuration file, found none that can be "
        "read: No such file or directory; check the name and the folder\n",
        f->messages);
}

static void test_a_folder_is_not_a_file(void)
{
    TEST_ASSERT_EQUAL_INT(-EISDIR, read_file(&f->config, "tests/good"));
    TEST_ASSERT_EQUAL_STRING(
        "tests/good: error: expected a configuration file, found a folder; name a file inside it\n",
        f->messages);
}

/* A pipe without a writer and a device without an end: neither may be waited for. */
static void test_pipes_and_devices_are_refused_at_once(void)
{
    char path[] = "/tmp/test_config_XXXXXX";
    char fifo[64];

    TEST_ASSERT_NOT_NULL(mkdtemp(path));
    (void)snprintf(fifo, sizeof fifo, "%s/fifo", path);
    TEST_ASSERT_EQUAL_INT(0, mkfifo(fifo, 0600));
    int error = read_file(&f->config, fifo);

    TEST_ASSERT_EQUAL_INT(0, unlink(fifo));
    TEST_ASSERT_EQUAL_INT(0, rmdir(path));
    TEST_ASSERT_EQUAL_INT(-EINVAL, error);
    TEST_ASSERT_NOT_NULL(strstr(f->messages, "expected a regular file, found a device or pipe"));
    TEST_ASSERT_EQUAL_INT(-EINVAL, read_file(&f->config, "/dev/zero"));
}

/* root may read everything, so the test gives up its rights for a moment. */
static void test_a_file_without_permission_is_named(void)
{
    char path[] = "/tmp/test_config_XXXXXX";
    int fd = mkstemp(path);
    uid_t user = geteuid();

    TEST_ASSERT_TRUE(fd >= 0);
    TEST_ASSERT_EQUAL_INT(0, fchmod(fd, 0));
    TEST_ASSERT_EQUAL_INT(0, close(fd));
    TEST_ASSERT_TRUE(user != 0 || seteuid(65534) == 0);
    int error = read_file(&f->config, path);

    TEST_ASSERT_TRUE(user != 0 || seteuid(user) == 0);
    TEST_ASSERT_EQUAL_INT(0, unlink(path));
    TEST_ASSERT_EQUAL_INT(-EACCES, error);
    TEST_ASSERT_NOT_NULL(strstr(f->messages, "Permission denied; check its permissions"));
}

static void test_a_file_over_one_mebibyte_is_refused(void)
{
    size_t n = 1048576;
    char *text = malloc(n + 1);

    TEST_ASSERT_NOT_NULL(text);
    memset(text, '\n', n + 1);
    int most = read_text(&f->config, text, n);

    TEST_ASSERT_EQUAL_INT(-EINVAL, most);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(f->messages, "found an empty file"), "1 MiB is read");
    int more = read_text(&f->config, text, n + 1);

    free(text);
    TEST_ASSERT_EQUAL_INT(-EFBIG, more);
    TEST_ASSERT_NOT_NULL(
        strstr(f->messages, "expected at most 1 MiB (1048576 B), found 1048577 B"));
}

static void test_an_empty_file_is_told_what_is_missing(void)
{
    static const char *const empty[] = {"", "\n\n", "# nothing\n", "---\n", "---\n...\n"};

    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
        TEST_ASSERT_EQUAL_INT(-EINVAL, read_text(&f->config, empty[i], strlen(empty[i])));
        TEST_ASSERT_NOT_NULL_MESSAGE(
            strstr(f->messages, "expected at least the keys name, client.mass, "), empty[i]);
    }
}

/* ---- mistakes in the program ---- */

static void mistaken_number(void)
{
    (void)config_number(&f->config, "client.maas");
}

static void mistaken_type(void)
{
    (void)config_number(&f->config, "rt.priority");
}

static void mistaken_vector(void)
{
    (void)config_number(&f->config, "client.rate");
}

static void mistaken_size(void)
{
    double out[9];

    config_vector(&f->config, "client.rate", 9, out);
}

static void mistaken_item(void)
{
    (void)config_item(&f->config, "bus.devices[].name", 3);
}

/* A look-up of what is not there ends the program at once, in its first test, not in the lab. */
static void test_a_wrong_look_up_ends_the_program(void)
{
    static void (*const mistakes[])(void) = {mistaken_number, mistaken_type, mistaken_vector,
                                             mistaken_size, mistaken_item};

    read_good();
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        int status = 0;
        pid_t child = fork();

        TEST_ASSERT_TRUE(child >= 0);
        if (child == 0) {
            (void)signal(SIGABRT, SIG_DFL);
            (void)freopen("/dev/null", "w", stderr);
            mistakes[i]();
            _exit(0);
        }
        TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
        TEST_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_good_file_gives_si_values);
    RUN_TEST(test_what_the_file_does_not_say_has_its_default);
    RUN_TEST(test_list_items_are_counted_and_found);
    RUN_TEST(test_every_value_knows_where_it_came_from);
    RUN_TEST(test_json_is_read_as_well);
    RUN_TEST(test_line_ends_and_byte_order_mark_of_other_systems_are_read);
    RUN_TEST(test_a_printed_configuration_reads_back_bit_for_bit);
    RUN_TEST(test_awkward_values_read_back_bit_for_bit);
    RUN_TEST(test_a_file_name_cannot_leave_its_comment);
    RUN_TEST(test_entries_come_in_the_order_of_printing);
    RUN_TEST(test_an_empty_list_is_printed_and_skipped);
    RUN_TEST(test_assignments_change_one_value);
    RUN_TEST(test_wrong_assignments_say_why_and_change_nothing);
    RUN_TEST(test_a_missing_file_is_named);
    RUN_TEST(test_a_folder_is_not_a_file);
    RUN_TEST(test_pipes_and_devices_are_refused_at_once);
    RUN_TEST(test_a_file_without_permission_is_named);
    RUN_TEST(test_a_file_over_one_mebibyte_is_refused);
    RUN_TEST(test_an_empty_file_is_told_what_is_missing);
    RUN_TEST(test_a_wrong_look_up_ends_the_program);
    return UNITY_END();
}
