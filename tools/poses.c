/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poses.c - reading tables of numbers. */
#include "tools/poses.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next field of a line, blanks about it removed; NULL after the last. */
static char *field(char **rest)
{
    char *begin = *rest, *end;

    if (begin == NULL) {
        return NULL;
    }
    end = strchr(begin, ',');
    *rest = end == NULL ? NULL : end + 1;
    if (end != NULL) {
        *end = '\0';
    }
    begin += strspn(begin, " \t\"");
    end = begin + strlen(begin);
    while (end > begin && strchr(" \t\r\n\"", end[-1]) != NULL) {
        *--end = '\0';
    }
    return begin;
}

/* One line that is not empty, without its end; false at the end of the file. */
static int line_of(struct poses *p, char text[static POSES_LINE])
{
    while (fgets(text, POSES_LINE, p->file) != NULL) {
        p->line++;
        if (strchr(text, '\n') == NULL && !feof(p->file)) {
            fprintf(stderr, "%s:%d: error: expected lines below %d characters\n", p->path, p->line,
                    POSES_LINE);
            return -EINVAL;
        }
        if (text[strspn(text, " \t\r\n")] != '\0') {
            return 1;
        }
    }
    if (ferror(p->file)) {
        fprintf(stderr, "%s: error: could not be read: %s\n", p->path, strerror(errno));
        return -EIO;
    }
    return 0;
}

static int read_names(struct poses *p)
{
    char text[POSES_LINE], *rest = text, *word;
    int found = line_of(p, text);

    if (found <= 0) {
        fprintf(stderr,
                "%s: error: expected a first line with the names of the columns, found an "
                "empty file\n",
                p->path);
        return -EINVAL;
    }
    while ((word = field(&rest)) != NULL) {
        for (int i = 0; i < p->wanted; i++) {
            if (strcmp(word, p->name[i]) == 0) {
                p->place[i] = p->columns;
            }
        }
        p->columns++;
    }
    for (int i = 0; i < p->wanted; i++) {
        if (p->place[i] < 0) {
            fprintf(stderr, "%s:%d: error: expected a column \"%s\", found none of this name\n",
                    p->path, p->line, p->name[i]);
            return -EINVAL;
        }
    }
    return 0;
}

int poses_open(struct poses *p, const char *path, const char *const *name)
{
    int code;

    memset(p, 0, sizeof *p);
    p->path = path;
    p->name = name;
    while (name[p->wanted] != NULL && p->wanted < POSES_COLUMNS) {
        p->place[p->wanted++] = -1;
    }
    p->file = fopen(path, "r");
    if (p->file == NULL) {
        code = -errno;
        fprintf(stderr, "%s: error: could not be opened: %s\n", path, strerror(errno));
        return code;
    }
    code = read_names(p);
    if (code != 0) {
        poses_close(p);
    }
    return code;
}

int poses_next(struct poses *p, double *value)
{
    char text[POSES_LINE], *rest = text, *word;
    int column = 0, found = line_of(p, text);

    if (found <= 0) {
        return found;
    }
    for (; (word = field(&rest)) != NULL; column++) {
        char *end;
        const double x = strtod(word, &end);

        for (int i = 0; i < p->wanted; i++) {
            if (p->place[i] != column) {
                continue;
            }
            if (*end != '\0') {
                fprintf(stderr, "%s:%d: error: %s: expected a number, found \"%.40s\"\n", p->path,
                        p->line, p->name[i], word);
                return -EINVAL;
            }
            value[i] = word[0] == '\0' ? (double)NAN : x;
        }
    }
    if (column != p->columns) {
        fprintf(stderr, "%s:%d: error: expected %d columns as in the first line, found %d\n",
                p->path, p->line, p->columns, column);
        return -EINVAL;
    }
    return 1;
}

void poses_close(struct poses *p)
{
    if (p->file != NULL) {
        fclose(p->file);
        p->file = NULL;
    }
}
