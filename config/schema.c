/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.c - every key a configuration file may contain, one row each, and the search among
 * them. */
#include "config/schema.h"

#include <stdio.h>
#include <string.h>

/* Short names inside the table, so that a key is one line. */
#define NUMBER   SCHEMA_NUMBER
#define INERTIA  SCHEMA_INERTIA
#define INTEGER  SCHEMA_INTEGER
#define CODE     SCHEMA_CODE
#define FLAG     SCHEMA_FLAG
#define WORD     SCHEMA_WORD
#define NAME     SCHEMA_NAME
#define TEXT     SCHEMA_TEXT
#define PATH     SCHEMA_PATH
#define LIST     SCHEMA_LIST
#define OPTIONAL SCHEMA_OPTIONAL
#define REQUIRED SCHEMA_REQUIRED

/* clang-format off */
static const struct schema_row table[] = {
    /* key, type, need, size, units or words, default (required: example), least, greatest, help */
    {"name",                   NAME,    REQUIRED, 1, "",                   "envisat",     1,   63,           "name of the scenario; its runs are kept in folders <time>-<name>"},
    {"description",            TEXT,    OPTIONAL, 1, "",                   "",            0,   250,          "what the scenario shows, for reports"},

    {"rt.period",              NUMBER,  OPTIONAL, 1, "ms us",              "1 ms",        0.1, 10,           "length of a control cycle"},
    {"rt.priority",            INTEGER, OPTIONAL, 1, "",                   "80",          1,   98,           "SCHED_FIFO priority of the cyclic thread"},
    {"rt.rsi_priority",        INTEGER, OPTIONAL, 1, "",                   "85",          1,   98,           "SCHED_FIFO priority of the threads that answer the robots"},
    {"rt.cpu",                 INTEGER, OPTIONAL, 1, "",                   "1",           0,   1023,         "processor of the real-time threads"},
    {"rt.helper_cpu",          INTEGER, OPTIONAL, 1, "",                   "0",           0,   1023,         "processor of everything else"},
    {"rt.overrun",             WORD,    OPTIONAL, 1, "skip catch_up_once", "skip",        0,   0,            "what happens to cycles that were missed"},
    {"rt.lock_memory",         FLAG,    OPTIONAL, 1, "",                   "true",        0,   0,            "lock all memory before the first cycle"},

    {"log.folder",             PATH,    OPTIONAL, 1, "",                   "runs",        1,   200,          "folder of the runs, from the working directory"},
    {"log.ring",               NUMBER,  OPTIONAL, 1, "s ms",               "4 s",         1,   60,           "time the ring between cycle and log writer can hold"},

    {"bus.interface",          NAME,    OPTIONAL, 1, "",                   "",            0,   15,           "network interface of the EtherCAT segment; empty for none"},
    {"bus.devices",            LIST,    OPTIONAL, 1, "",                   "",            0,   63,           "devices expected on the segment, in the order of the wire"},
    {"bus.devices[].name",     NAME,    REQUIRED, 1, "",                   "servicer_ft", 1,   31,           "name of the device in messages and logs"},
    {"bus.devices[].vendor",   CODE,    REQUIRED, 1, "",                   "0x00000732",  1,   0xffffffff,   "vendor code"},
    {"bus.devices[].product",  CODE,    REQUIRED, 1, "",                   "0x26483053",  0,   0xffffffff,   "product code"},
    {"bus.devices[].type",     WORD,    OPTIONAL, 1, "auto coupler di8 di4 do8 do4 ft-axia ft-bota drive airboard bridge", "auto", 0, 0, "kind of device: what its bytes mean; auto takes it from vendor and product"},
    {"bus.devices[].serial",   INTEGER, OPTIONAL, 1, "",                   "0",           0,   4294967295.0, "serial number; 0 for any"},
    {"bus.devices[].revision", CODE,    REQUIRED, 1, "",                   "0x00000001",  0,   0xffffffff,   "revision"},

    {"client.mass",            NUMBER,  REQUIRED, 1, "kg t",               "7800 kg",     10,  1e6,          "mass of the client satellite"},
    {"client.inertia",         INERTIA, REQUIRED, 9, "kgm2",               "17000 0 0 0 125000 0 0 0 129000 kgm2", -1e9, 1e9,          "inertia of the client about its centre of mass, body axes, row by row"},
    {"client.velocity",        NUMBER,  OPTIONAL, 3, "m/s mm/s",           "0 0 0 m/s",   -10, 10,           "velocity of the client's centre of mass at the start, body axes"},
    {"client.rate",            NUMBER,  OPTIONAL, 3, "deg/s rad/s",        "0 0 0 deg/s", -60, 60,           "angular rate of the client at the start, body axes"},

    {"servicer.mass",          NUMBER,  REQUIRED, 1, "kg t",               "1500 kg",     10,  1e6,          "mass of the servicer's base, without its arm"},
    {"servicer.inertia",       INERTIA, REQUIRED, 9, "kgm2",               "1050 12 -18 12 1090 9 -18 9 880 kgm2", -1e9, 1e9,          "inertia of the servicer's base about its centre of mass, body axes, row by row"},

    {"safety.force",           NUMBER,  REQUIRED, 1, "N kN",               "400 N",       1,   1e4,          "force at a sensor above which the run is stopped"},
    {"safety.torque",          NUMBER,  REQUIRED, 1, "Nm",                 "100 Nm",      0.1, 1e4,          "torque at a sensor above which the run is stopped"},
    {"safety.bus_losses",      INTEGER, OPTIONAL, 1, "",                   "3",           1,   100,          "lost bus cycles in a row after which the arm stops and the robots hold"},
    {"safety.rsi_late",        INTEGER, OPTIONAL, 1, "",                   "2",           0,   100,          "late robot datagrams in a row that are bridged before the robots hold"},
    {"safety.ft_stale",        INTEGER, OPTIONAL, 1, "",                   "3",           1,   100,          "cycles without a new force sample after which the robots hold"},
    {"safety.ft_frozen",       INTEGER, OPTIONAL, 1, "",                   "50",          2,   10000,        "identical force samples in a row after which the robots hold"},
    {"safety.ft_range",        NUMBER,  OPTIONAL, 1, "%",                  "95 %",        10,  100,          "share of a force sensor's range above which it counts as saturated"},
    {"safety.overruns",        INTEGER, OPTIONAL, 1, "",                   "3",           1,   1000,         "late cycles within overrun_window after which the robots hold"},
    {"safety.overrun_window",  INTEGER, OPTIONAL, 1, "",                   "1000",        1,   1000000,      "cycles over which late ones are counted"},
    {"safety.obsw_late",       INTEGER, OPTIONAL, 1, "",                   "2",           0,   100,          "cycles the on-board software may be late before its command decays and the robots hold"},
    {"safety.log_ring",        NUMBER,  OPTIONAL, 1, "%",                  "90 %",        10,  100,          "filling of the log ring above which the robots hold"},
};
/* clang-format on */

