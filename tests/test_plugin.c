/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_plugin.c - libraries good and bad, compiled here from a few lines each, and what is said
 * about them. */
#include "rt/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "tests/folder.h"
#include "unity.h"

/* A library that multiplies the base rate by what its parameters say. */
static const char head[] =
    "#include \"obsw.h\"\n#include <stdlib.h>\n"
    "static void *init(const struct obsw_setup *s)\n"
    "{ double *k = malloc(sizeof *k); *k = atof(s->parameters);\n"
    "  if (*k <= 0.0) { free(k); return NULL; } return k; }\n"
    "static int step(void *k, const struct obsw_input *i, struct obsw_output *o)\n"
    "{ o->version = 1; o->size = sizeof *o; o->cycle = i->cycle;\n"
    "  o->base_wrench[3] = *(double *)k * i->base_velocity[3]; return 0; }\n"
    "static const char *phase(uint32_t p) { return p ? NULL : \"only\"; }\n";

static struct folder folder;
static struct obsw_setup setup;
static struct plugin plugin;
static char library[PATH_MAX], said[1024];

void setUp(void)
{
    folder_open(&folder);
    plugin = (struct plugin){.table = NULL};
    setup = (struct obsw_setup){OBSW_VERSION, sizeof setup, 1000000, 7, 0, 1, "2.5"};
}

void tearDown(void)
{
    plugin_close(&plugin);
    folder_close(&folder);
}

/* Compile `head` and the tail given into library. */
static void compile(const char *tail)
{
    char command[2 * PATH_MAX], text[4096];

    snprintf(text, sizeof text, "%s%s", head, tail);
    folder_put(&folder, "/obsw.c", text);
    snprintf(library, sizeof library, "%s/obsw.so", folder.root);
    snprintf(command, sizeof command,
             "cc -std=c11 -w -Imodel -fPIC -shared -Wl,-z,lazy -o %s %s/obsw.c", library,
             folder.root);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, system(command), command); // NOLINT(cert-env33-c)
}

/* Open a library; what it says on stderr goes to `said`. */
static int open_quietly(const char *path)
{
    char file[PATH_MAX];
    const int kept = dup(STDERR_FILENO);
    int code, fd;
    ssize_t n;

    snprintf(file, sizeof file, "%s/said", folder.root);
    fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    TEST_ASSERT_TRUE(kept >= 0 && fd >= 0);
    dup2(fd, STDERR_FILENO);
    code = plugin_open(&plugin, path, &setup);
    dup2(kept, STDERR_FILENO);
    close(kept);
    n = pread(fd, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    close(fd);
    return code;
}

/* It must be refused with this code and these words, with the file named, and leave nothing
 * open. */
static void refuses(int code, const char *words)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(code, open_quietly(library), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, words), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, library), said);
    TEST_ASSERT_EQUAL_INT(0, strncmp(said, "freefall: obsw: ", 16));
    TEST_ASSERT_NULL(plugin.library);
    TEST_ASSERT_NULL(plugin.table);
    TEST_ASSERT_NULL(plugin.self);
}

#define TABLE(version, name, init, step, end, phase)                                               \
    "const struct obsw_interface *obsw_table(void)\n"                                              \
    "{ static const struct obsw_interface t = {" version ", 0, " name ", " init ", " step ", " end \
    ", " phase "}; return &t; }\n"

static void test_a_good_library_is_loaded_started_and_steps(void)
{
    struct obsw_input in = {.cycle = 42, .base_velocity = {0.0, 0.0, 0.0, 3.0}};
    struct obsw_output out = {.cycle = 0};

    compile(TABLE("OBSW_VERSION", "\"mine\"", "init", "step", "free", "phase"));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, open_quietly(library), said);
    TEST_ASSERT_EQUAL_STRING("", said);
    TEST_ASSERT_EQUAL_STRING("mine", plugin.table->name);
    TEST_ASSERT_EQUAL_INT(0, plugin.table->step(plugin.self, &in, &out));
    TEST_ASSERT_EQUAL_UINT64(42, out.cycle);
    TEST_ASSERT_EQUAL_DOUBLE(7.5, out.base_wrench[3]);
    plugin_close(&plugin);
    TEST_ASSERT_NULL(plugin.table);
}

