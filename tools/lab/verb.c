/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verb.c - see verb.h.
 *
 * The form of the arguments is one letter each: i position of a device, k position of a cable (0: at the master), n
 * number, d decimal number (kept in thousandths), o object, s state, w one of the words of the row, c number of frames
 * or percentage (1 when it is missing), r number of a robot. A number behind '?' may be missing and is then 0.
 */
#include "tools/lab/verb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/lab/al.h"
#include "tools/lab/verb_arm.h"
#include "tools/lab/verb_device.h"
#include "tools/lab/words.h"

#define NOT_CABLE CABLE_KINDS

struct verb {
    struct verb_row row;
    const char *form;
    const char *words; /* for w, separated by spaces: the number of the word is the value */
    enum cable_kind kind;
    int64_t scale; /* cable: value from number[0] */
    verb_device_action *apply, *undo;
};

static const struct verb verbs[] = {
    {{"drop", "[N|P%] [any]", "replies lost"}, "c", NULL, CABLE_DROP, 0, NULL, NULL},
    {{"lose", "[N|P%] [any]", "requests lost: no device sees them"},
     "c",
     NULL,
     CABLE_LOSE,
     0,
     NULL,
     NULL},
    {{"delay", "US [N|P%] [any]", "replies late"}, "nc", NULL, CABLE_DELAY, 1000, NULL, NULL},
    {{"dup", "[N|P%] [any]", "replies twice"}, "c", NULL, CABLE_DUPLICATE, 0, NULL, NULL},
    {{"reorder", "[N|P%] [any]", "replies behind the next one"},
     "c",
     NULL,
     CABLE_REORDER,
     0,
     NULL,
     NULL},
    {{"truncate", "BYTES [N|P%] [any]", "replies cut"}, "nc", NULL, CABLE_TRUNCATE, 1, NULL, NULL},
    {{"flip", "ethertype|length|command|index|address|data|wkc [N|P%] [any]",
      "one bit of replies inverted"},
     "wc",
     "ethertype length command index address data wkc",
     CABLE_FLIP,
     1,
     NULL,
     NULL},
    {{"foreign", "ip|alike [N|P%] [any]", "frames of somebody else before replies"},
     "wc",
     "ip alike",
     CABLE_FOREIGN,
     1,
     NULL,
     NULL},
    {{"stall", "MS", "the lab does not run; then everything at once"},
     "n",
     NULL,
     NOT_CABLE,
     0,
     verb_device_stall,
     NULL},
    {{"wkc", "I N", "device I counts N more, or less"},
     "in",
     NULL,
     NOT_CABLE,
     0,
     verb_device_wkc,
     verb_device_wkc_undo},
    {{"cut", "K", "cable broken behind device K, 0: at the master"},
     "k",
     NULL,
     NOT_CABLE,
     0,
     verb_device_cut,
     verb_device_heal},
    {{"heal", "K", "cable mended"}, "k", NULL, NOT_CABLE, 0, verb_device_heal, NULL},
    {{"power", "I off|on", "power of a device"},
     "iw",
     "off on",
     NOT_CABLE,
     0,
     verb_device_power,
     verb_device_power_undo},
    {{"al", "I STATE CODE", "device falls to a state with an AL status code"},
     "isn",
     NULL,
     NOT_CABLE,
     0,
     verb_device_al,
     NULL},
    {{"wd", "I US", "process data watchdog set to US"},
     "in",
     NULL,
     NOT_CABLE,
     0,
     verb_device_wd,
     NULL},
    {{"dc", "ppm|step|jitter|kill|revive I [PPM|NS]",
      "clock of a device: rate, jump, noise, stopped, running"},
     "wi?d",
     "ppm step jitter kill revive",
     NOT_CABLE,
     0,
     verb_device_dc,
     verb_device_dc_undo},
    {{"emcy", "I CODE REGISTER", "device sends an emergency"},
     "inn",
     NULL,
     NOT_CABLE,
     0,
     verb_device_emcy,
     NULL},
    {{"abort", "I OBJECT CODE", "device refuses an object; code 0: no longer"},
     "ion",
     NULL,
     NOT_CABLE,
     0,
     verb_device_abort,
     verb_device_abort_undo},
    {{"mbx", "I ok|hang|slow [MS]", "mailbox answers, never answers, answers late"},
     "iw?n",
     "ok hang slow",
     NOT_CABLE,
     0,
     verb_device_mbx,
     verb_device_mbx_undo},
    {{"swap", "I J", "two devices change places"},
     "ii",
     NULL,
     NOT_CABLE,
     0,
     verb_device_swap,
     verb_device_swap},
    {{"ident", "I vendor|product|revision|serial|alias VALUE", "another identity"},
     "iwn",
     "vendor product revision serial alias",
     NOT_CABLE,
     0,
     verb_device_ident,
     NULL},
    {{"od", "I OBJECT VALUE", "value of an object"},
     "ion",
     NULL,
     NOT_CABLE,
     0,
     verb_device_od,
     NULL},
    {{"crc", "I PORT N", "N receive errors at a port"},
     "inn",
     NULL,
     NOT_CABLE,
     0,
     verb_device_crc,
     NULL},
    {{"freeze", "I", "inputs stand still while frames go on"},
     "i",
     NULL,
     NOT_CABLE,
     0,
     verb_device_freeze,
     verb_device_thaw},
    {{"thaw", "I", "inputs move again"}, "i", NULL, NOT_CABLE, 0, verb_device_thaw, NULL},
    {{"status", "I BITS", "status bits of a sensor"},
     "in",
     NULL,
     NOT_CABLE,
     0,
     verb_device_status,
     verb_device_status_undo},
    {{"fault", "I CODE", "drive fault"}, "in", NULL, NOT_CABLE, 0, verb_device_fault, NULL},
    {{"contact", "I MASK", "digital inputs inverted"},
     "in",
     NULL,
     NOT_CABLE,
     0,
     verb_device_contact,
     verb_device_contact_undo},
    {{"estop", "close|open", "emergency stop button"},
     "w",
     "close open",
     NOT_CABLE,
     0,
     verb_device_estop,
     verb_device_estop_undo},
    {{"arm", "R SETTING X", "robot R: " VERB_ARM_HELP},
     "rwd",
     ARMS_WORDS,
     NOT_CABLE,
     0,
     verb_arm,
     verb_arm_undo},
};

