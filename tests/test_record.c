/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_record.c - what a cycle leaves behind: nothing of it lost, nothing else in it, and computed again from the log.
 *
 * tests/replay.sh has the messages decoded from their own schemas by another reader. */
#include "rt/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rt/obsw_tape.h"
#include "tests/draw.h"
#include "unity.h"

static char path[64];
static struct record log_file;
static struct mcap_reader reader = {.fd = -1};

void setUp(void)
{
    const int fd = mkstemp(strcpy(path, "/tmp/test_record.XXXXXX"));

    TEST_ASSERT_TRUE(fd >= 0);
    (void)close(fd);
    memset(&log_file, 0, sizeof log_file);
    reader = (struct mcap_reader){.fd = -1};
}

void tearDown(void)
{
    (void)record_close(&log_file);
    mcap_read_close(&reader);
    (void)unlink(path);
}

/* Inputs and outputs with every number drawn, also such as no cycle has. */
static void draw_cycle(struct draw *d, struct control_input *in, struct control_output *out)
{
    memset(in, 0, sizeof *in);
    memset(out, 0, sizeof *out);
    in->cycle = draw_bits(d);
    in->time_ns = (int64_t)(draw_bits(d) >> 2);
    draw_vector(d, in->wrench.value, 6, 100.0);
    draw_vector(d, in->joints.position, RECORD_JOINTS, 3.0);
    draw_vector(d, in->joints.velocity, RECORD_JOINTS, 3.0);
    in->wrench.age = draw_index(d, 9);
    in->joints.age = draw_index(d, 9);
    in->wrench.valid = draw_index(d, 2) != 0;
    in->joints.valid = draw_index(d, 2) != 0;
    in->ready = draw_index(d, 2) != 0;
    in->latched = draw_index(d, 2) != 0;
    in->request = (enum safety_request)draw_index(d, 3);
    in->causes = (uint32_t)draw_bits(d);
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        draw_vector(d, in->robot[i].pose.R, 9, 1.0);
        draw_vector(d, in->robot[i].pose.p, 3, 1.0);
        draw_vector(d, in->robot[i].velocity, 6, 1.0);
        in->robot[i].age = draw_index(d, 9);
        in->robot[i].valid = draw_index(d, 2) != 0;
        draw_vector(d, out->robot[i].pose.R, 9, 1.0);
        draw_vector(d, out->robot[i].pose.p, 3, 1.0);
        draw_vector(d, out->robot[i].velocity, 6, 1.0);
        draw_vector(d, out->robot[i].acceleration, 6, 1.0);
    }
    draw_vector(d, out->torque, RECORD_JOINTS, 90.0);
    out->torque_on = draw_index(d, 2) != 0;
    out->grip = draw_index(d, 2) != 0;
    out->mode = (enum safety_mode)draw_index(d, 7);
    out->causes = (uint32_t)draw_bits(d);
    out->phase = (uint32_t)draw_bits(d);
}

static void test_an_input_comes_back_bit_by_bit(void)
{
    struct draw d = {11};

    for (int i = 0; i < 1000; i++) {
        struct control_input in, back;
        struct control_output out;
        struct record_raw raw = {0};

        draw_cycle(&d, &in, &out);
        if (i % 7 == 0) {
            in.wrench.value[i % 6] = (double)NAN; /* what a broken sensor gives is recorded too */
        }
        record_take(&raw, &in, &out);
        record_input(&back, &raw);
        TEST_ASSERT_EQUAL_MEMORY(&in, &back, sizeof in);
    }
}

