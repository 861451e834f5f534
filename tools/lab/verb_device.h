/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verb_device.h - what the scripted faults do to wiring and devices; the rows of verb.c that do not concern frames. */
#ifndef FREEFALL_LAB_VERB_DEVICE_H
#define FREEFALL_LAB_VERB_DEVICE_H

#include "tools/lab/verb.h"

typedef void verb_device_action(const struct verb_order *o, const struct verb_target *t,
                                int64_t t_ns);

/* number[0]: 0 undoes, where the row has words for both. */
verb_device_action verb_device_stall, verb_device_wkc, verb_device_wkc_undo;
verb_device_action verb_device_cut, verb_device_heal;
verb_device_action verb_device_power, verb_device_power_undo;
verb_device_action verb_device_al, verb_device_wd;
verb_device_action verb_device_dc, verb_device_dc_undo;
verb_device_action verb_device_emcy, verb_device_abort, verb_device_abort_undo;
verb_device_action verb_device_mbx, verb_device_mbx_undo;
verb_device_action verb_device_swap, verb_device_ident, verb_device_od, verb_device_crc;
verb_device_action verb_device_freeze, verb_device_thaw;
verb_device_action verb_device_status, verb_device_status_undo;
verb_device_action verb_device_fault, verb_device_contact, verb_device_contact_undo;
verb_device_action verb_device_estop, verb_device_estop_undo;

#endif
