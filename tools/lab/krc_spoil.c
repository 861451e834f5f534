/* SPDX-License-Identifier: GPL-3.0-or-later */
/* krc_spoil.c - telegrams no robot should send: each kind must be left without an answer. */
#include <stdio.h>
#include <string.h>

#include "tools/lab/krc.h"

const char *krc_spoil_name(int kind)
{
    static const char *const names[KRC_SPOILS] = {
        "cut",     "letters", "nan",      "inf",     "no root end",   "random bytes", "4000 digits",
        "doubled", "empty",   "300 tags", "no IPOC", "negative IPOC", "comma",        "DOCTYPE"};

    return kind >= 0 && kind < KRC_SPOILS ? names[kind] : "?";
}

/* Put `with` where the first number of the element `of` stands, which is cut out. */
static int replace(char *out, const char *good, int n, const char *of, char ends, const char *with)
{
    const char *at = strstr(good, of);
    const char *rest = at ? strchr(at + strlen(of), ends) : NULL;

    if (!rest) {
        return snprintf(out, KRC_TELEGRAM_MAX, "%.*s", n, good);
    }
    at += strlen(of);
    return snprintf(out, KRC_TELEGRAM_MAX, "%.*s%s%s", (int)(at - good), good, with, rest);
}

static int long_number(char *out, const char *good, int n)
{
    char digits[4001];

    memset(digits, '7', 4000);
    digits[4000] = '\0';
    return replace(out, good, n, " A1=\"", '"', digits);
}

static int nested(char *out, const char *good, int n)
{
    const char *at = strstr(good, "<Delay");
    int used = snprintf(out, KRC_TELEGRAM_MAX, "%.*s", at ? (int)(at - good) : n, good);

    for (int i = 0; i < 300; i++) {
        used += snprintf(out + used, (size_t)(KRC_TELEGRAM_MAX - used), "<a>");
    }
    for (int i = 0; i < 300; i++) {
        used += snprintf(out + used, (size_t)(KRC_TELEGRAM_MAX - used), "</a>");
    }
    return used + snprintf(out + used, (size_t)(KRC_TELEGRAM_MAX - used), "%s", at ? at : "");
}

static int noise(char *out, int n, uint64_t random)
{
    for (int i = 0; i < n; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        out[i] = (char)(random >> 56);
    }
    return n;
}

int krc_spoil(char out[static KRC_TELEGRAM_MAX], const char *good, int n, int kind, uint64_t random)
{
    char text[KRC_TELEGRAM_MAX];

    snprintf(text, sizeof text, "%.*s", n, good);
    switch (kind) {
    case 0:
        return snprintf(out, KRC_TELEGRAM_MAX, "%.*s", 1 + (int)(random % (uint64_t)(n - 2)), text);
    case 1:
        return replace(out, text, n, " A1=\"", '"', "twelve");
    case 2:
        return replace(out, text, n, " A1=\"", '"', "nan");
    case 3:
        return replace(out, text, n, " A1=\"", '"', "-inf");
    case 4:
        return replace(out, text, n, "</IPOC>", '>', "<Rob");
    case 5:
        return noise(out, n, random);
    case 6:
        return long_number(out, text, n);
    case 7:
        return replace(out, text, n, " A1=\"", '"', "1.0\" A1=\"1.0");
    case 8:
        return 0;
    case 9:
        return nested(out, text, n);
    case 10: {
        const char *at = strstr(text, "<IPOC>");

        return snprintf(out, KRC_TELEGRAM_MAX, "%.*s</Rob>", at ? (int)(at - text) : n, text);
    }
    case 11:
        return replace(out, text, n, "<IPOC>", '<', "-1234");
    case 12:
        return replace(out, text, n, " A1=\"", '"', "1,25");
    default:
        return snprintf(out, KRC_TELEGRAM_MAX, "<!DOCTYPE Rob [<!ENTITY a \"1\">]>%s", text);
    }
}
