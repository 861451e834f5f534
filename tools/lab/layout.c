/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout.c - see layout.h. */
#include "tools/lab/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
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

/* Oscillators differ, as real ones do: by some 10 ppm, and by when they were switched on. */
static void oscillator(struct slave_model *model, int i)
{
    model->rate_ppb = (i * 7919) % 41000 - 20000;
    model->local_ns = 1000000000ll * (i + 1);
}

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
            oscillator(&models[count], count);
            count++;
            kind += n + (kind[n] == ' ');
        }
    }
    layout_channels(models, count);
    return count;
}

static const struct device_type *by_identity(uint32_t vendor, uint32_t product)
{
    for (int i = 0; i < devices_count(); i++) {
        if (devices_type(i)->vendor == vendor && devices_type(i)->product == product) {
            return devices_type(i);
        }
    }
    return NULL;
}

/* One device of the list; false when nothing here can simulate it. */
static bool from_config(struct slave_model *model, const struct config *c, int i, const char *path,
                        FILE *messages)
{
    const char *type = config_item(c, "bus.devices[].type", i)->value.text;

    memset(model, 0, sizeof *model);
    model->vendor = (uint32_t)config_item(c, "bus.devices[].vendor", i)->value.integer;
    model->product = (uint32_t)config_item(c, "bus.devices[].product", i)->value.integer;
    model->revision = (uint32_t)config_item(c, "bus.devices[].revision", i)->value.integer;
    model->serial = (uint32_t)config_item(c, "bus.devices[].serial", i)->value.integer;
    model->type =
        strcmp(type, "auto") == 0 ? by_identity(model->vendor, model->product) : devices_find(type);
    oscillator(model, i);
    if (!model->type) {
        fprintf(messages,
                "%s:%d: error: bus.devices[%d]: expected a vendor and product code the lab can "
                "simulate, found "
                "0x%08" PRIx32 ":0x%08" PRIx32 "; write type: drive, ft-axia, ... to choose\n",
                path, config_item(c, "bus.devices[].product", i)->line, i, model->vendor,
                model->product);
        return false;
    }
    return true;
}

int layout_file(const char *path, struct slave_model models[static SEGMENT_SLAVES_MAX],
                FILE *messages)
{
    struct config *c = (struct config *)calloc(1, sizeof *c);
    int count = c ? config_read(c, path, messages) : -ENOMEM;
    bool good = count == 0;

    if (good) {
        count = config_count(c, "bus.devices");
        if (count == 0) {
            fprintf(messages, "%s: error: bus.devices: expected at least one device, found none\n",
                    path);
        }
        good = count > 0 && count <= SEGMENT_SLAVES_MAX;
        for (int i = 0; good && i < count; i++) {
            good = from_config(&models[i], c, i, path, messages);
        }
        count = good ? count : -EINVAL;
    }
    if (good) {
        layout_channels(models, count);
    }
    free(c);
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
