#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# model.sh - freefall model from outside: summaries, numbers against closed forms (tests/model.py), refusals.
cd "$(dirname "$0")/.." || exit 8
freefall=$PWD/${OUT:-build/preempt-x86-64}/freefall
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0

if [ ! -x "$freefall" ]; then
    echo "not ok - $freefall is not built"
    exit 1
fi

check() { # name, condition's exit code
    if [ "$2" -eq 0 ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        code=1
    fi
}

same() { # name, expected, found
    if [ "$2" = "$3" ]; then
        echo "ok - $1"
    else
        printf 'expected: %s\nfound:    %s\nnot ok - %s\n' "$2" "$3" "$1"
        code=1
    fi
}

# ---- summaries ----

robots='lbr servicer multiarm-a multiarm-b multiarm-c planar'
for robot in $robots; do
    "$freefall" model "config/$robot.urdf" >"$work/out" 2>"$work/err"
    check "$robot: summary in at most 100 columns, nothing on stderr" \
        $(($? + $(awk 'length > 100' "$work/out" | wc -l) + $(wc -c <"$work/err")))
done
same 'a summary begins with name, bodies and mass' 'servicer: 8 bodies, 1 arm, 7 joints, 1532.61 kg' \
    "$("$freefall" model config/servicer.urdf | head -n 1)"

# ---- numbers ----

python3 tests/model.py "$freefall" "$work" || code=1

# ---- refusals ----

wrong=0
for file in tests/urdf/*.urdf; do
    name=$(basename "$file" .urdf)
    (cd tests/urdf && "$freefall" model "$name.urdf" --json >"$work/out" 2>"$work/err")
    if [ $? -ne 3 ] || [ -s "$work/out" ]; then
        echo "$name: wrong exit code, or output"
        wrong=1
    fi
    # the words of the XML library behind the star are its own
    sed 's/\(not well-formed XML: \).*/\1*/' "$work/err" | diff "tests/urdf/$name.expected" - || wrong=1
done
check 'every broken description is refused with exit code 3 and its message' $wrong

refused() { # name, exit code, first line on stderr, arguments...
    local name=$1 expected=$2 line=$3
    shift 3
    "$freefall" model "$@" >"$work/out" 2>"$work/err"
    same "$name" "$expected: $line" "$?: $(head -n 1 "$work/err")"
    [ ! -s "$work/out" ] || { echo "not ok - $name: nothing on stdout"; code=1; }
}

refused 'no file is a usage error' 2 'freefall model: expected a robot description, FILE.urdf'
refused 'two files are a usage error' 2 'freefall model: unexpected "b.urdf"' a.urdf b.urdf
"$freefall" model --stat x config/lbr.urdf >/dev/null 2>&1
same 'an unknown option is a usage error' 2 $?
"$freefall" model --help >"$work/out" && grep -q 'freefall model config/servicer.urdf' "$work/out"
check 'help shows an example' $?

lbr=$PWD/config/lbr.urdf
q='"q": [0, 0, 0, 0, 0, 0, 0]'
state() { # name, first line on stderr behind "s.json", text of the state
    printf '%s' "$3" >"$work/s.json"
    (cd "$work" && "$freefall" model "$lbr" --state s.json --json >out 2>err)
    same "$1" "3: s.json$2" "$?: $(head -n 1 "$work/err")"
    [ ! -s "$work/out" ] || { echo "not ok - $1: nothing on stdout"; code=1; }
}
state 'a state without base' ':1:1: error: state: "base" is missing; expected "floating", "planar" or "fixed"' "{$q}"
state 'a state without q' ':1:1: error: state: "q" is missing; expected 7 joint angles' '{"base": "fixed"}'
state 'an unknown base' ':1:10: error: base: expected "floating", "planar" or "fixed"' "{\"base\": \"flying\", $q}"
state 'an unknown key' ':1:19: error: state: unknown key "gravitiy"; did you mean "gravity"?' \
    "{\"base\": \"fixed\", \"gravitiy\": [0, 0, 0], $q}"
state 'a key given twice' ':1:47: error: state: second "q"' "{\"base\": \"fixed\", $q, $q}"
state 'too few joint angles' ':1:24: error: q: expected 7 numbers, found 2' '{"base": "fixed", "q": [0, 1]}'
state 'too many velocities' ':1:55: error: V: expected 6 numbers, found 7' \
    "{\"base\": \"floating\", $q, \"V\": [0, 0, 0, 0, 0, 0, 0]}"
state 'velocities of a fixed base' ':1:52: error: V: expected 0 numbers, found 1' "{\"base\": \"fixed\", $q, \"V\": [0]}"
state 'one number where a list belongs' ':1:24: error: q: expected a list of 7 numbers' '{"base": "fixed", "q": 1}'
state 'not a number' ':1:62: error: gravity: expected a finite number' \
    "{\"base\": \"fixed\", $q, \"gravity\": [0, .nan, 0]}"
state 'an infinite number' ':1:59: error: gravity: expected a finite number' \
    "{\"base\": \"fixed\", $q, \"gravity\": [1e999, 0, 0]}"
state 'a number in quotes' ':1:59: error: gravity: expected a finite number' \
    "{\"base\": \"fixed\", $q, \"gravity\": [\"0\", 0, 0]}"
state 'an angle beyond the engine' ':1:25: error: q: expected at most 100000, found 1e+06' \
    '{"base": "fixed", "q": [1e6, 0, 0, 0, 0, 0, 0]}'
state 'a quaternion that is no rotation' ':1:61: error: pose.q: expected a unit quaternion x y z w, found length 0' \
    "{\"base\": \"fixed\", $q, \"pose\": {\"q\": [0, 0, 0, 0]}}"
state 'a wrench on a link that is not there' ':1:67: error: wrench.frame: the robot has no link "F"' \
    "{\"base\": \"fixed\", $q, \"wrench\": {\"frame\": \"F\", \"F\": [0, 0, 0, 0, 0, 0]}}"
state 'a wrench without numbers' ':1:57: error: wrench: expected "frame" and "F"' \
    "{\"base\": \"fixed\", $q, \"wrench\": {\"frame\": \"E\"}}"
state 'a list where an object belongs' ':1:1: error: state: expected an object { }' '[1, 2]'
state 'an empty state' ': error: expected a state in JSON, found an empty file' ''
rm "$work/s.json"
refused 'a state that is not there' 3 \
    's.json: error: expected a configuration file, found none that can be read: No such file or directory; check the name and the folder' \
    config/lbr.urdf --state s.json
printf '<robot name="r">\n<link name="world"/>\n</robot>\n' >"$work/world.urdf"
printf '{"base": "floating"}' >"$work/s.json"
refused 'a base without mass cannot float' 3 \
    "$work/world.urdf:2: error: link \"world\": the base has no mass; it can only be fixed" \
    "$work/world.urdf" --state "$work/s.json"
exit $code
