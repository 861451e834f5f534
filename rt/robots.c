/* SPDX-License-Identifier: GPL-3.0-or-later */
/* robots.c - see robots.h. */
#include "rt/robots.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "drivers/udp.h"

static double number(const struct config *c, const char *key, int i)
{
    return config_item(c, key, i)->value.number[0];
}

static int64_t integer(const struct config *c, const char *key, int i)
{
    return config_item(c, key, i)->value.integer;
}

static const char *text(const struct config *c, const char *key, int i)
{
    return config_item(c, key, i)->value.text;
}

static void name(char out[static RSI_NAME_MAX], const char *value)
{
    snprintf(out, RSI_NAME_MAX, "%.32s", value);
}

static int64_t nanoseconds(double s)
{
    return (int64_t)floor(1e9 * s + 0.5);
}

/* Six names separated by blanks; none leaves them as they are. */
static bool channels(struct rsi_tags *t, const char *list)
{
    int n = 0;

    while (*list != '\0') {
        const size_t length = strcspn(list, " ");

        if (length > 0 && (n == 6 || length >= RSI_NAME_MAX)) {
            return false;
        }
        if (length > 0) {
            snprintf(t->channel[n++], RSI_NAME_MAX, "%.*s", (int)length, list);
        }
        list += length;
        list += *list == ' ';
    }
    return n == 0 || n == 6;
}

static void tags(struct rsi_tags *t, const struct config *c, int i)
{
    const char *correction = text(c, "robots.links[].correction", i);

    name(t->root, text(c, "robots.links[].root_tag", i));
    name(t->answer, text(c, "robots.links[].answer_tag", i));
    name(t->type, text(c, "robots.links[].sentype", i));
    name(t->pose, text(c, "robots.links[].pose_tag", i));
    name(t->axes, text(c, "robots.links[].axes_tag", i));
    name(t->delay, text(c, "robots.links[].delay_tag", i));
    name(t->ipoc, text(c, "robots.links[].ipoc_tag", i));
    name(t->stop, text(c, "robots.links[].stop_tag", i));
    name(t->text, text(c, "robots.links[].text_tag", i));
    name(t->message, text(c, "robots.links[].text", i));
    if (correction[0] != '\0') {
        name(t->correction, correction);
    }
}

static void limits(struct rsi_model *m, const struct config *c, int i)
{
    const double box = number(c, "robots.links[].box", i),
                 turn = number(c, "robots.links[].turn_box", i);
    const struct limiter_channel linear = {number(c, "robots.links[].step", i),
                                           number(c, "robots.links[].speed", i),
                                           number(c, "robots.links[].acceleration", i),
                                           number(c, "robots.links[].jerk", i),
                                           -box,
                                           box};
    const struct limiter_channel angular = {number(c, "robots.links[].turn_step", i),
                                            number(c, "robots.links[].turn_speed", i),
                                            number(c, "robots.links[].turn_acceleration", i),
                                            number(c, "robots.links[].turn_jerk", i),
                                            -turn,
                                            turn};

    for (int k = 0; k < 6; k++) {
        m->limiter.channel[k] = m->kind == RSI_POSE && k < 3 ? linear : angular;
    }
    m->limiter.dt_s = 1e-9 * (double)m->cycle_ns;
    m->tracking_m = number(c, "robots.links[].tracking", i);
    m->tracking_rad = number(c, "robots.links[].tracking_turn", i);
}

/* False with the reason. */
static bool one(struct rsi_link_model *m, const struct config *c, int i, char why[static 160])
{
    const char *source = text(c, "robots.links[].source", i);
    uint32_t address;

    memset(m, 0, sizeof *m);
    rsi_model_default(&m->rsi,
                      strcmp(text(c, "robots.links[].kind", i), "axes") == 0 ? RSI_AXES : RSI_POSE);
    m->rsi.cycle_ns = nanoseconds(number(c, "robots.links[].cycle", i));
    m->rsi.decimals = (int)integer(c, "robots.links[].decimals", i);
    m->rsi.loop_delay_ns = nanoseconds(number(c, "robots.links[].loop_delay", i));
    m->rsi.sample_delay_ns = nanoseconds(number(c, "robots.links[].sample_delay", i));
    tags(&m->rsi.tags, c, i);
    limits(&m->rsi, c, i);
    snprintf(m->name, sizeof m->name, "%.15s", text(c, "robots.links[].name", i));
    snprintf(m->address, sizeof m->address, "%.15s", text(c, "robots.links[].address", i));
    m->port = (uint16_t)integer(c, "robots.links[].port", i);
    m->timeout = (int)integer(c, "robots.links[].timeout", i);
    m->priority = (int)config_integer(c, "rt.rsi_priority");
    m->cpu = (int)config_integer(c, "rt.cpu");
    if (!udp_address(m->address, &address) ||
        (source[0] != '\0' && !udp_address(source, &m->source))) {
        snprintf(why, 160, "address: expected four numbers as 192.168.10.2, found \"%.20s\"",
                 udp_address(m->address, &address) ? source : m->address);
        return false;
    }
    if (!channels(&m->rsi.tags, text(c, "robots.links[].channels", i))) {
        snprintf(why, 160, "channels: expected six names as \"X Y Z A B C\", or none");
        return false;
    }
    return rsi_model_init(&m->rsi, why) == 0;
}

int robots_models(struct rsi_link_model models[static ROBOTS_MAX], const struct config *c,
                  FILE *messages)
{
    const int count = config_count(c, "robots.links");
    char why[160];

    for (int i = 0; i < count && i < ROBOTS_MAX; i++) {
        if (!one(&models[i], c, i, why)) {
            fprintf(messages, "%s:%d: error: robots.links[%d]: %s\n", c->store.file,
                    config_item(c, "robots.links[].name", i)->line, i, why);
            return -EINVAL;
        }
    }
    if (count == 2 &&
        (strcmp(models[0].name, models[1].name) == 0 ||
         (models[0].port == models[1].port && strcmp(models[0].address, models[1].address) == 0))) {
        fprintf(messages,
                "%s: error: robots.links: expected two robots with different names and ports, "
                "found %s twice\n",
                c->store.file,
                strcmp(models[0].name, models[1].name) == 0 ? models[0].name : "the same port");
        return -EINVAL;
    }
    return count;
}
