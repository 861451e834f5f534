/* SPDX-License-Identifier: GPL-3.0-or-later */
/* xml.c - strict reading of a small XML file, on libxml2. */
#include "config/xml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <libxml/SAX2.h>
#include <libxml/parser.h>

#include "config/units.h"

#define BLANKS " \t\r\n"

#if LIBXML_VERSION >= 21200
typedef const xmlError *error_pointer;
#else
typedef xmlErrorPtr error_pointer;
#endif

/* Called by the library for what it finds wrong. The first error is the cause, the rest often
 * its consequence. */
static void on_error(void *context, error_pointer error)
{
    const xmlParserCtxt *parser = context;
    struct errors *errors = parser->_private;
    const char *text = error->message != NULL ? error->message : "unknown cause";

    if (error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE || errors->count > 0) {
        return;
    }
    errors_add(errors, error->line, "not well-formed XML: %.*s", (int)strcspn(text, "\n"), text);
}

/* Called at <!DOCTYPE, before any of its declarations is read: this is where entity bombs and
 * outside files come from. */
static void on_doctype(void *context, const xmlChar *name, const xmlChar *id, const xmlChar *uri)
{
    xmlParserCtxt *parser = context;
    struct errors *errors = parser->_private;

    (void)name;
    (void)id;
    (void)uri;
    if (errors->count == 0) {
        errors_add(errors, parser->input->line,
                   "<!DOCTYPE> and entities are not accepted; remove them");
    }
    xmlStopParser(parser);
}

/* Called at each start tag. The library's own line numbers end at 65535; a node has room for
 * one of ours. */
static void on_element(void *context, const xmlChar *name, const xmlChar *prefix,
                       const xmlChar *uri, int namespaces, const xmlChar **namespace,
                       int attributes, int defaulted, const xmlChar **attribute)
{
    xmlParserCtxt *parser = context;

    xmlSAX2StartElementNs(parser, name, prefix, uri, namespaces, namespace, attributes, defaulted,
                          attribute);
    if (parser->node != NULL) {
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): a number, nobody follows it */
        parser->node->_private = (void *)(intptr_t)parser->input->line;
    }
}

/* What is wrong with the text before it is taken for XML. */
static void check_text(struct errors *errors, const struct source *source)
{
    char what[SOURCE_WHY_MAX];
    const size_t unclean = source_unclean(source->text, source->length, what);

    if (source->length > SOURCE_BYTES_MAX) {
        errors_add(errors, 0, "expected at most 1 MiB (%d B), found %zu B", SOURCE_BYTES_MAX,
                   source->length);
    } else if (unclean < source->length) {
        errors_add(errors, source_place(source, unclean).line, "expected UTF-8 text, found %s",
                   what);
    } else if (strspn(source->text, BLANKS) == source->length) {
        errors_add(errors, 0, "expected XML, found an empty file");
    }
}

int xml_open(struct xml *x, struct errors *errors, const struct source *source)
{
    const int options = XML_PARSE_NONET | XML_PARSE_IGNORE_ENC;
    xmlParserCtxt *parser = NULL;

    *x = (struct xml){.errors = errors};
    check_text(errors, source);
    if (errors->count > 0) {
        return -EINVAL;
    }
    parser = xmlNewParserCtxt();
    if (parser == NULL) {
        errors_add(errors, 0, "cannot be read: %s", strerror(ENOMEM));
        return -EINVAL;
    }
    parser->_private = errors;
    parser->sax->serror = on_error;
    parser->sax->internalSubset = on_doctype;
    parser->sax->startElementNs = on_element;
    x->doc = xmlCtxtReadMemory(parser, source->text, (int)source->length, NULL, "UTF-8", options);
    xmlFreeParserCtxt(parser);
    if (errors->count == 0 && (x->doc == NULL || xmlDocGetRootElement(x->doc) == NULL)) {
        errors_add(errors, 0, "not well-formed XML");
    }
    return errors->count == 0 ? 0 : -EINVAL;
}

void xml_close(struct xml *x)
{
    xmlFreeDoc(x->doc);
    x->doc = NULL;
}

int xml_line(const xmlNode *node)
{
    return (int)(intptr_t)node->_private;
}

void xml_about(struct xml *x, const char *kind, const char *name)
{
    (void)snprintf(x->who, sizeof x->who, "%s \"%s\": ", kind, name);
}

