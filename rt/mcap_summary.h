/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mcap_summary.h - the end of an MCAP file: index, statistics, footer, made from the file itself.
 *
 * The file is walked from record to record without reading the messages; memory does not grow with it. So a file that
 * was cut off gets the same end as one that was closed.
 */
#ifndef FREEFALL_MCAP_SUMMARY_H
#define FREEFALL_MCAP_SUMMARY_H

#include "rt/mcap.h"

/* Write the end behind the last complete record, at `end`. definitions are all schema and channel records. 0 or -errno;
 * -EBADMSG when the records before do not fit together. */
int mcap_summary_write(int fd, uint64_t end, const struct mcap_bytes *definitions);

#endif
