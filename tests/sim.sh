#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2317 # ok() calls the functions below by name
# sim.sh - freefall sim and export as users meet them: verdicts, exit codes, the folder, the same bits for the same seed.
cd "$(dirname "$0")/.." || exit 8
case ${OUT:=build/preempt-x86-64} in
    /*) freefall=$OUT/freefall ;;
    *) freefall=$PWD/$OUT/freefall ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

ok() { # name, then a command that must succeed
    local name=$1
    shift
    if "$@"; then
        echo "ok - $name"
    else
        echo "not ok - $name: $*"
        sed 's/^/    out: /' "$work/out" | head -n 8
        sed 's/^/    err: /' "$work/err" | head -n 8
        failed=1
    fi
}

run() { # words; leaves $code, $work/out, $work/err
    "$freefall" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

ends() { [ "$code" -eq "$1" ]; }
says() { grep -qE -- "$2" "$work/$1"; }
lacks() { ! grep -qE -- "$2" "$work/$1"; }
same() { cmp -s "$1" "$2"; }
differ() { ! cmp -s "$1" "$2"; }
same_cycles() { # two folders: their files also hold the configuration, with where each value came from
    "$freefall" export "$1" --to csv && "$freefall" export "$2" --to csv && cmp -s "$1/cycles.csv" "$2/cycles.csv"
}
is_json() { python3 -c "import json,sys; d=json.load(open(sys.argv[1])); sys.exit(not ($2))" "$1"; }

# Every scenario, and its verdict ------------------------------------------------------------------
for name in envisat unforced contact latch-delay absolute; do
    run sim "config/$name.yaml" --out "$work/$name"
    ok "$name passes" ends 0
    ok "$name: no row fails" lacks out FAIL
    ok "$name: progress only on a terminal" [ ! -s "$work/err" ]
    ok "$name: verdict.json has its schema" is_json "$work/$name/verdict.json" "d['schema']==1 and d['verdict']=='PASS' and [r['name'] for r in d['rows']]==['capture','dynamics','energy','timing']"
done
ok 'envisat is captured after its approach' is_json "$work/envisat/verdict.json" "d['latched'] and 32.6 < d['grasp_s'] < 34 and d['gripper_m'] < 2e-4"
ok 'unforced beats 0.3 mm and 1e-5 rad' is_json "$work/unforced/verdict.json" "d['position_m'] < 3e-4 and d['rotation_rad'] < 1e-5"

# The same seed gives the same bits, another does not ----------------------------------------------
short=(sim config/envisat.yaml --for 2s --set sim.record=1)
run "${short[@]}" --out "$work/a"
run "${short[@]}" --out "$work/b"
run "${short[@]}" --out "$work/c" --seed 2
ok 'two runs are byte-identical' same "$work/a/run.mcap" "$work/b/run.mcap"
ok 'their verdicts too' same "$work/a/verdict.json" "$work/b/verdict.json"
run sim config/unforced.yaml --for 2s --set sim.record=1 --out "$work/seen"
run sim config/unforced.yaml --for 2s --set sim.record=0 --out "$work/unseen"
ok 'recording changes nothing' same "$work/seen/verdict.json" "$work/unseen/verdict.json"
ok 'another seed gives another run' differ "$work/a/run.mcap" "$work/c/run.mcap"
run sim "$work/a/config.yaml" --out "$work/d"
ok 'the folder of a run can be simulated again, with the same bits' same_cycles "$work/a" "$work/d"

# The table ----------------------------------------------------------------------------------------
run export "$work/a" --to csv
ok 'export writes a table' [ -s "$work/a/cycles.csv" ]
cat >"$work/table.py" <<'PYTHON'
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
names = list(rows[0])
want = {'nominal_pose': 7, 'nominal_velocity': 6, 'energy_observer': 2}
both = {'client_orbit_pose': 7, 'client_orbit_velocity': 6, 'client_lab_pose': 7, 'client_lab_velocity': 6,
        'servicer_orbit_pose': 7, 'servicer_orbit_velocity': 6, 'servicer_lab_pose': 7, 'servicer_lab_velocity': 6,
        'joint_position': 7, 'joint_velocity': 7, 'joint_torque': 7, 'obsw_torque': 7, 'base_wrench': 6,
        'client_wrench': 6, 'gripper_wrench': 6, 'momentum': 6}
full = ['t_s', 'mode', 'phase'] + [f'{n}[{i}]' for n in want for i in range(want[n])]
full += [f'{p}{n}[{i}]' for p in ('', 'true_', 'reference_') for n in both for i in range(both[n])]
assert sorted(names) == sorted(full), set(names) ^ set(full)
assert len(rows) == 2001 and rows[0]['mode'] == 'RUN' and float(rows[-1]['t_s']) == 2.0, (len(rows), rows[-1]['t_s'])
for r in rows:
    for p in ('', 'true_', 'reference_'):
        q = [float(r[f'{p}servicer_orbit_pose[{i}]']) for i in range(3, 7)]
        assert abs(math.hypot(*q) - 1) < 1e-12
    # three accounts of one motion: within a tenth of a millimetre and a micrometre per second of each other
    for i in range(3):
        a, b, c = (float(r[f'{p}servicer_orbit_pose[{i}]']) for p in ('', 'true_', 'reference_'))
        assert abs(a - c) < 1e-4 and abs(b - c) < 1e-4, (r['t_s'], a, b, c)
PYTHON
ok 'its columns are those of the interface, its three accounts agree' python3 "$work/table.py" "$work/a/cycles.csv"

# On-board software of a user: library and process of its own ---------------------------------------
cc -std=c11 -O2 -ffp-contract=off -fPIC -shared -Imodel -o "$work/own.so" tools/example/obsw_example.c
own=(sim config/envisat.yaml --for 1s --set sim.record=1 --set "obsw.library=$work/own.so")
run "${own[@]}" --set obsw.kind=library --out "$work/library"
ok 'a library of the user flies' lacks out safety
run "${own[@]}" --set obsw.kind=process --out "$work/process"
ok 'and in a process of its own gives the same bytes' same_cycles "$work/library" "$work/process"
ok 'which differ from those of the built-in one' differ "$work/library/cycles.csv" "$work/a/cycles.csv"
run sim config/envisat.yaml --set obsw.kind=process --out "$work/x"
ok 'a process without library or program is refused' ends 3
ok 'and both are named' says err 'obsw.library.*obsw.program'
printf '#!/bin/sh\nexec "%s" obsw-host "%s" & sleep 0.5; kill -STOP $!; sleep 6; kill -KILL $!\n' "$freefall" "$work/own.so" >"$work/stuck.sh"
chmod +x "$work/stuck.sh"
run sim config/envisat.yaml --for 10min --set sim.record=0 --set obsw.kind=process --set "obsw.program=$work/stuck.sh" --out "$work/stuck"
ok 'a process that stops answering is held' ends 6
ok 'and the reason is said' says out 'on-board software late'

# Refusals -----------------------------------------------------------------------------------------
run sim
ok 'no configuration is wrong usage' ends 2
run sim config/envisat.yaml --sed 2
ok 'an unknown option is wrong usage' ends 2
run sim nothing.yaml
ok 'a file that is not there is a configuration error' ends 3
run sim config/envisat.yaml --for 20
ok 'a time without unit is refused' ends 3
run sim config/envisat.yaml --set arm.gripper=claw
ok 'a gripper that is not there is refused' ends 3
ok 'and named' says err claw
run sim config/envisat.yaml --for 1s --set 'safety.tracking=0.01 mm' --set 'robots.lead=0 ms' --out "$work/s"
ok 'a run that safety stops ends with 6' ends 6
ok 'and says why' says out 'safety +FAIL.*robot'
run sim config/envisat.yaml --for 1s --out /proc/none
ok 'a folder that cannot be made ends with 8' ends 8
run export "$work" --to csv
ok 'export of a folder without record ends with 3' ends 3
run export "$work/a" --to pdf
ok 'export to an unknown format is wrong usage' ends 2
head -c 1000000 "$work/a/run.mcap" >"$work/b/run.mcap"
run export "$work/b" --to csv
ok 'a record that is cut off is said' says err 'cut off'

# The lead -----------------------------------------------------------------------------------------
run sim config/contact.yaml --find-lead --json
ok 'find-lead measures dead time and interpolation within 1 ms' is_json "$work/out" "d['found'] and abs(d['lead_s'] - 0.012) < 1e-3"
run sim config/envisat.yaml --find-lead
ok 'a contact too gentle to tell gives no lead rather than a wrong one' ends 1
run sim config/unforced.yaml --find-lead --for 1s
ok 'without contact no lead is found' ends 1
exit "$failed"