const struct verb_row *verb_row(int i)
{
    return i >= 0 && i < (int)COUNT_OF(verbs) ? &verbs[i].row : NULL;
}

struct reader {
    struct verb_order *o;
    const struct verb *verb;
    int slaves, arms;
    int positions, numbers;
};

static bool read_argument(struct reader *r, char form, const char *word)
{
    int64_t number = 0;
    bool good;

    switch (form) {
    case 'i':
    case 'k':
        good = words_integer(word, &number) && number >= (form == 'i' ? 1 : 0) &&
               number <= r->slaves - (form == 'i' ? 0 : 1);
        r->o->position[r->positions++] = (int)number;
        return good;
    case 'r':
        good = words_integer(word, &number) && number >= 1 && number <= r->arms;
        r->o->position[r->positions++] = (int)number;
        return good;
    case 'c':
        return words_frames(word, &r->o->frames, &r->o->probability);
    case 'd':
        good = words_decimal(word, &number);
        break;
    case 'o':
        good = words_object(word, &number);
        break;
    case 's':
        number = al_parse(word);
        good = number != 0;
        break;
    case 'w':
        number = words_number(r->verb->words, word);
        good = number >= 0;
        break;
    default:
        good = words_integer(word, &number);
        break;
    }
    r->o->number[r->numbers++] = number;
    return good;
}

static int refuse(char *error, const struct verb *verb, const char *reason, const char *word,
                  int slaves)
{
    snprintf(error, VERB_ERROR_MAX, "%s \"%.20s\"; expected: %s %s (devices 1 to %d)", reason, word,
             verb->row.name, verb->row.arguments, slaves);
    return -EINVAL;
}

static const struct verb *find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        if (strcmp(verbs[i].row.name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

int verb_parse(struct verb_order *o, const struct verb_target *t, char *const *words, int count,
               bool lasting, char error[static VERB_ERROR_MAX])
{
    const struct verb *verb = count > 0 ? find(words[0]) : NULL;
    struct reader r = {o, verb, t->segment->count, t->arms ? t->arms->count : 0, 0, 0};
    const char *form;
    int used = 1;

    if (!verb) {
        snprintf(error, VERB_ERROR_MAX, "unknown fault \"%.20s\"; \"help\" lists them",
                 count > 0 ? words[0] : "");
        return -EINVAL;
    }
    memset(o, 0, sizeof *o);
    o->verb = (int)(verb - verbs);
    o->frames = lasting ? CABLE_FOREVER : 1;
    o->probability = 1;
    o->lasting = lasting;
    if (verb->kind != NOT_CABLE && count > 1 && strcmp(words[count - 1], "any") == 0) {
        o->any = true;
        count--;
    }
    for (form = verb->form; *form; form++) {
        const bool optional = *form == '?' || *form == 'c';

        form += *form == '?';
        if (used >= count && !optional) {
            return refuse(error, verb, "missing argument after", words[count - 1],
                          t->segment->count);
        }
        if (used < count && !read_argument(&r, *form, words[used])) {
            return refuse(error, verb, "not understood:", words[used], t->segment->count);
        }
        used++;
    }
    if (used < count) {
        return refuse(error, verb, "too much:", words[used], t->segment->count);
    }
    if (lasting && verb->kind == NOT_CABLE && !verb->undo) {
        return refuse(error, verb, "a duration has no meaning for", words[0], t->segment->count);
    }
    return 0;
}

void verb_apply(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    const struct verb *verb = &verbs[o->verb];

    if (verb->kind != NOT_CABLE) {
        const uint32_t frames = o->lasting ? CABLE_FOREVER : o->frames;

        cable_set(t->cable, verb->kind, frames, o->probability, o->any, verb->scale * o->number[0]);
    } else {
        verb->apply(o, t, t_ns);
    }
}

void verb_undo(const struct verb_order *o, const struct verb_target *t, int64_t t_ns)
{
    const struct verb *verb = &verbs[o->verb];

    if (verb->kind != NOT_CABLE) {
        cable_set(t->cable, verb->kind, 0, 1, false, 0);
    } else {
        verb->undo(o, t, t_ns);
    }
}