static void test_a_name_without_a_slash_is_a_file_of_this_folder(void)
{
    char here[PATH_MAX];
    int code;

    compile(TABLE("OBSW_VERSION", "\"mine\"", "init", "step", "free", "phase"));
    TEST_ASSERT_NOT_NULL(getcwd(here, sizeof here));
    TEST_ASSERT_EQUAL_INT(0, chdir(folder.root));
    code = open_quietly("obsw.so");
    TEST_ASSERT_EQUAL_INT(0, chdir(here));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, code, said);
    plugin_close(&plugin);
    /* one of the system's libraries, which dlopen() alone would find */
    TEST_ASSERT_EQUAL_INT(-ENOENT, open_quietly("libm.so.6"));
}

static void test_a_missing_file_is_named(void)
{
    snprintf(library, sizeof library, "%s/none.so", folder.root);
    refuses(-ENOENT, "No such file");
}

static void test_a_file_that_is_no_library_is_refused(void)
{
    folder_put(&folder, "/text.so", "not a library");
    snprintf(library, sizeof library, "%s/text.so", folder.root);
    refuses(-ELIBBAD, "-shared -fPIC");
}

static void test_a_library_with_an_unknown_symbol_is_refused_at_once(void)
{
    compile("int nowhere(void); int later(void) { return nowhere(); }\n" TABLE(
        "1", "\"mine\"", "init", "step", "free", "phase"));
    refuses(-ELIBBAD, "nowhere");
}

static void test_a_library_without_the_table_is_refused(void)
{
    compile("");
    refuses(-ELIBBAD, "expected a function obsw_table()");
    compile("const struct obsw_interface *obsw_table(void) { return 0; }\n");
    refuses(-ELIBBAD, "returned NULL");
}

static void test_another_version_is_refused_with_both_numbers(void)
{
    compile(TABLE("OBSW_VERSION + 1", "\"mine\"", "init", "step", "free", "phase"));
    refuses(-EPROTO, "version 2 of obsw.h, expected 1");
}

static void test_every_missing_function_is_named(void)
{
    compile(TABLE("OBSW_VERSION", "0", "init", "step", "free", "phase"));
    refuses(-EPROTO, "no name");
    compile(TABLE("OBSW_VERSION", "\"mine\"", "0", "step", "free", "phase"));
    refuses(-EPROTO, "no init()");
    compile(TABLE("OBSW_VERSION", "\"mine\"", "init", "0", "free", "phase"));
    refuses(-EPROTO, "no step()");
    compile(TABLE("OBSW_VERSION", "\"mine\"", "init", "step", "0", "phase"));
    refuses(-EPROTO, "no terminate()");
    compile(TABLE("OBSW_VERSION", "\"mine\"", "init", "step", "free", "0"));
    refuses(-EPROTO, "no phase_name()");
}

static void test_a_setup_the_library_refuses_is_said_with_its_parameters(void)
{
    compile(TABLE("OBSW_VERSION", "\"mine\"", "init", "step", "free", "phase"));
    memcpy(setup.parameters, "-1", 3);
    refuses(-EINVAL, "\"mine\" refused its setup (7 joints, period 1000000 ns, parameters \"-1\")");
}

static void test_a_broken_setup_never_reaches_the_library(void)
{
    compile(TABLE("OBSW_VERSION", "\"mine\"", "init", "step", "free", "phase"));
    memset(setup.parameters, '9', sizeof setup.parameters);
    refuses(-EINVAL, "end of the parameters");
    setup.parameters[1] = '\0';
    setup.version++;
    refuses(-EINVAL, "not started");
    setup.version--;
    setup.size--;
    refuses(-EINVAL, "not started");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_good_library_is_loaded_started_and_steps);
    RUN_TEST(test_a_name_without_a_slash_is_a_file_of_this_folder);
    RUN_TEST(test_a_missing_file_is_named);
    RUN_TEST(test_a_file_that_is_no_library_is_refused);
    RUN_TEST(test_a_library_with_an_unknown_symbol_is_refused_at_once);
    RUN_TEST(test_a_library_without_the_table_is_refused);
    RUN_TEST(test_another_version_is_refused_with_both_numbers);
    RUN_TEST(test_every_missing_function_is_named);
    RUN_TEST(test_a_setup_the_library_refuses_is_said_with_its_parameters);
    RUN_TEST(test_a_broken_setup_never_reaches_the_library);
    return UNITY_END();
}
