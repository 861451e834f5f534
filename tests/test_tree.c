/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_tree.c - YAML as a bounded tree: what it is, where it stands, what is refused. */
#include "config/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

/* Too large for the stack; made anew for each test. */
static struct fixture {
    struct tree tree;
    struct message_list list;
    struct source source;
} *f;

void setUp(void)
{
    f = calloc(1, sizeof *f);
    TEST_ASSERT_NOT_NULL(f);
}

void tearDown(void)
{
    tree_close(&f->tree);
    free(f);
}

static int read_bytes(const char *text, size_t length)
{
    tree_close(&f->tree);
    f->source = (struct source){.name = "t.yaml", .text = text, .length = length, .file = true};
    f->list = (struct message_list){.source = &f->source};
    return tree_read(&f->tree, &f->source, &f->list);
}

static int read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

/* Refused with exactly one message, at this place, with these words. */
static void refuses(const char *text, int line, int column, const char *words)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(-EINVAL, read_text(text), text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, f->list.count, text);
    struct source_place p = source_place(&f->source, f->list.message[0].at);

    TEST_ASSERT_EQUAL_STRING_MESSAGE(words, f->list.message[0].text, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(line, p.line, text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(column, p.column, text);
    TEST_ASSERT_TRUE_MESSAGE(f->list.message[0].hint[0] != '\0', "every refusal says what to do");
}

/* The source text of a node. */
static void stands_as(const char *wanted, const struct tree_node *n)
{
    TEST_ASSERT_EQUAL_size_t_MESSAGE(strlen(wanted), n->end - n->at, wanted);
    TEST_ASSERT_EQUAL_STRING_LEN(wanted, f->source.text + n->at, strlen(wanted));
}

static const struct tree_node *node(int index)
{
    TEST_ASSERT_TRUE(index >= 0 && index < f->tree.count);
    return &f->tree.node[index];
}

static void test_nodes_know_their_text_and_their_place(void)
{
    TEST_ASSERT_EQUAL_INT(
        0, read_text("\xc3\xa9: 'it''s'\nb: [1 m, \"x\\ty\"]\nc:\n  - d\n  - {e: 5}\n"));
    const struct tree_node *top = node(0);
    const struct tree_node *key = node(top->first);
    const struct tree_node *value = node(key->next);

    TEST_ASSERT_EQUAL_INT(TREE_MAP, top->kind);
    TEST_ASSERT_EQUAL_STRING("\xc3\xa9", key->text);
    stands_as("\xc3\xa9", key);
    TEST_ASSERT_EQUAL_STRING("it's", value->text);
    TEST_ASSERT_EQUAL_INT(TREE_QUOTED, value->style);
    stands_as("'it''s'", value);
    value = node(node(value->next)->next);
    TEST_ASSERT_EQUAL_INT(TREE_LIST, value->kind);
    stands_as("[1 m, \"x\\ty\"]", value);
    TEST_ASSERT_EQUAL_INT(TREE_PLAIN, node(value->first)->style);
    stands_as("1 m", node(value->first));
    TEST_ASSERT_EQUAL_STRING("x\ty", node(node(value->first)->next)->text);
    TEST_ASSERT_EQUAL_INT(-1, node(node(value->first)->next)->next);
    value = node(node(value->next)->next);
    TEST_ASSERT_EQUAL_INT(-1, value->next);
    TEST_ASSERT_EQUAL_STRING("d", node(value->first)->text);
    TEST_ASSERT_EQUAL_INT(3, top->height);
    TEST_ASSERT_EQUAL_INT(f->tree.count, top->all);
}

static void test_plain_lines_fold_and_blocks_keep_theirs(void)
{
    TEST_ASSERT_EQUAL_INT(0, read_text("a: 1 2\n   3 m\nb: |\n  x\n  y\nc: >\n  x\n  y\n"));
    const struct tree_node *value = node(node(node(0)->first)->next);

    TEST_ASSERT_EQUAL_STRING("1 2 3 m", value->text);
    stands_as("1 2\n   3 m", value);
    value = node(node(value->next)->next);
    TEST_ASSERT_EQUAL_STRING("x\ny\n", value->text);
    TEST_ASSERT_EQUAL_INT(TREE_BLOCK, value->style);
    TEST_ASSERT_EQUAL_STRING("x y\n", node(node(value->next)->next)->text);
}

static void test_a_value_that_is_not_there_stands_behind_its_key(void)
{
    TEST_ASSERT_EQUAL_INT(0, read_text("abc:\n"));
    const struct tree_node *value = node(node(node(0)->first)->next);

    TEST_ASSERT_EQUAL_size_t(0, value->length);
    TEST_ASSERT_EQUAL_size_t(4, value->at);
    TEST_ASSERT_EQUAL_size_t(4, value->end);
}

static void test_aliases_lead_to_the_latest_anchor(void)
{
    TEST_ASSERT_EQUAL_INT(0, read_text("a: &x 1\nb: &x 2\nc: *x\n"));
    const struct tree_node *c = node(f->tree.count - 1);

    TEST_ASSERT_EQUAL_INT(TREE_ALIAS, c->kind);
    stands_as("*x", c);
    TEST_ASSERT_EQUAL_STRING("2", tree_target(&f->tree, c)->text);
    TEST_ASSERT_EQUAL_PTR(node(0), tree_target(&f->tree, node(0)));
}

static void test_empty_texts_have_no_nodes_or_one_empty_one(void)
{
    TEST_ASSERT_EQUAL_INT(0, read_text(""));
    TEST_ASSERT_EQUAL_INT(0, f->tree.count);
    TEST_ASSERT_EQUAL_INT(0, read_text("# only a comment\n\n"));
    TEST_ASSERT_EQUAL_INT(0, f->tree.count);
    TEST_ASSERT_EQUAL_INT(0, read_text("---\n"));
    TEST_ASSERT_EQUAL_INT(1, f->tree.count);
    TEST_ASSERT_EQUAL_size_t(0, node(0)->length);
}

static void test_wrong_syntax_is_named_with_its_place(void)
{
    refuses("a:\n\tb: 1\n", 2, 1, "YAML: tab character may not be used as indentation");
    refuses("a:\n   b: 1\n  c: 2\n", 3, 3, "YAML: invalid indentation in mapping");
    refuses("a: b: c\n", 1, 5, "YAML: invalid nested block mapping on the same line");
    refuses("a: \"abc\n", 1, 5, "YAML: double-quoted scalar without closing quote");
    refuses("a: @x\n", 1, 4, "YAML: plain scalar cannot start with '@'");
    refuses("a: [1, 2] m\n", 1, 11, "YAML: invalid value after mapping");
}

static void test_what_could_change_a_meaning_is_refused(void)
{
    refuses("a: !!str 5\n", 1, 4, "expected no tag, found \"!!str\"");
    refuses("a: !x {}\n", 1, 4, "expected no tag, found \"!x\"");
    refuses("%YAML 1.1\n---\na: 1\n", 1, 1, "expected no directive, found one");
    refuses("a: 1\n---\nb: 2\n", 2, 1, "expected one YAML document, found a second");
    refuses("a: 1\n...\nb: 2\n", 1, 5, "expected one YAML document, found a second");
}

static void test_text_must_be_clean(void)
{
    refuses("a: \xff\n", 1, 4, "expected UTF-8 text, found the byte 0xff, which is not UTF-8");
    refuses("a: \033[0m\n", 1, 4, "expected UTF-8 text, found the control character U+001B");
    refuses("a: \"\\e[0m\"\n", 1, 4, "expected a text, found the control character U+001B in it");
    TEST_ASSERT_EQUAL_INT(-EINVAL, read_bytes("a: \0b\n", 6));
    TEST_ASSERT_EQUAL_STRING("expected UTF-8 text, found the control character U+0000",
                             f->list.message[0].text);
    TEST_ASSERT_EQUAL_INT(-EINVAL, read_text("a: \"x\\0y\"\n"));
    TEST_ASSERT_EQUAL_STRING("expected a text, found the control character U+0000 in it",
                             f->list.message[0].text);
}

/* libfyaml 0.7 leaks on five '' in a row: the sanitizers see it if the refusal is taken away. */
static void test_rows_of_quotation_marks_are_refused(void)
{
    TEST_ASSERT_EQUAL_INT(0, read_text("a: ''''''''''\nb: 'x'\n"));
    TEST_ASSERT_EQUAL_STRING("''''", node(node(node(0)->first)->next)->text);
    refuses("a: ''''''''''''\n", 1, 5,
            "expected a text, found a row of single quotation marks in it");
    refuses("'x''''''''''y': 1\n", 1, 3,
            "expected a text, found a row of single quotation marks in it");
    TEST_ASSERT_EQUAL_INT(0, read_text("a: \"''''''''''''\"\n"));
}

static void test_depth_is_bounded_also_through_aliases(void)
{
    TEST_ASSERT_EQUAL_INT(0, read_text("[[[[[[[[1]]]]]]]]"));
    refuses("[[[[[[[[[1]]]]]]]]]", 1, 9,
            "expected at most 8 maps and lists inside each other, found more");
    TEST_ASSERT_EQUAL_INT(0, read_text("a: &x [[[[1]]]]\nb: [[[*x]]]\n"));
    refuses("a: &x [[[[1]]]]\nb: [[[[*x]]]]\n", 2, 8,
            "expected at most 8 maps and lists inside each other, found more");
    refuses("a: &x [[[[1]]]]\nb: &y [[[*x]]]\nc: [*y]\n", 3, 5,
            "expected at most 8 maps and lists inside each other, found more");
}

static void test_an_alias_needs_a_finished_anchor(void)
{
    refuses("a: *x\n", 1, 4, "alias *x: expected an anchor &x before it, found none");
    refuses("a: *x\nb: &x 1\n", 1, 4, "alias *x: expected an anchor &x before it, found none");
    refuses("a: &x [1, *x]\n", 1, 11,
            "alias *x: expected an anchor &x before it, found one around it");
}

/* Nine lines of ten aliases each would be 10^9 values. They are counted, never written out. */
static void test_alias_bombs_are_counted_before_they_go_off(void)
{
    char text[4096] = "a0: &a0 x\n";

    for (int level = 1; level <= 9; level++) {
        size_t n = strlen(text);

        n += (size_t)snprintf(text + n, sizeof text - n, "a%d: &a%d {", level, level);
        for (int i = 0; i < 10; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "k%d: *a%d, ", i, level - 1);
        }
        (void)snprintf(text + n, sizeof text - n, "}\n");
    }
    TEST_ASSERT_EQUAL_INT(-EINVAL, read_text(text));
    TEST_ASSERT_EQUAL_INT(1, f->list.count);
    TEST_ASSERT_EQUAL_STRING(
        "expected at most 10000 values with all aliases written out, found more",
        f->list.message[0].text);
    TEST_ASSERT_EQUAL_INT(5, source_place(&f->source, f->list.message[0].at).line);
    TEST_ASSERT_LESS_THAN_INT(200, f->tree.count);
}