void xml_error(struct xml *x, const xmlNode *at, const char *format, ...)
{
    char text[ERRORS_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    errors_add(x->errors, xml_line(at), "%s%s", x->who, text);
}

/* Not an element, or one with a prefix, declared or not. */
static bool foreign(const xmlNode *node)
{
    return node->type != XML_ELEMENT_NODE || (node->ns != NULL && node->ns->prefix != NULL) ||
           strchr((const char *)node->name, ':') != NULL;
}

/* An element that xacro should have replaced: to pass it over would lose a part of the robot. */
static bool unexpanded(const xmlNode *node)
{
    return node->type == XML_ELEMENT_NODE &&
           ((node->ns != NULL && node->ns->prefix != NULL &&
             strcmp((const char *)node->ns->prefix, "xacro") == 0) ||
            strncmp((const char *)node->name, "xacro:", 6) == 0);
}

static const xmlNode *skip(const xmlNode *node)
{
    while (node != NULL && foreign(node)) {
        node = node->next;
    }
    return node;
}

const xmlNode *xml_first(const xmlNode *parent)
{
    return skip(parent->children);
}

const xmlNode *xml_next(const xmlNode *node)
{
    return skip(node->next);
}

bool xml_is(const xmlNode *node, const char *name)
{
    return strcmp((const char *)node->name, name) == 0;
}

const xmlNode *xml_child(struct xml *x, const xmlNode *parent, const char *name)
{
    const xmlNode *found = NULL;

    for (const xmlNode *n = xml_first(parent); n != NULL; n = xml_next(n)) {
        if (xml_is(n, name) && found != NULL) {
            xml_error(x, n, "second <%s>; expected one", name);
        } else if (xml_is(n, name)) {
            found = n;
        }
    }
    return found;
}

/* Is it one of the words, separated by single blanks? */
static bool among(const char *words, const char *word)
{
    const size_t n = strlen(word);

    for (const char *w = words; *w != '\0'; w += strspn(w, " ")) {
        const size_t length = strcspn(w, " ");

        if (length == n && strncmp(w, word, n) == 0) {
            return true;
        }
        w += length;
    }
    return false;
}

void xml_only(struct xml *x, const xmlNode *node, const char *attributes, const char *elements)
{
    const char *name = (const char *)node->name;

    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        if (a->ns == NULL && !among(attributes, (const char *)a->name)) {
            xml_error(x, node, "unknown attribute \"%.40s\" of <%.40s>; expected %s",
                      (const char *)a->name, name, attributes[0] != '\0' ? attributes : "none");
        }
    }
    for (const xmlNode *n = node->children; n != NULL; n = n->next) {
        if (unexpanded(n)) {
            xml_error(x, n, "xacro is not expanded here; run xacro on the file first");
        } else if (!foreign(n) && !among(elements, (const char *)n->name)) {
            xml_error(x, n, "unknown element <%.40s> in <%.40s>; expected %s",
                      (const char *)n->name, name, elements[0] != '\0' ? elements : "none");
        }
    }
}

/* Without entities the content of an attribute or of a simple element is one text node, or
 * nothing. */
static const char *only_text(const xmlNode *child)
{
    if (child == NULL) {
        return "";
    }
    return child->type == XML_TEXT_NODE && child->next == NULL ? (const char *)child->content
                                                               : NULL;
}

const char *xml_optional(struct xml *x, const xmlNode *node, const char *attribute)
{
    const char *text = NULL;

    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        if (a->ns == NULL && strcmp((const char *)a->name, attribute) == 0) {
            text = only_text(a->children);
            if (text == NULL) {
                xml_error(x, node, "attribute \"%s\": entities are not accepted", attribute);
            }
        }
    }
    return text;
}

const char *xml_required(struct xml *x, const xmlNode *node, const char *attribute)
{
    const char *text = xml_optional(x, node, attribute);

    if (text == NULL) {
        xml_error(x, node, "<%s> without attribute \"%s\"", (const char *)node->name, attribute);
    }
    return text;
}

/* Words separated by blanks. */
static int count_words(const char *text)
{
    int n = 0;

    for (text += strspn(text, BLANKS); *text != '\0'; text += strspn(text, BLANKS)) {
        text += strcspn(text, BLANKS);
        n++;
    }
    return n;
}

/* What was expected where the text begins, if not this number; else NULL, and the length of
 * the number. */
static const char *read_number(const char *text, size_t *used, double *number)
{
    switch (units_number(text, used, number)) {
    case UNITS_FINE:
        return strchr(BLANKS, text[*used]) != NULL ? NULL : "a decimal number";
    case UNITS_NOT_FINITE:
        return "a finite number";
    case UNITS_TOO_LARGE:
        return "a number below 1.8e308";
    case UNITS_TOO_SMALL:
        return "zero or a number above 2.3e-308";
    case UNITS_COMMA:
        return "a decimal point, not a comma";
    default:
        return "a decimal number";
    }
}

/* n numbers from the text of an attribute, or of the element itself if attribute is "". */
static bool read_numbers(struct xml *x, const xmlNode *node, const char *attribute,
                         const char *text, double *number, int n)
{
    const char *name = (const char *)node->name;
    const char *rest = text;
    const char *expected = NULL;
    size_t used = 0;

    if (count_words(text) != n) {
        xml_error(x, node, "<%s>%s: expected %d number%s, found \"%.40s\"", name, attribute, n,
                  n == 1 ? "" : "s", text);
        return false;
    }
    for (int i = 0; i < n && expected == NULL; i++, rest += used) {
        rest += strspn(rest, BLANKS);
        expected = read_number(rest, &used, &number[i]);
    }
    if (expected != NULL) {
        xml_error(x, node, "<%s>%s: expected %s, found \"%.40s\"", name, attribute, expected, text);
    }
    return expected == NULL;
}

bool xml_numbers(struct xml *x, const xmlNode *node, const char *attribute, bool required,
                 double *number, int n)
{
    const char *text =
        required ? xml_required(x, node, attribute) : xml_optional(x, node, attribute);
    char label[32];

    (void)snprintf(label, sizeof label, " %s", attribute);
    return text != NULL ? read_numbers(x, node, label, text, number, n) : !required;
}

bool xml_content(struct xml *x, const xmlNode *node, double *number)
{
    const char *text = only_text(node->children);

    return read_numbers(x, node, "", text != NULL ? text : "", number, 1);
}
