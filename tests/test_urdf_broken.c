/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Robot descriptions that are wrong: each file in tests/urdf with the exact words it is
 * refused with, and thousands of files with slips in them, which must be refused or make a
 * robot that moves. */
#include "rt/build.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/multibody_solve.h"
#include "tests/draw.h"

#include "unity.h"

#define TEXT 65536

static struct urdf *u;
static struct build_robot *r;
static struct multibody_work *w;
static struct errors e;
static char *text, *copy;

void setUp(void)
{
    u = calloc(1, sizeof *u);
    r = calloc(1, sizeof *r);
    w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    text = calloc(1, TEXT);
    copy = calloc(1, TEXT);
    errors_init(&e);
}

void tearDown(void)
{
    free(u);
    free(r);
    free(w);
    free(text);
    free(copy);
}

static size_t load(const char *path)
{
    FILE *file = fopen(path, "rb");

    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    const size_t n = fread(text, 1, TEXT - 1, file);

    TEST_ASSERT_EQUAL_INT(0, fclose(file));
    text[n] = '\0';
    return n;
}

static int build_text(const char *xml, size_t length)
{
    const struct source source = {.name = "t.urdf", .text = xml, .length = length, .file = true};
    const int read = urdf_read(u, &e, &source);

    return build_check_links(&e, u) > 0 || read != 0 ? -EINVAL
                                                     : build_robot(r, &e, u, MULTIBODY_FLOATING);
}

/* A last line that ends in * stands for any ending: the words of the XML library are its own. */
static bool as_expected(const char *expected, const char *found)
{
    const size_t n = strlen(expected);

    if (n >= 2 && strcmp(expected + n - 2, "*\n") == 0) {
        return strncmp(expected, found, n - 2) == 0;
    }
    return strcmp(expected, found) == 0;
}

static void test_every_broken_file_is_refused_with_its_message(void)
{
    DIR *folder = opendir("tests/urdf");
    int files = 0;

    TEST_ASSERT_NOT_NULL(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[600];
        const char *ending = strstr(entry->d_name, ".urdf");

        if (ending == NULL) {
            continue;
        }
        (void)snprintf(path, sizeof path, "tests/urdf/%.*s.expected", (int)(ending - entry->d_name),
                       entry->d_name);
        (void)load(path);
        (void)snprintf(path, sizeof path, "tests/urdf/%.300s", entry->d_name);
        errors_init(&e);
        TEST_ASSERT_EQUAL_INT_MESSAGE(-EINVAL, build_open(r, u, &e, path, MULTIBODY_FLOATING),
                                      path);
        FILE *out = fmemopen(copy, TEXT, "w");

        TEST_ASSERT_NOT_NULL(out);
        errors_print(&e, out, entry->d_name);
        TEST_ASSERT_EQUAL_INT(0, fclose(out));
        if (!as_expected(text, copy)) {
            TEST_ASSERT_EQUAL_STRING_MESSAGE(text, copy, path);
        }
        files++;
    }
    TEST_ASSERT_EQUAL_INT(0, closedir(folder));
    TEST_ASSERT_TRUE(files >= 50);
}

/* One slip of a careless or hostile hand; the new length. */
static size_t mutate(struct draw *d, char *t, size_t n)
{
    static const char *const word[] = {
        "1e300", "-1",  "nan",     "0",         "1e-300", "<link name=\"x\"/>",
        "&amp;", "\"",  "<!",      "<!DOCTYPE", "]]>",    "<![CDATA[",
        "\xff",  "1e9", "</robot>"};
    const size_t at = (size_t)draw_index(d, (int)n), from = (size_t)draw_index(d, (int)n);
    const size_t length = 1 + (size_t)draw_index(d, 40);
    const char *put = word[draw_index(d, COUNT_OF(word))];

    switch (draw_index(d, 5)) {
    case 0: /* another byte */
        t[at] = (char)draw_index(d, 256);
        return n;
    case 1: /* a piece is missing */
        if (at + length < n) {
            memmove(t + at, t + at + length, n - at - length);
            n -= length;
        }
        return n;
    case 2: /* a piece comes twice */
        if (at + length < n && from + length < n) {
            memmove(t + at, t + from, length);
        }
        return n;
    case 3: /* the file ends here */
        return draw_index(d, 20) == 0 ? at + 1 : n;
    default: /* a word too many */
        memmove(t + at + strlen(put), t + at, n - at);
        for (size_t i = 0; put[i] != '\0'; i++) {
            t[at + i] = put[i];
        }
        return n + strlen(put);
    }
}

