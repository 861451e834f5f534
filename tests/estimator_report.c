/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimator_report.c - the vision estimator over many drawn runs, against the best there is.
 *
 *     estimator_report [RUNS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/campaign.h"

int main(int argc, char **argv)
{
    const int runs = argc > 1 ? atoi(argv[1]) : 200;
    const uint64_t seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1000;

    return campaign_report(stdout, runs, seed);
}