static void test_the_number_of_nodes_is_bounded(void)
{
    size_t n = (TREE_NODES_MAX + 10) * 2;
    char *text = malloc(n + 1);

    TEST_ASSERT_NOT_NULL(text);
    for (size_t i = 0; i < n; i += 2) {
        memcpy(text + i, i == 0 ? "[1" : ",1", 2);
    }
    text[n] = '\0';
    int error = read_bytes(text, n);

    TEST_ASSERT_EQUAL_INT(-EINVAL, error);
    TEST_ASSERT_EQUAL_STRING("expected at most 4096 keys and values, found more",
                             f->list.message[0].text);
    /* brackets are counted before the parser, which would read all of them ahead, sees one */
    memset(text, '[', n);
    TEST_ASSERT_EQUAL_INT(-EINVAL, read_bytes(text, n));
    TEST_ASSERT_EQUAL_STRING("expected at most 4096 keys and values, found more",
                             f->list.message[0].text);
    TEST_ASSERT_EQUAL_INT(0, f->tree.count);
    free(text);
}

/* Texts of 1 MiB made of one thing, in one line and in many: none may crash, leak, or take so
 * long that the test program is ended. Those that took a parser long or made it leak are among
 * them. */
static void fill(char *text, const char *brick, size_t line)
{
    size_t n = strlen(brick);

    for (size_t at = 0; at < SOURCE_BYTES_MAX; at++) {
        text[at] = (char)(at % line == line - 1 ? '\n' : brick[at % line % n]);
    }
    text[SOURCE_BYTES_MAX] = '\0';
}