#define DISTANCE_MAX 48 /* longer names are near to nothing */

const struct schema_row *schema_row(int index)
{
    int n = (int)(sizeof table / sizeof table[0]);

    return index >= 0 && index < n ? &table[index] : NULL;
}

int schema_find(const char *key)
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        if (strcmp(row->key, key) == 0) {
            return i;
        }
    }
    return -1;
}

const struct schema_row *schema_list(const struct schema_row *row)
{
    const char *brackets = strstr(row->key, "[]");
    char key[SCHEMA_KEY_MAX];

    if (brackets == NULL) {
        return NULL;
    }
    (void)snprintf(key, sizeof key, "%.*s", (int)(brackets - row->key), row->key);
    return schema_row(schema_find(key));
}

/* The part of a key behind the prefix and its point; NULL if the key is not below it. */
static const char *rest_of(const char *key, const char *prefix)
{
    size_t n = strlen(prefix);

    if (n == 0) {
        return key;
    }
    return strncmp(key, prefix, n) == 0 && key[n] == '.' ? key + n + 1 : NULL;
}

bool schema_below(const struct schema_row *row, const char *prefix)
{
    return rest_of(row->key, prefix) != NULL;
}

bool schema_section(const char *prefix)
{
    int index = 0;
    char name[SCHEMA_KEY_MAX];

    return schema_child(prefix, &index, name);
}

bool schema_child(const char *prefix, int *index, char name[static SCHEMA_KEY_MAX])
{
    const struct schema_row *row = NULL;
    char last[SCHEMA_KEY_MAX] = "";

    if (*index > 0 && rest_of(table[*index - 1].key, prefix) != NULL) {
        const char *rest = rest_of(table[*index - 1].key, prefix);

        (void)snprintf(last, sizeof last, "%.*s", (int)strcspn(rest, ".["), rest);
    }
    while ((row = schema_row((*index)++)) != NULL) {
        const char *rest = rest_of(row->key, prefix);

        if (rest == NULL) {
            continue;
        }
        (void)snprintf(name, SCHEMA_KEY_MAX, "%.*s", (int)strcspn(rest, ".["), rest);
        if (strcmp(name, last) != 0) {
            return true;
        }
    }
    return false;
}

void schema_item(char out[static SCHEMA_ITEM_MAX], const char *key, int item)
{
    const char *brackets = strstr(key, "[]");

    if (brackets == NULL || item < 0) {
        (void)snprintf(out, SCHEMA_ITEM_MAX, "%s", key);
    } else {
        (void)snprintf(out, SCHEMA_ITEM_MAX, "%.*s[%d]%s", (int)(brackets - key), key, item,
                       brackets + 2);
    }
}