/* What is accepted must be a robot the engine can move. */
static void must_move(struct draw *d)
{
    struct multibody_vector nu = {{0}, {0}}, acceleration;
    struct multibody_input in = {.contacts = 0};
    double q[MULTIBODY_JOINTS];

    for (int i = 0; i < MULTIBODY_JOINTS; i++) {
        q[i] = draw_uniform(d, -3, 3);
        nu.joint[i] = draw_uniform(d, -1, 1);
        in.load.joint[i] = draw_uniform(d, -1, 1);
    }
    multibody_reset(&r->model, w);
    multibody_solve_forward(&acceleration, &r->model, w, q, &nu, &in);
    TEST_ASSERT_TRUE(base_all_finite(acceleration.base, 6));
    TEST_ASSERT_TRUE(base_all_finite(acceleration.joint, r->model.joints));
    for (int i = 0; i < r->frames; i++) {
        TEST_ASSERT_TRUE(base_all_finite(r->frame[i].place.R, 9) &&
                         base_all_finite(r->frame[i].place.p, 3));
    }
}

static void test_mutated_files_are_refused_or_make_a_robot(void)
{
    static const char *const file[] = {"config/lbr.urdf", "config/planar.urdf",
                                       "config/multiarm-b.urdf", "tests/urdf/branch.urdf"};
    struct draw d = {.state = 20};
    int accepted = 0, refused = 0;

    for (size_t f = 0; f < COUNT_OF(file); f++) {
        const size_t size = load(file[f]);

        for (int round = 0; round < 1000; round++) {
            size_t n = size;

            memcpy(copy, text, size);
            for (int k = draw_index(&d, 4); k >= 0; k--) {
                n = mutate(&d, copy, n);
            }
            copy[n] = '\0';
            errors_init(&e);
            const int result = build_text(copy, n);

            TEST_ASSERT_TRUE(result == 0 ? e.count == 0 : result == -EINVAL && e.count > 0);
            accepted += result == 0;
            refused += result != 0;
            if (result == 0) {
                must_move(&d);
            }
        }
    }
    /* both kinds must occur, or the mutations are too tame or too wild to say anything */
    TEST_ASSERT_TRUE(accepted > 100);
    TEST_ASSERT_TRUE(refused > 1000);
}

/* The XML library prints on stderr by default; nothing may come through. */
static void test_reading_prints_nothing(void)
{
    FILE *log = tmpfile();
    const int saved = dup(STDERR_FILENO);

    TEST_ASSERT_NOT_NULL(log);
    TEST_ASSERT_TRUE(saved >= 0 && dup2(fileno(log), STDERR_FILENO) >= 0);
    test_mutated_files_are_refused_or_make_a_robot();
    test_every_broken_file_is_refused_with_its_message();
    (void)fflush(stderr);
    TEST_ASSERT_TRUE(dup2(saved, STDERR_FILENO) >= 0);
    (void)close(saved);
    TEST_ASSERT_EQUAL_INT(0, fseek(log, 0, SEEK_END));
    TEST_ASSERT_EQUAL_INT(0, ftell(log));
    (void)fclose(log);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_broken_file_is_refused_with_its_message);
    RUN_TEST(test_mutated_files_are_refused_or_make_a_robot);
    RUN_TEST(test_reading_prints_nothing);
    return UNITY_END();
}
