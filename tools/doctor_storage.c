/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor_storage.c - checks of the disk runs are written to, and of tracing. */
#include "tools/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_PERIOD_MS 250 /* a chunk of the log is written this often */
#define RATE_MIN        5.0 /* MB/s: eight times what a run writes */
#define SPACE_MIN_GIB   20  /* an eight-hour run, 0.63 MB/s */

static void judge_disk(const struct machine *m, struct finding *f)
{
    const struct trial_disk *d = &m->trial.disk;
    double worst_ms = (double)d->worst_ns * 1e-6;
    double rate = d->total_ns > 0 ? (double)d->bytes * 1e3 / (double)d->total_ns : 0.0; /* MB/s */

    finding_want(f, "each chunk on the disk in %d ms, %.0f MB/s", CHUNK_PERIOD_MS, RATE_MIN);
    if (d->error != 0) {
        finding_fail(f, "%s: %s", m->folder, strerror(-d->error));
        finding_fix(f, "# name a folder you may write: freefall doctor --runs DIR");
        return;
    }
    if (worst_ms <= CHUNK_PERIOD_MS && rate >= RATE_MIN) {
        finding_pass(f, "%.3g MB/s, slowest of %d chunks %.3g ms", rate, d->chunks, worst_ms);
    } else {
        finding_warn(f, "%.3g MB/s, slowest of %d chunks %.3g ms", rate, d->chunks, worst_ms);
        finding_fix(f, "# write runs to a faster disk: --runs DIR");
    }
}

static void judge_space(const struct machine *m, struct finding *f)
{
    const struct trial_disk *d = &m->trial.disk;
    double gib = (double)d->free_bytes / (1024.0 * 1024.0 * 1024.0);

    finding_want(f, "%d GiB, for eight hours", SPACE_MIN_GIB);
    if (d->free_bytes == 0 && d->error != 0) {
        finding_skip(f, "%s: %s", m->folder, strerror(-d->error));
    } else if (gib >= SPACE_MIN_GIB) {
        finding_pass(f, "%.3g GiB", gib);
    } else {
        finding_warn(f, "%.3g GiB", gib);
        finding_fix(f, "# make room, or write runs to another disk: --runs DIR");
    }
}

/* Is the program in one of the folders programs are installed in? */
static bool installed(const struct machine *m, const char *program)
{
    return machine_exists(m, "/usr/bin/%s", program) ||
           machine_exists(m, "/usr/local/bin/%s", program);
}

static void judge_lttng(const struct machine *m, struct finding *f)
{
    bool session = installed(m, "lttng-sessiond");
    bool reader = installed(m, "babeltrace2");

    finding_want(f, "lttng-tools, babeltrace2");
    if (session && reader) {
        finding_pass(f, "lttng-tools, babeltrace2");
    } else {
        finding_warn(f, "missing:%s%s", session ? "" : " lttng-tools",
                     reader ? "" : " babeltrace2");
        finding_fix(f, "apt install%s%s", session ? "" : " lttng-tools",
                    reader ? "" : " babeltrace2");
    }
}

static void judge_marks(const struct machine *m, struct finding *f)
{
    finding_want(f, "built with LTTng");
    if (m->tracing) {
        finding_pass(f, "built with LTTng");
    } else {
        finding_warn(f, "built without: no late cycle can be explained");
        finding_fix(f, "apt install liblttng-ust-dev && make TRACE=on install");
    }
}

const struct doctor_check doctor_storage[] = {
    {"disk speed", judge_disk},
    {"disk space", judge_space},
    {NULL, NULL},
};

const struct doctor_check doctor_tracing[] = {
    {"LTTng", judge_lttng},
    {"trace marks", judge_marks},
    {NULL, NULL},
};
