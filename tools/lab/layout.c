/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout.c - see layout.h. */
#include "tools/lab/layout.h"

#include <string.h>

#include "model/base.h"

static const struct {
    const char *name, *help, *devices; /* by their kinds, in the order of the wire */
} layouts[] = {
    {"bench12", "coupler, digital I/O, both force/torque sensors, seven drives",
     "coupler di8 do8 ft-axia ft-bota drive drive drive drive drive drive drive"},
    {"planar", "coupler, digital I/O, board of the planar robot", "coupler di8 do8 airboard"},
    {"robots", "coupler and two bridges to industrial robots", "coupler bridge bridge"},
    {"bits", "terminals with fewer than eight bits", "coupler di4 do4 di8 do8 di4 do4"},
    {"one", "a single drive", "drive"},
};

int layout_named(const char *name, struct slave_model models[static SEGMENT_SLAVES_MAX])
{
    int count = 0;

    for (size_t i = 0; i < COUNT_OF(layouts); i++) {
        const char *kind = layouts[i].devices;

        while (strcmp(layouts[i].name, name) == 0 && *kind && count < SEGMENT_SLAVES_MAX) {
            const size_t n = strcspn(kind, " ");
            char word[16];

            snprintf(word, sizeof word, "%.*s", (int)n, kind);
            memset(&models[count], 0, sizeof models[count]);
            models[count].type = devices_find(word);
            models[count].serial = 1000 + (uint32_t)count;
            /* oscillators differ, as real ones do: by some 10 ppm and by when they were switched on */
            models[count].rate_ppb = (count * 7919) % 41000 - 20000;
            models[count].local_ns = 1000000000ll * (count + 1);
            count++;
            kind += n + (kind[n] == ' ');
        }
    }
    layout_channels(models, count);
    return count;
}

const char *layout_name(int i)
{
    return i >= 0 && i < (int)COUNT_OF(layouts) ? layouts[i].name : NULL;
}

const char *layout_help(int i)
{
    return i >= 0 && i < (int)COUNT_OF(layouts) ? layouts[i].help : NULL;
}

/* Both kinds of force sensor measure, both sizes of terminal switch: they share their numbers. */
static int family(const struct device_type *type)
{
    static const struct device_type *const families[][2] = {
        {&device_drive_cia402, NULL}, {&device_ft_axia, &device_ft_bota},
        {&device_di8, &device_di4},   {&device_do8, &device_do4},
        {&device_airboard, NULL},     {&device_bridge, NULL},
    };

    for (int i = 0; i < (int)COUNT_OF(families); i++) {
        if (families[i][0] == type || families[i][1] == type) {
            return i;
        }
    }
    return (int)COUNT_OF(families);
}

void layout_channels(struct slave_model *models, int count)
{
    int next[8] = {0};

    for (int i = 0; i < count; i++) {
        models[i].channel = next[family(models[i].type)]++;
    }
}
