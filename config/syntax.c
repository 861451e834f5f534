/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syntax.c - around the YAML parser: what it must not see, and what its complaints mean. */
#include "config/syntax.h"

#include <errno.h>
#include <string.h>

static int refuse_bytes(struct message_list *list, size_t at, const char *what)
{
    message_hint(message_add(list, at, 1, "expected UTF-8 text, found %s", what),
                 "save the file as UTF-8 text");
    return -EINVAL;
}

static int refuse_brackets(struct message_list *list, size_t at, int nodes)
{
    message_hint(message_add(list, at, 1, "expected at most %d keys and values, found more", nodes),
                 "is it a configuration file?");
    return -EINVAL;
}

static int refuse_directive(const struct source *s, struct message_list *list, size_t at)
{
    message_hint(
        message_add(list, at, strcspn(s->text + at, "\r\n"), "expected no directive, found one"),
        "delete the line");
    return -EINVAL;
}

int syntax_check(const struct source *s, struct message_list *list, int nodes)
{
    char what[SOURCE_WHY_MAX];
    size_t unclean = source_unclean(s->text, s->length, what);
    bool line_begins = true;
    int brackets = 0;

    if (unclean < s->length) {
        return refuse_bytes(list, unclean, what);
    }
    for (size_t at = 0; at < s->length; at++) {
        char c = s->text[at];

        brackets += c == '[' || c == '{';
        if (brackets > nodes) {
            return refuse_brackets(list, at, nodes);
        }
        if (c == '%' && line_begins) {
            return refuse_directive(s, list, at);
        }
        line_begins = c == '\n' || c == '\r';
    }
    return 0;
}

/* What to do about the slips people make most, by a piece of the parser's own words. */
static const struct {
    const char *words;
    const char *hint;
} advice[] = {
    {"tab character", "indent with spaces"},
    {"multiline plain key",
     "check the indentation of the next line, and that each key ends with \": \""},
    {"nested block mapping", "put a text that contains \": \" into quotation marks"},
    {"invalid value after mapping", "each line is \"key: value\", indented like its neighbours"},
    {"invalid indentation", "indent the keys of one section alike"},
    {"without closing quote", "close the quotation mark"},
    {"closing bracket", "brackets come in pairs"},
    {"missing comma", "close the brace, or put a comma between the items"},
    {"cannot start with", "put the text into quotation marks"},
    {"invalid escape", "write \\\\ for one backslash, or use single quotation marks"},
};

const char *syntax_advice(const char *words)
{
    for (size_t i = 0; i < sizeof advice / sizeof advice[0]; i++) {
        if (strstr(words, advice[i].words) != NULL) {
            return advice[i].hint;
        }
    }
    return "YAML 1.2 is expected: lines \"key: value\", sections indented with spaces";
}
