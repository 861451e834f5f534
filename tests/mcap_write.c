/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mcap_write.c - writes a log for tests/mcap.sh:  mcap_write FILE CYCLES [PROGRESS]    or  mcap_write --repair FILE
 *
 * PROGRESS is a file of eight bytes that gets the number of cycles handed to the writer: it outlives a kill -9. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt/mcap_read.h"

enum { WORDS = 20 };

struct words {
    uint32_t
        unused; /* so that the words stand at a multiple of eight, in memory and behind the CDR header */
    uint8_t cdr[4];
    uint64_t word[WORDS];
};

int main(int argc, char **argv)
{
    static const char *const pairs[] = {"made by", "mcap_write", NULL};
    static uint64_t none;
    uint64_t *progress = &none;
    struct mcap_writer w;
    const long cycles = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    int channel, bad;

    if (argc == 3 && strcmp(argv[1], "--repair") == 0) {
        return mcap_repair(argv[2]) != 0;
    }
    bad = cycles <= 0 || mcap_open(&w, argv[1], "ros2", true) != 0;
    if (bad) {
        return 2;
    }
    if (argc > 3) {
        const int fd = open(argv[3], O_RDWR | O_CREAT, 0666);

        progress = fd >= 0 && ftruncate(fd, 8) == 0
                       ? mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                       : MAP_FAILED;
        if (progress == MAP_FAILED) {
            return 2;
        }
    }
    channel =
        mcap_channel(&w, mcap_schema(&w, "freefall_msgs/msg/Words", "ros2msg", "uint64[20] word\n"),
                     "/words", "cdr");
    bad |= mcap_attach(&w, "note.txt", "text/plain", "a note", 6);
    bad |= mcap_metadata(&w, "freefall", pairs);
    for (uint64_t k = 0; k < (uint64_t)cycles && !bad; k++) {
        struct words x = {.cdr = {0, 1, 0, 0}, .word = {k}};

        for (uint64_t i = 1; i < WORDS; i++) {
            x.word[i] = (k + i) * 0x9e3779b97f4a7c15u;
        }
        *(volatile uint64_t *)progress = k + 1;
        bad |=
            mcap_message(&w, channel, k * 1000000u, x.cdr, sizeof x - offsetof(struct words, cdr));
    }
    return mcap_close(&w) != 0 || bad;
}