static void test_a_mebibyte_of_anything_ends(void)
{
    static const char *const bricks[] = {
        "[",   "{",   "- ",   "? ",           "a: ",        "&a ",  "*a ",       "!",
        "#",   "\n",  " ",    "\t",           "---\n",      "a",    "\"",        "'",
        "''a", "| ",  "%a\n", "%TAG !a! b\n", "[{",         "[a: ", ": ",        ",",
        "]",   "[],", "\r",   "\xef\xbb\xbf", "a: |\n b\n", "\\",   "a: &b 1\n", "\"\\n"};
    static const size_t lines[] = {SOURCE_BYTES_MAX + 1, 80};
    char *text = malloc(SOURCE_BYTES_MAX + 1);

    TEST_ASSERT_NOT_NULL(text);
    for (size_t i = 0; i < sizeof bricks / sizeof bricks[0] * 2; i++) {
        fill(text, bricks[i / 2], lines[i % 2]);
        int error = read_bytes(text, SOURCE_BYTES_MAX);

        TEST_ASSERT_TRUE_MESSAGE(error == 0 || (error == -EINVAL && f->list.count == 1),
                                 bricks[i / 2]);
        TEST_ASSERT_TRUE_MESSAGE(error != 0 || f->tree.count <= 1, bricks[i / 2]);
    }
    free(text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_nodes_know_their_text_and_their_place);
    RUN_TEST(test_plain_lines_fold_and_blocks_keep_theirs);
    RUN_TEST(test_a_value_that_is_not_there_stands_behind_its_key);
    RUN_TEST(test_aliases_lead_to_the_latest_anchor);
    RUN_TEST(test_empty_texts_have_no_nodes_or_one_empty_one);
    RUN_TEST(test_wrong_syntax_is_named_with_its_place);
    RUN_TEST(test_what_could_change_a_meaning_is_refused);
    RUN_TEST(test_text_must_be_clean);
    RUN_TEST(test_rows_of_quotation_marks_are_refused);
    RUN_TEST(test_depth_is_bounded_also_through_aliases);
    RUN_TEST(test_an_alias_needs_a_finished_anchor);
    RUN_TEST(test_alias_bombs_are_counted_before_they_go_off);
    RUN_TEST(test_the_number_of_nodes_is_bounded);
    RUN_TEST(test_a_mebibyte_of_anything_ends);
    return UNITY_END();
}
