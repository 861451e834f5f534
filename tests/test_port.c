/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_port.c - only frames that can be replies pass; and what SOEM gets from the port that replaces its own.
 *
 * Sockets of the kernel stand in for the wire: a pair of them, one end the port's. The bench tests the interface.
 */
#include "drivers/port.h"
#include "soem/soem.h"
#include "unity.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/wire.h"
#include "tests/draw.h"

static int wire[2];

void setUp(void)
{
    TEST_ASSERT_EQUAL_INT(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, wire));
}

void tearDown(void)
{
    close(wire[0]);
    close(wire[1]);
}

/* A frame with one datagram of 4 bytes: 32 bytes. */
static int make(uint8_t *frame, uint8_t stream)
{
    memset(frame, 0, PORT_FRAME_MAX);
    port_header(frame, stream);
    wire_put_u16(frame + 14, 0x1000 | 16);
    frame[16] = 7; /* BRD */
    frame[22] = 4;
    return 32;
}

static int reply(uint8_t *frame, uint8_t stream)
{
    const int n = make(frame, stream);

    frame[6] |= 0x02;
    return n;
}

static void test_our_frame_back_from_the_wire_passes(void)
{
    uint8_t f[PORT_FRAME_MAX];
    const int n = reply(f, PORT_CYCLE);

    TEST_ASSERT_EQUAL_INT(PORT_REPLY, port_classify(f, n, PORT_CYCLE));
    TEST_ASSERT_EQUAL_INT(PORT_REPLY, port_classify(f, 60, PORT_CYCLE)); /* padded by a card */
    TEST_ASSERT_EQUAL_INT(16, port_length(f));
}

static void test_our_own_frame_is_not_a_reply(void)
{
    uint8_t f[PORT_FRAME_MAX];
    const int n = make(f, PORT_CYCLE);

    TEST_ASSERT_EQUAL_INT(PORT_FOREIGN, port_classify(f, n, PORT_CYCLE));
}

static void test_the_other_stream_does_not_pass(void)
{
    uint8_t f[PORT_FRAME_MAX];
    const int n = reply(f, PORT_SERVICE);

    TEST_ASSERT_EQUAL_INT(PORT_REPLY, port_classify(f, n, PORT_SERVICE));
    TEST_ASSERT_EQUAL_INT(PORT_FOREIGN, port_classify(f, n, PORT_CYCLE));
}

/* Truncation at any byte: D2 of the defects of stock SOEM. */
static void test_a_frame_cut_anywhere_is_short(void)
{
    uint8_t f[PORT_FRAME_MAX];
    const int n = reply(f, PORT_CYCLE);

    for (int i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL_INT(PORT_SHORT, port_classify(f, i, PORT_CYCLE));
    }
}