void schema_example(char *out, size_t size, const struct schema_row *row, const char *prefix)
{
    const char *value = row->type == SCHEMA_LIST ? "[]"
                        : row->value[0] != '\0'  ? row->value
                                                 : "\"\"";
    const char *name = row->key + (prefix[0] != '\0' ? strlen(prefix) + 1 : 0);
    const char *point = NULL;
    char closing[24] = ""; /* what closes the sections opened so far, innermost first */
    size_t n = 0;

    while ((point = strchr(name, '.')) != NULL && n < size) {
        bool list = point[-1] == ']';
        char outer[sizeof closing];

        n += (size_t)snprintf(out + n, size - n, "%.*s: %s{ ", (int)strcspn(name, ".["), name,
                              list ? "[" : "");
        memcpy(outer, closing, sizeof outer);
        (void)snprintf(closing, sizeof closing, "%s%.16s", list ? " }]" : " }", outer);
        name = point + 1;
    }
    if (n < size) {
        (void)snprintf(out + n, size - n, "%s: %s%s", name, value, closing);
    }
}

static int least_of(int a, int b, int c)
{
    int ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Fewest letters to change, insert, drop or swap to make b of a (optimal string alignment), row
 * by row: d[i][j] is the distance of the first i letters of a from the first j of b; three rows
 * are enough. */
static int distance(const char *a, const char *b)
{
    int row[3][DISTANCE_MAX + 1];
    int na = (int)strlen(a);
    int nb = (int)strlen(b);

    for (int j = 0; j <= nb; j++) {
        row[0][j] = j;
    }
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3];
        const int *before = row[(i + 2) % 3];

        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            now[j] =
                least_of(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = least_of(now[j], row[(i + 1) % 3][j - 2] + 1, now[j]);
            }
        }
    }
    return row[na % 3][nb];
}

bool schema_similar(const char *word, const char *candidate, int *slips)
{
    size_t a = strlen(word);
    size_t b = strlen(candidate);
    int longer = (int)(a > b ? a : b);

    if (a > DISTANCE_MAX || b > DISTANCE_MAX) {
        return false;
    }
    *slips = distance(word, candidate);
    return *slips < longer && *slips <= (longer < 3 ? 1 : longer / 3);
}

/* The same name as the last part of a key somewhere else. */
static bool elsewhere(const char *name, char key[static SCHEMA_KEY_MAX])
{
    const struct schema_row *row = NULL;

    for (int i = 0; (row = schema_row(i)) != NULL; i++) {
        const char *point = strrchr(row->key, '.');

        if (point != NULL && strcmp(point + 1, name) == 0) {
            (void)snprintf(key, SCHEMA_KEY_MAX, "%s", row->key);
            return true;
        }
    }
    return false;
}

/* Split a key at the first name that is not known: the section before it, the name, and what
 * follows. */
static const char *first_unknown(const char *key, char prefix[static SCHEMA_KEY_MAX],
                                 char name[static SCHEMA_KEY_MAX])
{
    const char *rest = key;
    const char *point = NULL;

    prefix[0] = '\0';
    while ((point = strchr(rest, '.')) != NULL) {
        (void)snprintf(name, SCHEMA_KEY_MAX, "%.*s", (int)(point - key), key);
        if (!schema_section(name)) {
            break;
        }
        (void)snprintf(prefix, SCHEMA_KEY_MAX, "%s", name);
        rest = point + 1;
    }
    size_t n = strcspn(rest, ".");

    (void)snprintf(name, SCHEMA_KEY_MAX, "%.*s", (int)n, rest);
    return rest + n;
}

bool schema_nearest(const char *key, char nearest[static SCHEMA_KEY_MAX])
{
    char prefix[SCHEMA_KEY_MAX];
    char name[SCHEMA_KEY_MAX];
    char child[SCHEMA_KEY_MAX];
    char whole[3 * SCHEMA_KEY_MAX];
    const char *rest = first_unknown(key, prefix, name);
    const char *point = prefix[0] != '\0' ? "." : "";
    int index = 0;
    int best = DISTANCE_MAX;
    int slips = 0;

    while (schema_child(prefix, &index, child)) {
        if (!schema_similar(name, child, &slips) || slips >= best) {
            continue;
        }
        best = slips;
        int n = snprintf(whole, sizeof whole, "%s%s%s", prefix, point, child);

        (void)snprintf(whole + n, sizeof whole - (size_t)n, "%s", rest);
        if (schema_find(whole) < 0) {
            whole[n] = '\0';
        }
        (void)snprintf(nearest, SCHEMA_KEY_MAX, "%.*s", SCHEMA_KEY_MAX - 1, whole);
    }
    return best < DISTANCE_MAX || elsewhere(name, nearest);
}

bool schema_word(const char **list, char word[static SCHEMA_KEY_MAX])
{
    const char *begin = *list + strspn(*list, " ");
    size_t n = strcspn(begin, " ");

    (void)snprintf(word, SCHEMA_KEY_MAX, "%.*s", (int)n, begin);
    *list = begin + n;
    return n > 0;
}

void schema_choice(char *out, size_t size, const char *list)
{
    char word[SCHEMA_KEY_MAX];
    char next[SCHEMA_KEY_MAX];
    size_t n = 0;
    bool more = schema_word(&list, next);

    out[0] = '\0';
    while (more && n < size) {
        (void)snprintf(word, sizeof word, "%s", next);
        more = schema_word(&list, next);
        const char *before = n == 0 ? "" : more ? ", " : " or ";

        n += (size_t)snprintf(out + n, size - n, "%s%s", before, word);
    }
}
