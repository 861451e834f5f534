#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2317 # ok() calls the functions below by name
# check.sh - freefall check as users meet it: the relative Envisat capture fits, the absolute one does not, and bad input is refused.
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
    timeout 300 "$freefall" check "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

ends() { [ "$code" -eq "$1" ]; }
says() { grep -qE -- "$2" "$work/$1"; }
lacks() { ! grep -qE -- "$2" "$work/$1"; }
is_json() { python3 -c "import json,sys; d=json.load(open(sys.argv[1])); sys.exit(not ($2))" "$1"; }

# The two formulations ---------------------------------------------------------------------------
run config/envisat.yaml
ok 'the relative capture passes' ends 0
ok 'the relative capture has no violation' lacks out '^check:|FAIL'
ok 'all fifteen margins are reported' test "$(grep -c ' PASS ' "$work/out")" -eq 15

run config/envisat.yaml --set nominal.form=absolute
ok 'the absolute capture fails' ends 1
ok 'the client leaves its workspace between 10 and 16 s' says out \
    '^check: robot client leaves its workspace at t = 1[0-5]\.[0-9]{2} s: wrist 2\.[0-9]{3} m from axis A2 \(limit 2\.375, margin 0\.02\)'
ok 'the remedies are in the form of the manual' says out \
    '^   nominal: absolute\.  Remedies: nominal: unforced \(needs 0\.[0-9]{2} m of [0-9.]+ m\) \| start pose shift \[[-0-9. ]+\] m.* \| stop at [0-9]+\.[0-9] s$'
ok 'the run-up is named' says out '^note: the robots are moving when the motion begins'

run config/envisat.yaml --set check.runs=1 --set sim.duration=0.5s --set 'cell.client_base=1 0 3.3 m'
ok 'an axis beyond its range is told in degrees' says out \
    '^check: robot client leaves its workspace at t = 0\.[0-9]{2} s: joint A[1-6] at -?[0-9.]+ deg \(limit -?[0-9.]+, margin 2\)'

# JSON -------------------------------------------------------------------------------------------
run config/envisat.yaml --json --set check.runs=1 --set 'sim.duration=0.5 s'
ok 'JSON of a pass' is_json "$work/out" "d['pass'] and len(d['margins'])==15 and d['violations']==[]"
run config/envisat.yaml --json --set check.runs=1 --set 'sim.duration=0.5 s' --set 'robots.speed=0.001 m/s'
ok 'JSON of a failure' is_json "$work/out" "not d['pass'] and d['violations'][0]['kind'] != ''"
ok 'a failure ends with 1, with JSON too' ends 1

# Bad input --------------------------------------------------------------------------------------
run config/envisat.yaml --set cell.robot=kr999
ok 'an unknown robot is refused' ends 3
ok 'and the known ones are named' says err 'cell.robot: expected .*kr120-r2700-2'
run config/envisat.yaml --set cell.robot=table --set 'cell.upper_arm=0 m'
ok 'an impossible robot is refused' ends 3
ok 'and the reason is told' says err '^freefall: cell: no robot can be like this: the upper arm must be longer than 1 mm'
run config/envisat.yaml --set 'cell.client_base=nan 0 0 m'
ok 'NaN is refused' ends 3
ok 'NaN is named' says err 'cell.client_base'
run config/envisat.yaml --set check.runs=1 --set 'safety.torque=0.1 Nm'
ok 'a motion that cannot begin is refused' ends 3
ok 'and why is told' says err 'the motion does not begin'
run config/envisat.yaml --set check.runs=0
ok 'no run is refused' ends 3
run no-such.yaml
ok 'a missing file is refused' ends 3
run
ok 'a missing operand is a wrong command line' ends 2

exit $failed
