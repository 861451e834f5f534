/* SPDX-License-Identifier: GPL-3.0-or-later */
/* xml.h - strict reading of a small XML file: every element, attribute and number is what it
 * should be, or an error with its line.
 *
 * The file is data from anywhere: at most 1 MiB, UTF-8, no document type (and so no entities),
 * nothing is fetched, and the library prints nothing. Elements and attributes of foreign
 * namespaces belong to other programs and are passed over.
 */
#ifndef FREEFALL_XML_H
#define FREEFALL_XML_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "config/errors.h"
#include "config/source.h"

#define XML_WHO_MAX 96

struct xml {
    xmlDoc *doc; /* NULL until read */
    struct errors *errors;
    char who[XML_WHO_MAX]; /* begins each message: link "wrist" */
};

/* Read the text. 0, or -EINVAL after an error was added. Close in both cases. */
int xml_open(struct xml *x, struct errors *errors, const struct source *source);
void xml_close(struct xml *x);

/* An error at the line of the element. */
__attribute__((format(printf, 3, 4))) void xml_error(struct xml *x, const xmlNode *at,
                                                     const char *format, ...);

/* Messages from here on are about this thing. */
void xml_about(struct xml *x, const char *kind, const char *name);

int xml_line(const xmlNode *node);

/* First element inside, next element beside; those of foreign namespaces are left out. NULL at
 * the end. */
const xmlNode *xml_first(const xmlNode *parent);
const xmlNode *xml_next(const xmlNode *node);
bool xml_is(const xmlNode *node, const char *name);

/* The element of this name inside: NULL if there is none; an error if there are two. */
const xmlNode *xml_child(struct xml *x, const xmlNode *parent, const char *name);

/* Complain of every attribute and every element inside that is not among the words (separated
 * by blanks). */
void xml_only(struct xml *x, const xmlNode *node, const char *attributes, const char *elements);

/* The text of an attribute; NULL if it is absent (an error for xml_required()). Lives as long
 * as the document. */
const char *xml_optional(struct xml *x, const xmlNode *node, const char *attribute);
const char *xml_required(struct xml *x, const xmlNode *node, const char *attribute);

/* n decimal numbers separated by blanks. An absent attribute leaves them as they are and is an
 * error only if required. False after an error. */
bool xml_numbers(struct xml *x, const xmlNode *node, const char *attribute, bool required,
                 double *number, int n);

/* The one number that is the content of the element. False after an error. */
bool xml_content(struct xml *x, const xmlNode *node, double *number);

#endif