/* Every member of the output, changed alone, changes the record: nothing that is decided goes unseen. */
static void test_every_bit_of_an_output_is_in_the_record(void)
{
    struct draw d = {12};
    struct control_input in;
    struct control_output out, other = {.mode = SAFETY_INIT};
    struct record_raw a = {0}, b = {0};
    int element, seen = 0;

    draw_cycle(&d, &in, &out);
    record_take(&a, &in, &out);
    TEST_ASSERT_NULL(record_difference(RECORD_RAW, &a, &a, &element));
    for (int i = 0; i < CONTROL_ROBOTS; i++) {
        double *const part[] = {other.robot[i].pose.R, other.robot[i].pose.p,
                                other.robot[i].velocity, other.robot[i].acceleration};
        const int size[] = {9, 3, 6, 6};

        for (int k = 0; k < 4; k++) {
            for (int n = 0; n < size[k]; n++) {
                other = out;
                part[k][n] = nextafter(part[k][n], 9.0);
                record_take(&b, &in, &other);
                TEST_ASSERT_NOT_NULL(record_difference(RECORD_RAW, &a, &b, &element));
                TEST_ASSERT_EQUAL_INT(n, element);
                seen++;
            }
        }
    }
    for (int n = 0; n < RECORD_JOINTS; n++) {
        other = out;
        other.torque[n] = nextafter(other.torque[n], 100.0);
        record_take(&b, &in, &other);
        TEST_ASSERT_EQUAL_STRING("torque", record_difference(RECORD_RAW, &a, &b, &element)->name);
        TEST_ASSERT_EQUAL_INT(n, element);
        seen++;
    }
    TEST_ASSERT_EQUAL_INT(48 + RECORD_JOINTS, seen);
    other = out;
    other.grip = !out.grip;
    record_take(&b, &in, &other);
    TEST_ASSERT_EQUAL_STRING("grip", record_difference(RECORD_RAW, &a, &b, &element)->name);
    other = out;
    other.torque_on = !out.torque_on;
    record_take(&b, &in, &other);
    TEST_ASSERT_EQUAL_STRING("torque_on", record_difference(RECORD_RAW, &a, &b, &element)->name);
    other = out;
    other.causes ^= 1u;
    record_take(&b, &in, &other);
    TEST_ASSERT_EQUAL_STRING("causes", record_difference(RECORD_RAW, &a, &b, &element)->name);
}

/* No byte between the fields: what is not written in the cycle cannot differ between two runs. */
static void test_fields_fill_their_record_without_gap(void)
{
    for (int i = 0; i < RECORD_KINDS; i++) {
        size_t at = 8;

        for (int k = 0; k < record_layouts[i].fields; k++) {
            const struct record_field *f = &record_layouts[i].field[k];

            TEST_ASSERT_EQUAL_size_t(at, f->offset);
            TEST_ASSERT_EQUAL_size_t(0, (f->offset - 8) % f->size); /* as CDR aligns */
            at += f->size * (size_t)(f->count > 0 ? f->count : 1);
        }
        TEST_ASSERT_EQUAL_size_t(record_layouts[i].size, at);
    }
}

static void test_schema_text_is_ros2msg(void)
{
    TEST_ASSERT_EQUAL_INT(0, strncmp(record_layouts[RECORD_RAW].text,
                                     "uint64 cycle # \nint64 time_ns # since the start", 46));
    TEST_ASSERT_NOT_NULL(strstr(record_layouts[RECORD_RAW].text, "\nfloat64[8] torque # "));
    TEST_ASSERT_NOT_NULL(strstr(record_layouts[RECORD_OBSW].text, "\nfloat64[16] joint_torque # "));
}

static void test_a_log_gives_back_its_records_and_an_event_for_each_change(void)
{
    struct draw d = {13};
    struct record_raw kept[60], back;
    struct mcap_read_item item;
    int raws = 0, events = 0, changes = 0, joints = 0;

    TEST_ASSERT_EQUAL_INT(0, record_open(&log_file, path, 7, 20, false));
    for (uint64_t i = 0; i < COUNT_OF(kept); i++) {
        struct control_input in;
        struct control_output out;

        draw_cycle(&d, &in, &out);
        in.cycle = i;
        in.time_ns = (int64_t)i * 1000000;
        out.mode = (enum safety_mode)(i / 25);
        out.causes = i == 40 ? SAFETY_BIT(SAFETY_POSE_LIMIT) : 0u;
        memset(&kept[i], 0, sizeof kept[i]);
        record_take(&kept[i], &in, &out);
        changes += i == 0 || i == 25 || i == 40 || i == 41 || i == 50;
        TEST_ASSERT_EQUAL_INT(0, record_raw_write(&log_file, &kept[i]));
    }
    TEST_ASSERT_EQUAL_INT(0, record_close(&log_file));
    TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&reader, path));
    do {
        TEST_ASSERT_EQUAL_INT(0, mcap_read_next(&reader, &item));
        if (item.kind == MCAP_READ_MESSAGE) {
            const char *topic = reader.channel[item.channel].topic;

            events += strcmp(topic, "/events") == 0;
            joints += strcmp(topic, "/joint_states") == 0;
            if (record_kind_of(&reader, &item) == RECORD_RAW) {
                int element;

                record_copy(RECORD_RAW, &back, &item);
                TEST_ASSERT_NULL(record_difference(RECORD_RAW, &kept[raws], &back, &element));
                raws++;
            } else {
                TEST_ASSERT_EQUAL_INT(-ENOENT, record_kind_of(&reader, &item));
            }
        }
    } while (item.kind != MCAP_READ_END);
    TEST_ASSERT_EQUAL_INT(COUNT_OF(kept), raws);
    TEST_ASSERT_EQUAL_INT(changes, events);
    TEST_ASSERT_EQUAL_INT(3, joints);
}

