/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_vision_message.c - the pose datagram by its specification: every byte offset, every refusal, over the wire. */
#include "drivers/vision_message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/vision_link.h"
#include "tests/draw.h"
#include "unity.h"

static uint8_t bytes[VISION_MESSAGE_SIZE];
static struct vision_message_state state;
static struct vision_message out;

static void put(int at, const void *x, size_t n)
{
    memcpy(bytes + at, x, n); /* the test runs on a little-endian machine, as the datagram is */
}

static void put_f64(int at, double x)
{
    put(at, &x, 8);
}

static void seal(void)
{
    const uint32_t crc = vision_message_crc(bytes, 316);

    put(316, &crc, 4);
}

/* A datagram written from the table of offsets, not by vision_message_write(). */
static void good_one(uint32_t sequence)
{
    const uint32_t magic = 0x31504656;
    const uint16_t version = 1, length = 320, source = 3, flags = 7;
    const int64_t image = 123456789012345, sent = 123456789112345;
    int at = 96;

    memset(bytes, 0, sizeof bytes);
    put(0, &magic, 4);
    put(4, &version, 2);
    put(6, &length, 2);
    put(8, &sequence, 4);
    put(12, &source, 2);
    put(14, &flags, 2);
    put(16, &image, 8);
    put(24, &sent, 8);
    put_f64(40, 0.1);
    put_f64(48, -0.2);
    put_f64(56, 1.5);
    put_f64(64, 0.5);
    put_f64(72, 0.5);
    put_f64(80, -0.5);
    put_f64(88, 0.5005); /* within 1e-3 of unit length */
    for (int i = 0; i < 6; i++) {
        for (int j = i; j < 6; j++, at += 8) {
            put_f64(at, i == j ? (i < 3 ? 25e-6 : 3e-4) : 1e-7 * (i + 1));
        }
    }
    put_f64(280, 1.0);
    seal();
}

void setUp(void)
{
    memset(&state, 0, sizeof state);
    good_one(10);
}

void tearDown(void)
{
}

static void expect(enum vision_message_verdict v)
{
    const uint32_t before = state.count[v];

    TEST_ASSERT_EQUAL_STRING(
        vision_message_verdict_name(v),
        vision_message_verdict_name(vision_message_read(&out, &state, bytes, VISION_MESSAGE_SIZE)));
    TEST_ASSERT_EQUAL_UINT32(before + 1, state.count[v]);
}

static void test_checksum_is_castagnoli(void)
{
    /* check value of CRC-32C as published (RFC 3720 uses the same polynomial) */
    TEST_ASSERT_EQUAL_HEX32(0xe3069283, vision_message_crc((const uint8_t *)"123456789", 9));
}

static void test_every_field_is_where_the_table_says(void)
{
    expect(VISION_MESSAGE_GOOD);
    TEST_ASSERT_EQUAL_UINT32(10, out.sequence);
    TEST_ASSERT_EQUAL_UINT16(3, out.source);
    TEST_ASSERT_EQUAL_INT64(123456789012345, out.image_ns);
    TEST_ASSERT_EQUAL_INT64(123456789112345, out.send_ns);
    TEST_ASSERT_EQUAL_DOUBLE(-0.2, out.p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0,
                              out.q[0] * out.q[0] + out.q[1] * out.q[1] + out.q[2] * out.q[2] +
                                  out.q[3] * out.q[3]);
    TEST_ASSERT_EQUAL_DOUBLE(25e-6, out.covariance[14]);
    TEST_ASSERT_EQUAL_DOUBLE(3e-4, out.covariance[35]);
    TEST_ASSERT_EQUAL_DOUBLE(3e-7, out.covariance[6 * 2 + 5]);
    TEST_ASSERT_EQUAL_DOUBLE(3e-7, out.covariance[6 * 5 + 2]);
}

static void test_what_is_written_is_read(void)
{
    struct vision_message again;
    uint8_t written[VISION_MESSAGE_SIZE];

    expect(VISION_MESSAGE_GOOD);
    again = out;
    vision_message_write(written, &again);
    memcpy(bytes, written, sizeof bytes);
    state.any = false;
    expect(VISION_MESSAGE_GOOD);
    TEST_ASSERT_EQUAL_UINT16(again.flags, out.flags);
    TEST_ASSERT_EQUAL_INT64(again.send_ns, out.send_ns);
    TEST_ASSERT_EQUAL_DOUBLE(0.0, draw_distance(again.covariance, out.covariance, 36));
}

