#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2317 # ok() calls the functions below by name
# replay.sh - recorded runs computed again, bit by bit, by this build and by one of another compiler; their tables and
# messages as other programs read them.
cd "$(dirname "$0")/.." || exit 8
case ${OUT:=build/preempt-x86-64} in
    /*) freefall=$OUT/freefall ;;
    *) freefall=$PWD/$OUT/freefall ;;
esac
work=$(mktemp -d)
export TMPDIR=$work
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
silent() { [ ! -s "$work/out" ] && [ ! -s "$work/err" ]; }
lines() { [ "$(wc -l <"$1")" -eq "$2" ]; }

# Every scenario, by this build ------------------------------------------------------------------------
for name in envisat unforced contact latch-delay absolute; do
    run sim "config/$name.yaml" --out "$work/$name"
    run replay "$work/$name"
    ok "$name: every output equal in every bit" ends 0
done
ok 'and says how many cycles' says out '^40102 cycles, every output equal in every bit$'
run sim config/envisat.yaml --for 1s --set 'safety.tracking=0.01 mm' --set 'robots.lead=0 ms' --out "$work/stopped"
run replay "$work/stopped"
ok 'a run that safety stopped, with the cycle that stopped it' ends 0
ok 'nothing is left behind' [ -z "$(find "$work" -maxdepth 1 -name 'freefall-*')" ]

# On-board software: recorded answers, or others ---------------------------------------------------------
cc -std=c11 -O2 -ffp-contract=off -fPIC -shared -Imodel -o "$work/own.so" tools/example/obsw_example.c
sed 's/400\.0/400.00000000001/' tools/example/obsw_example.c >"$work/other.c"
cc -std=c11 -O2 -ffp-contract=off -fPIC -shared -Imodel -o "$work/other.so" "$work/other.c"
run sim config/envisat.yaml --for 1s --set obsw.kind=process --set "obsw.library=$work/own.so" --out "$work/process"
run replay "$work/process"
ok 'software of another process: its recorded answers give the same run' ends 0
run replay "$work/process" --obsw "$work/own.so"
ok 'the same software as a library: equal' ends 0
run replay "$work/process" --obsw "$work/other.so"
ok 'a gain that differs in the fourteenth digit: not equal' ends 1
ok 'cycle, field and both values are named' says out '^first difference in cycle [0-9]+ \([0-9.]+ s\), field [a-z_]+(\[[0-9]+\])?: recorded .*\(.*0x.*\), now .*0x'
run replay "$work/process" --obsw "$work/none.so"
ok 'a library that is not there is refused' ends 3

# Part of a run ------------------------------------------------------------------------------------------
run replay "$work/unforced" --from 1s --until 2s
ok 'from 1 s until 2 s are 1001 cycles' says out '^1001 cycles'
run replay "$work/process" --obsw "$work/other.so" --until 50ms
ok 'before the difference all is equal' ends 0
run replay "$work/unforced" --from 1h
ok 'a time outside the run has nothing to compare' ends 3
run replay "$work/unforced" --from 1
ok 'a time without unit is wrong usage' ends 2
run replay "$work/unforced" --quiet
ok 'quiet is quiet' silent

# Another compiler ---------------------------------------------------------------------------------------
clang=$(command -v clang-19 || command -v clang)
build_clang() { # objects of the product, compiled by the other compiler with the same flags
    nice make --no-print-directory -j2 CC="$clang" all >"$work/out" 2>"$work/err"
}
if [ -n "$clang" ]; then
    ok 'clang builds the same source' build_clang
    other=${OUT%/}-clang/freefall
    "$other" replay "$work/envisat" >"$work/out" 2>"$work/err"
    code=$?
    ok 'a run recorded by gcc, replayed by clang: every output equal' ends 0
    "$other" sim config/contact.yaml --out "$work/by-clang" >"$work/out" 2>"$work/err"
    run replay "$work/by-clang"
    ok 'a run recorded by clang, replayed by gcc: every output equal' ends 0
else
    echo '# skip the second compiler: clang is not installed (make deps)'
fi

# Records that are not whole -----------------------------------------------------------------------------
head -c 3000000 "$work/unforced/run.mcap" >"$work/cut.mcap"
run replay "$work/cut.mcap"
ok 'a record that is cut off: what is there is compared, then said' ends 8
ok 'in one line' says err 'cut off'
head -c 100 /dev/urandom >"$work/noise.mcap"
run replay "$work/noise.mcap"
ok 'a foreign file is refused' ends 3
ok 'and named' says err 'expected the record of a run'
run replay "$work/nowhere"
ok 'a folder that is not there is refused' ends 3
python3 - "$work/unforced/run.mcap" "$work/flipped.mcap" <<'PYTHON'
import sys
b = bytearray(open(sys.argv[1], 'rb').read())
b[len(b) // 2] ^= 16
open(sys.argv[2], 'wb').write(b)
PYTHON
run replay "$work/flipped.mcap"
ok 'a flipped bit is noticed' ends 3
run export "$work/flipped.mcap" --to csv --out "$work/flipped.csv"
ok 'and by export, which leaves the part out' says err 'checksum'

# Tables and messages, as others read them ---------------------------------------------------------------
run sim config/envisat.yaml --for 1s --set sim.record=1 --out "$work/t"
for format in csv hdf5 mat; do
    run export "$work/t" --to "$format"
    ok "export to $format" ends 0
done
node tests/mcap.mjs dump "$work/t/run.mcap" /cycle >"$work/cycle.json"
node tests/mcap.mjs dump "$work/t/run.mcap" /truth >"$work/truth.json"
node tests/mcap.mjs dump "$work/t/run.mcap" /raw >"$work/raw.json"
ok 'the reference reader decodes every recorded cycle' lines "$work/cycle.json" 1001
cat >"$work/tables.py" <<'PYTHON'
import csv, json, sys
work = sys.argv[1]
rows = list(csv.DictReader(open(f'{work}/t/cycles.csv')))
for prefix, name in (('', 'cycle'), ('true_', 'truth')):
    for row, line in zip(rows, open(f'{work}/{name}.json'), strict=True):
        for field, value in json.loads(line).items():
            if field == 'mode':
                assert row['mode'] == ['INIT', 'READY', 'ARMED', 'RUN'][value]
            elif isinstance(value, list):
                width = 7 if field.startswith('joint_') or field == 'obsw_torque' else len(value)
                assert [float(row[f'{prefix}{field}[{i}]']) for i in range(width)] == value[:width], field
            else:
                assert float(row[prefix + field]) == value, field
if sys.argv[2] == 'hdf5':
    import h5py
    table = h5py.File(f'{work}/t/cycles.h5')
    get = lambda name: table[name][()]
else:
    import scipy.io
    table = scipy.io.loadmat(f'{work}/t/cycles.mat')
    get = lambda name: table[name][:, 0] if table[name].shape[1] == 1 else table[name]
names = {n.split('[')[0] for n in rows[0]}
assert names == {n for n in table if not n.startswith('__')}, names
for n in names - {'mode'}:
    a = get(n)
    assert len(a) == 1001
    for i, row in enumerate(rows):
        want = [float(row[n])] if n in row else [float(row[f'{n}[{k}]']) for k in range(a.shape[1])]
        assert want == (a[i].tolist() if a.ndim == 2 else [a[i]]), (n, i)
PYTHON
python=python3 # the one that has the packages of tools/deps, should there be several
"$python" -c 'import h5py, scipy' 2>/dev/null || python=/usr/bin/python3
for format in hdf5 mat; do
    ok "CSV and $format have the numbers the reference reader finds in the record" "$python" "$work/tables.py" "$work" "$format"
done
cat >"$work/viewers.py" <<'PYTHON'
import json, math, subprocess, sys
def dump(topic):
    return [json.loads(l) for l in subprocess.run(['node', 'tests/mcap.mjs', 'dump', sys.argv[1], topic], check=True, capture_output=True, text=True).stdout.splitlines()]
raw = {int(r['time_ns']): r for r in dump('/raw')}
def stamp(h): return h['stamp']['sec'] * 10**9 + h['stamp']['nanosec']
joints = dump('/joint_states')
assert len(joints) == 56 and all(j['name'] == [f'joint{i}' for i in range(1, 8)] for j in joints)
for j in joints:
    r = raw[stamp(j['header'])]
    assert j['position'] == r['position'][:7] and j['velocity'] == r['velocity'][:7] and j['effort'] == r['torque'][:7]
for name in ('client', 'servicer'):
    for m in dump(f'/{name}_pose'):
        r, p, q = raw[stamp(m['header'])], m['pose']['position'], m['pose']['orientation']
        x, y, z, w = q['x'], q['y'], q['z'], q['w']
        assert [p['x'], p['y'], p['z']] == r[f'{name}_position']
        R = [1-2*(y*y+z*z), 2*(x*y-z*w), 2*(x*z+y*w), 2*(x*y+z*w), 1-2*(x*x+z*z), 2*(y*z-x*w), 2*(x*z-y*w), 2*(y*z+x*w), 1-2*(x*x+y*y)]
        assert max(abs(a - b) for a, b in zip(R, r[f'{name}_rotation'])) < 1e-12
for m in dump('/wrench'):
    f, t = m['wrench']['force'], m['wrench']['torque']
    assert [f['x'], f['y'], f['z'], t['x'], t['y'], t['z']] == raw[stamp(m['header'])]['wrench']
for m in dump('/tf'):
    assert [t['child_frame_id'] for t in m['transforms']] == ['client', 'servicer']
    for t in m['transforms']:
        x = t['transform']['translation']
        assert [x['x'], x['y'], x['z']] == raw[stamp(t['header'])][t['child_frame_id'] + '_position']
assert [e['text'] for e in dump('/events')] == ['READY', 'READY -> ARMED', 'ARMED -> RUN']
PYTHON
ok 'joints, poses, wrench, frames and events are what viewers expect' python3 "$work/viewers.py" "$work/t/run.mcap"
run export "$work/t" --to hdf5 --out -
ok 'HDF5 to stdout is wrong usage' ends 2
run export "$work/t" --to hdf5 --out /proc/none
ok 'a table that cannot be written ends with 8' ends 8
exit "$failed"