static void test_a_record_laid_out_otherwise_is_refused(void)
{
    struct mcap_writer w;
    struct mcap_read_item item;
    uint8_t message[sizeof(struct record_raw) - 4] = {0, 1, 0, 0};

    TEST_ASSERT_EQUAL_INT(0, mcap_open(&w, path, "ros2", false));
    TEST_ASSERT_EQUAL_INT(
        0, mcap_channel(&w, mcap_schema(&w, "freefall_msgs/msg/Raw", "ros2msg", "uint64 cycle\n"),
                        "/raw", "cdr"));
    TEST_ASSERT_EQUAL_INT(0, mcap_message(&w, 0, 0, message, sizeof message));
    TEST_ASSERT_EQUAL_INT(0, mcap_close(&w));
    TEST_ASSERT_EQUAL_INT(0, mcap_read_open(&reader, path));
    TEST_ASSERT_EQUAL_INT(0, mcap_read_next(&reader, &item));
    TEST_ASSERT_EQUAL_INT(-EPROTO, record_kind_of(&reader, &item));
}

/* ---- the tape ---- */

static int answer(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    struct draw *d = self;

    if (in->cycle % 5 == 0) {
        return 0; /* late: the output stays as it came */
    }
    out->version = OBSW_VERSION;
    out->size = sizeof *out;
    out->cycle = in->cycle;
    out->phase = (uint32_t)draw_bits(d);
    out->grip = (uint32_t)draw_index(d, 2);
    draw_vector(d, out->base_wrench, 6, 10.0);
    draw_vector(d, out->joint_torque, OBSW_JOINTS, 10.0);
    return draw_index(d, 3);
}

static const struct obsw_interface answer_table = {
    .version = OBSW_VERSION, .name = "drawn", .step = answer};

static void test_a_tape_plays_what_it_kept_also_a_late_answer(void)
{
    static struct obsw_tape keep, play;
    struct draw d = {14};
    const struct control_obsw inner = {&answer_table, &d};
    const struct control_obsw kept = obsw_tape_open(&keep, &inner);
    const struct control_obsw played = obsw_tape_open(&play, NULL);

    TEST_ASSERT_EQUAL_STRING("drawn", kept.table->name);
    for (uint64_t i = 1; i < 100; i++) {
        const struct obsw_input in = {.version = OBSW_VERSION, .size = sizeof in, .cycle = i};
        struct obsw_output a = {.version = 9, .cycle = ~i}, b = a, c = a;
        int code = kept.table->step(kept.self, &in, &a);

        TEST_ASSERT_TRUE(keep.asked);
        play.last = keep.last;
        TEST_ASSERT_EQUAL_INT(code, played.table->step(played.self, &in, &b));
        TEST_ASSERT_EQUAL_MEMORY(&a, &b, sizeof a);
        play.last.cycle = i - 1; /* no answer for this cycle on the tape */
        code = played.table->step(played.self, &in, &c);
        TEST_ASSERT_EQUAL_INT(0, code);
        TEST_ASSERT_EQUAL_UINT64(~i, c.cycle);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_input_comes_back_bit_by_bit);
    RUN_TEST(test_every_bit_of_an_output_is_in_the_record);
    RUN_TEST(test_fields_fill_their_record_without_gap);
    RUN_TEST(test_schema_text_is_ros2msg);
    RUN_TEST(test_a_log_gives_back_its_records_and_an_event_for_each_change);
    RUN_TEST(test_a_record_laid_out_otherwise_is_refused);
    RUN_TEST(test_a_tape_plays_what_it_kept_also_a_late_answer);
    return UNITY_END();
}
