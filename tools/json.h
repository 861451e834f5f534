/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json.h - writes one JSON document to a stream, value by value, without allocating.
 *
 *     struct json j;
 *     json_open(&j, stdout);
 *     json_object(&j, NULL);                     {
 *     json_string(&j, "name", "client");           "name": "client",
 *     json_array(&j, "place");                     "place": [
 *     json_number(&j, NULL, 0.1);                    0.1
 *     json_end(&j);                                ]
 *     json_end(&j);                              }
 *     if (json_close(&j) != 0) ...
 *
 * Inside an object every value has a name, inside an array and at the top the name is NULL. A wrong order
 * of calls writes nothing more and is reported by json_close(): a document is correct or refused.
 */
#ifndef FREEFALL_JSON_H
#define FREEFALL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
    FILE *out;
    int depth;                   /* open objects and arrays */
    char open[JSON_DEPTH_MAX];   /* '{' or '[' of each */
    bool filled[JSON_DEPTH_MAX]; /* has it a value already? */
    bool lines[JSON_DEPTH_MAX];  /* has it a value on a line of its own? */
    bool done;                   /* the one value at the top is written */
    int error;                   /* first error, as -errno */
};

void json_open(struct json *j, FILE *out);

/* End the document: 0; -EINVAL when the calls did not make one whole value (then the text is not JSON);
 * -EIO when the stream refused a write. */
int json_close(struct json *j);

void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_end(struct json *j); /* of the innermost object or array */

/* Bytes that are not UTF-8 are written as U+FFFD; NULL as null. */
void json_string(struct json *j, const char *name, const char *value);

/* The fewest digits that read back as the same double; NaN and infinities, which JSON lacks, as null. */
void json_number(struct json *j, const char *name, double value);

void json_integer(struct json *j, const char *name, int64_t value);
void json_bool(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);

#endif