static void test_every_bit_of_address_and_type_counts(void)
{
    uint8_t f[PORT_FRAME_MAX];
    const int n = reply(f, PORT_CYCLE);

    for (int bit = 6 * 8; bit < 14 * 8; bit++) {
        f[bit / 8] ^= (uint8_t)(1u << bit % 8);
        TEST_ASSERT_EQUAL_INT(PORT_FOREIGN, port_classify(f, n, PORT_CYCLE));
        f[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    f[15] = 0x40 | (f[15] & 0x0f); /* network variables, no datagrams */
    TEST_ASSERT_EQUAL_INT(PORT_FOREIGN, port_classify(f, n, PORT_CYCLE));
}

/* Whatever arrives, reading it stays inside the bytes that arrived (the sanitizers watch) and a pass is a true one. */
static void test_random_frames_pass_only_when_they_hold_what_they_say(void)
{
    struct draw draw = {7};
    int passed = 0;

    for (int i = 0; i < 200000; i++) {
        const int n = draw_index(&draw, 80);
        uint8_t f[80];

        for (int k = 0; k < n; k++) {
            f[k] = (uint8_t)draw_bits(&draw);
        }
        if (n >= 14 && i % 2 == 0) {
            port_header(f, PORT_CYCLE);
            f[6] |= 0x02;
        }
        if (port_classify(f, n, PORT_CYCLE) == PORT_REPLY) {
            TEST_ASSERT_TRUE(n >= PORT_HEADER + 12 && port_length(f) + PORT_HEADER <= n);
            passed++;
        }
    }
    TEST_ASSERT_TRUE(passed > 0);
}

static void test_port_counts_what_it_does_not_pass_on(void)
{
    struct port p = {.fd = wire[0], .stream = PORT_CYCLE};
    uint8_t f[PORT_FRAME_MAX];
    int n = make(f, PORT_CYCLE);

    TEST_ASSERT_FALSE(port_wait(&p, 0));
    TEST_ASSERT_EQUAL_INT(n, send(wire[1], f, (size_t)n, 0));
    n = reply(f, PORT_CYCLE);
    TEST_ASSERT_EQUAL_INT(20, send(wire[1], f, 20, 0));
    f[30] = 0x5a;
    TEST_ASSERT_EQUAL_INT(n, send(wire[1], f, (size_t)n, 0));
    memset(f, 0, sizeof f);
    TEST_ASSERT_TRUE(port_wait(&p, 1000000));
    TEST_ASSERT_EQUAL_INT(n, port_receive(&p, f));
    TEST_ASSERT_EQUAL_HEX8(0x5a, f[30]);
    TEST_ASSERT_EQUAL_INT(0, port_receive(&p, f));
    TEST_ASSERT_EQUAL_UINT64(1, p.count.received[PORT_REPLY]);
    TEST_ASSERT_EQUAL_UINT64(1, p.count.received[PORT_SHORT]);
    TEST_ASSERT_EQUAL_UINT64(1, p.count.received[PORT_FOREIGN]);
}

static void test_drain_leaves_nothing_behind(void)
{
    struct port p = {.fd = wire[0], .stream = PORT_CYCLE};
    uint8_t f[PORT_FRAME_MAX];
    const int n = reply(f, PORT_CYCLE);

    for (int i = 0; i < 5; i++) {
        TEST_ASSERT_EQUAL_INT(n, send(wire[1], f, (size_t)n, 0));
    }
    TEST_ASSERT_EQUAL_INT(5, port_drain(&p));
    TEST_ASSERT_EQUAL_UINT64(5, p.count.drained);
    TEST_ASSERT_EQUAL_INT(0, port_receive(&p, f));
}

static void test_a_send_that_fails_is_counted(void)
{
    struct port p = {.fd = wire[0], .stream = PORT_CYCLE};
    uint8_t f[PORT_FRAME_MAX];
    const int n = make(f, PORT_CYCLE);

    TEST_ASSERT_EQUAL_INT(0, port_send(&p, f, n));
    close(wire[1]);
    wire[1] = -1;
    TEST_ASSERT_TRUE(port_send(&p, f, n) < 0);
    TEST_ASSERT_EQUAL_UINT64(1, p.count.sent);
    TEST_ASSERT_EQUAL_UINT64(1, p.count.send_failed);
}

static void test_a_missing_interface_is_refused(void)
{
    struct port p;
    const int error = port_open(&p, "no-such-nic0", PORT_CYCLE);

    /* a plain user is refused before anybody looks for the interface */
    TEST_ASSERT_TRUE(error == -ENODEV || error == -EPERM);
    TEST_ASSERT_EQUAL_INT(-1, p.fd);
    TEST_ASSERT_TRUE(port_open(&p, "a-name-longer-than-any-interface", PORT_CYCLE) < 0);
}

/* SOEM's view --------------------------------------------------------------------------------- */

static ecx_portt soem;

/* A request of SOEM under a new index, sent; the frame as it went out is left in `frame`. */
static uint8_t request(uint8_t *frame)
{
    uint8_t index;

    memset(&soem, 0, sizeof soem);
    soem.sockhandle = wire[0];
    index = ecx_getindex(&soem);
    make(soem.txbuf[index], PORT_SERVICE);
    soem.txbuf[index][17] = index;
    soem.txbuf[index][20] = 0x30; /* register 0x0130 */
    soem.txbuf[index][21] = 0x01;
    soem.txbuflength[index] = 32;
    TEST_ASSERT_EQUAL_INT(32, ecx_outframe_red(&soem, index));
    TEST_ASSERT_EQUAL_INT(32, recv(wire[1], frame, PORT_FRAME_MAX, MSG_DONTWAIT));
    frame[6] |= 0x02;
    wire_put_u16(frame + 30, 5); /* working counter */
    return index;
}

static void answer(const uint8_t *frame, int n)
{
    TEST_ASSERT_EQUAL_INT(n, send(wire[1], frame, (size_t)n, 0));
}

static void test_soem_gets_the_working_counter_of_its_reply(void)
{
    uint8_t f[PORT_FRAME_MAX];
    const uint8_t index = request(f);

    answer(f, 32);
    TEST_ASSERT_EQUAL_INT(5, ecx_waitinframe(&soem, index, 1000));
    TEST_ASSERT_EQUAL_INT(EC_NOFRAME, ecx_waitinframe(&soem, index, 0)); /* a reply serves once */
}

/* D2, D3: a cut reply, and frames that only share the index. */
static void test_soem_does_not_get_a_frame_that_differs_from_its_request(void)
{
    static const struct {
        int at;
        uint8_t flip;
    } wrong[] = {{6, 0x02}, {11, 0x03}, {14, 0x01}, {16, 0x01}, {17, 0x80}, {20, 0x01}, {22, 0x01}};

    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        uint8_t f[PORT_FRAME_MAX];
        const uint8_t index = request(f);

        f[wrong[i].at] ^= wrong[i].flip;
        answer(f, 32);
        f[wrong[i].at] ^= wrong[i].flip;
        answer(f, 31);
        TEST_ASSERT_EQUAL_INT(EC_NOFRAME, ecx_waitinframe(&soem, index, 100));
        answer(f, 32);
        TEST_ASSERT_EQUAL_INT(5, ecx_waitinframe(&soem, index, 1000));
    }
}

static void test_soem_gets_replies_that_overtake_each_other(void)
{
    uint8_t first[PORT_FRAME_MAX];
    uint8_t second[PORT_FRAME_MAX];
    const uint8_t a = request(first);
    const uint8_t b = ecx_getindex(&soem);

    TEST_ASSERT_NOT_EQUAL(a, b);
    memcpy(soem.txbuf[b], soem.txbuf[a], 32);
    soem.txbuf[b][17] = b;
    soem.txbuflength[b] = 32;
    ecx_outframe(&soem, b, 0);
    TEST_ASSERT_EQUAL_INT(32, recv(wire[1], second, sizeof second, MSG_DONTWAIT));
    second[6] |= 0x02;
    wire_put_u16(second + 30, 9);
    answer(second, 32);
    answer(first, 32);
    TEST_ASSERT_EQUAL_INT(5, ecx_waitinframe(&soem, a, 1000));
    TEST_ASSERT_EQUAL_INT(9, ecx_waitinframe(&soem, b, 1000));
}

/* An index is not given again before all others were: a late reply meets nobody who waits. */
static void test_indices_go_round_all_buffers(void)
{
    bool seen[EC_MAXBUF] = {false};

    memset(&soem, 0, sizeof soem);
    for (int i = 0; i < EC_MAXBUF; i++) {
        const uint8_t index = ecx_getindex(&soem);

        TEST_ASSERT_FALSE(seen[index]);
        seen[index] = true;
        ecx_setbufstat(&soem, index, EC_BUF_EMPTY);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_our_frame_back_from_the_wire_passes);
    RUN_TEST(test_our_own_frame_is_not_a_reply);
    RUN_TEST(test_the_other_stream_does_not_pass);
    RUN_TEST(test_a_frame_cut_anywhere_is_short);
    RUN_TEST(test_every_bit_of_address_and_type_counts);
    RUN_TEST(test_random_frames_pass_only_when_they_hold_what_they_say);
    RUN_TEST(test_port_counts_what_it_does_not_pass_on);
    RUN_TEST(test_drain_leaves_nothing_behind);
    RUN_TEST(test_a_send_that_fails_is_counted);
    RUN_TEST(test_a_missing_interface_is_refused);
    RUN_TEST(test_soem_gets_the_working_counter_of_its_reply);
    RUN_TEST(test_soem_does_not_get_a_frame_that_differs_from_its_request);
    RUN_TEST(test_soem_gets_replies_that_overtake_each_other);
    RUN_TEST(test_indices_go_round_all_buffers);
    return UNITY_END();
}
