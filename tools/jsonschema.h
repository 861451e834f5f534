/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jsonschema.h - the schema of the configuration as JSON Schema (draft 2020-12), for editors
 * that complete and check YAML while it is written. */
#ifndef FREEFALL_JSONSCHEMA_H
#define FREEFALL_JSONSCHEMA_H

#include <stdio.h>

/* Print the document; 0, or -errno when it could not be written. */
int jsonschema_print(FILE *out);

#endif