static void test_every_refusal_has_its_reason(void)
{
    const uint64_t nan = 0x7ff8000000000000u;

    TEST_ASSERT_EQUAL_INT(VISION_MESSAGE_SIZE_WRONG, vision_message_read(&out, &state, bytes, 319));
    TEST_ASSERT_EQUAL_INT(VISION_MESSAGE_SIZE_WRONG, vision_message_read(&out, &state, bytes, 0));
    bytes[0] ^= 1;
    expect(VISION_MESSAGE_MAGIC);
    good_one(1);
    bytes[4] = 2;
    expect(VISION_MESSAGE_VERSION);
    good_one(1);
    bytes[6] = 0;
    expect(VISION_MESSAGE_LENGTH);
    good_one(1);
    bytes[200] ^= 0x10;
    expect(VISION_MESSAGE_CRC);
    good_one(1);
    bytes[36] = 1;
    seal();
    expect(VISION_MESSAGE_RESERVED);
    good_one(1);
    bytes[14] = 6;
    seal();
    expect(VISION_MESSAGE_INVALID);
    for (int at = 40; at < 316; at = at == 256 ? 280 : at + 8) {
        good_one(1);
        if (at < 312) {
            put(at, &nan, 8);
        } else {
            const uint32_t inf = 0x7f800000;

            put(at, &inf, 4);
        }
        seal();
        expect(VISION_MESSAGE_NOT_FINITE);
    }
    good_one(1);
    put_f64(88, 0.51);
    seal();
    expect(VISION_MESSAGE_QUATERNION);
    good_one(1);
    put_f64(280, 0.9);
    seal();
    expect(VISION_MESSAGE_QUATERNION);
    good_one(1);
    put_f64(96, 0.0);
    seal();
    expect(VISION_MESSAGE_INDEFINITE);
    good_one(1);
    put_f64(104, 26e-6); /* correlation above 1 */
    seal();
    expect(VISION_MESSAGE_INDEFINITE);
    good_one(1);
    put_f64(96, 2.0);
    seal();
    expect(VISION_MESSAGE_SIGMA);
}

static void test_an_invalid_image_still_counts_its_number(void)
{
    expect(VISION_MESSAGE_GOOD);
    good_one(11);
    bytes[14] = 6;
    seal();
    expect(VISION_MESSAGE_INVALID);
    good_one(12);
    expect(VISION_MESSAGE_GOOD);
    TEST_ASSERT_EQUAL_UINT32(0, state.lost);
    good_one(15);
    expect(VISION_MESSAGE_GOOD);
    TEST_ASSERT_EQUAL_UINT32(2, state.lost);
}

static void test_numbers_wrap_and_old_ones_are_late(void)
{
    good_one(0xffffffffu);
    expect(VISION_MESSAGE_GOOD);
    good_one(0);
    expect(VISION_MESSAGE_GOOD);
    expect(VISION_MESSAGE_LATE);
    good_one(0xfffffffeu);
    expect(VISION_MESSAGE_LATE);
    good_one(1);
    expect(VISION_MESSAGE_GOOD);
}

static void test_random_damage_is_never_taken(void)
{
    struct draw d = {99};

    for (int k = 0; k < 20000; k++) {
        const int bit = draw_index(&d, 8 * VISION_MESSAGE_SIZE);
        enum vision_message_verdict v;

        good_one(10);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        v = vision_message_read(&out, &state, bytes, VISION_MESSAGE_SIZE);
        TEST_ASSERT_TRUE(v != VISION_MESSAGE_GOOD && v != VISION_MESSAGE_LATE);
    }
}

/* Two sockets on the loopback interface; only the one configured is heard. */
static void test_only_the_configured_sender_is_heard(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET}, b = a;
    socklen_t n = sizeof a;
    struct vision_link link;
    const int sender = socket(AF_INET, SOCK_DGRAM, 0), stranger = socket(AF_INET, SOCK_DGRAM, 0);
    int64_t at = 0;
    bool heard = false;

    TEST_ASSERT_EQUAL_INT(-EINVAL, vision_link_open(&link, "nowhere", 1, "127.0.0.1", 2));
    a.sin_addr.s_addr = b.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    TEST_ASSERT_EQUAL_INT(0, bind(sender, (struct sockaddr *)&a, sizeof a));
    TEST_ASSERT_EQUAL_INT(0, getsockname(sender, (struct sockaddr *)&a, &n));
    TEST_ASSERT_EQUAL_INT(0,
                          vision_link_open(&link, "127.0.0.1", 0, "127.0.0.1", ntohs(a.sin_port)));
    n = sizeof b;
    TEST_ASSERT_EQUAL_INT(0, getsockname(link.fd, (struct sockaddr *)&b, &n));
    TEST_ASSERT_FALSE(vision_link_read(&link, &out, &at));
    (void)sendto(stranger, bytes, sizeof bytes, 0, (struct sockaddr *)&b, sizeof b);
    TEST_ASSERT_FALSE(vision_link_read(&link, &out, &at));
    (void)sendto(sender, "junk", 4, 0, (struct sockaddr *)&b, sizeof b);
    (void)sendto(sender, bytes, sizeof bytes, 0, (struct sockaddr *)&b, sizeof b);
    for (int i = 0; i < 1000 && !heard;
         i++) { /* loopback delivers at once; a loaded machine may not */
        heard = vision_link_read(&link, &out, &at);
        if (!heard) {
            usleep(1000);
        }
    }
    TEST_ASSERT_TRUE(heard);
    TEST_ASSERT_TRUE(at > 0);
    TEST_ASSERT_EQUAL_UINT32(1, link.state.count[VISION_MESSAGE_SIZE_WRONG]);
    TEST_ASSERT_EQUAL_UINT32(1, link.state.count[VISION_MESSAGE_GOOD]);
    vision_link_close(&link);
    TEST_ASSERT_FALSE(vision_link_read(&link, &out, &at));
    close(sender);
    close(stranger);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_checksum_is_castagnoli);
    RUN_TEST(test_every_field_is_where_the_table_says);
    RUN_TEST(test_what_is_written_is_read);
    RUN_TEST(test_every_refusal_has_its_reason);
    RUN_TEST(test_an_invalid_image_still_counts_its_number);
    RUN_TEST(test_numbers_wrap_and_old_ones_are_late);
    RUN_TEST(test_random_damage_is_never_taken);
    RUN_TEST(test_only_the_configured_sender_is_heard);
    return UNITY_END();
}
