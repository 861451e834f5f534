/* SPDX-License-Identifier: GPL-3.0-or-later */
/* message.h - what is wrong with a configuration, shown as good compilers do:
 *
 *     lab.yaml:14:9: error: client.mass: expected a number with unit kg or t, found "7.8"
 *        14 |   mass: 7.8
 *           |         ^~~   write 7.8 t or 7800 kg
 *
 * Messages are collected while a text is read and printed in the order of the text. Colour is used
 * on a terminal only, and never with NO_COLOR. Nothing of the file reaches the terminal that could
 * change it: what is not printable is shown as "?".
 */
#ifndef FREEFALL_MESSAGE_H
#define FREEFALL_MESSAGE_H

#include <stddef.h>
#include <stdio.h>

#include "config/source.h"

#define MESSAGE_MAX 20 /* printed at most; the first in the text */
#define MESSAGE_FOUND_MAX                                                                          \
    64 /* characters a quotation of the text takes at most, with the final zero */
#define MESSAGE_PHRASE_MAX 200

/* Why a text is not the value it should be: "expected ..., found ...", and the hint behind the
 * caret. */
struct message_fault {
    char expected[MESSAGE_PHRASE_MAX];
    char found[MESSAGE_PHRASE_MAX];
    char hint[MESSAGE_PHRASE_MAX];
    size_t at, length; /* the bytes of the text that are meant */
};

struct message {
    size_t at;     /* offset of the first byte meant */
    size_t length; /* bytes meant; the caret and tildes below the line */
    char text[320];
    char hint[200]; /* what to do; may be empty */
};

struct message_list {
    const struct source *source;
    int count;                               /* of all, printed or not */
    struct message message[MESSAGE_MAX + 1]; /* sorted by position; the last is a spare */
};

/* Add a message at its place. Returns it for message_hint(). */
__attribute__((format(printf, 4, 5))) struct message *
message_add(struct message_list *list, size_t at, size_t length, const char *format, ...);

__attribute__((format(printf, 2, 3))) void message_hint(struct message *m, const char *format, ...);

void message_print(const struct message_list *list, FILE *out);

/* Print a message about a file as a whole, at once. */
__attribute__((format(printf, 3, 4))) void message_say(FILE *out, const char *name,
                                                       const char *format, ...);

/* Quote a text for a message: in quotation marks, cut when long, safe for a terminal. */
void message_quote(char out[static MESSAGE_FOUND_MAX], const char *text, size_t length);

#endif
