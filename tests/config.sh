#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# config.sh - freefall config: every broken file with its exact message, what is printed, and who looks up what.
cd "$(dirname "$0")/.." || exit 8
program=$PWD/${OUT:-build/preempt-x86-64}/freefall
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset NO_COLOR
code=0

check() { # name, text that must be empty
    if [ -z "$2" ]; then
        echo "ok - $1"
    else
        printf '%s\n' "$2" | head -n 20
        echo "not ok - $1"
        code=1
    fi
}

run() { # expected exit code, words: stdout and stderr to files; says when the code differs
    local want=$1
    shift
    "$program" config "$@" >"$scratch/out" 2>"$scratch/err"
    local got=$?
    [ "$got" = "$want" ] || echo "config $*: exit code $got, expected $want; $(cat "$scratch/err")"
}

same() { # two files
    diff "$1" "$2"
}

silent() { # a file that must be empty
    [ ! -s "$1" ] || cat "$1"
}

# Broken files: the message byte for byte, nothing on stdout, exit code 3.
count=0
for file in tests/broken/*.yaml; do
    name=$(basename "$file" .yaml)
    check "broken: $name" "$(
        cd tests/broken || exit
        run 3 show "$name.yaml"
        silent "$scratch/out"
        same "$name.expected" "$scratch/err"
    )"
    count=$((count + 1))
done
check 'there are at least ten broken files' "$([ "$count" -ge 10 ] || echo "$count")"
check 'every expected message has its file' "$(for f in tests/broken/*.expected; do
    [ -f "${f%.expected}.yaml" ] || echo "$f"; done)"

# The form of the design page, to the letter, on the line and column it shows.
{
    printf '#%.0s\n' {1..12}
    printf 'client:\n  mass: 7.8\n'
} >"$scratch/lab.yaml"
check 'the message everybody will see first' "$(
    cd "$scratch" || exit
    run 3 show lab.yaml
    grep -A 2 '^lab.yaml:14:' err | diff - <(
        echo 'lab.yaml:14:9: error: client.mass: expected a number with unit kg or t, found "7.8"'
        echo '   14 |   mass: 7.8'
        echo '      |         ^~~   write 7.8 t or 7800 kg'
    )
)"

# Good files, and what show prints.
check 'show prints a configuration that reads back the same' "$(
    run 0 show tests/good/lab.yaml
    silent "$scratch/err"
    sed 's/ *#.*//' "$scratch/out" >"$scratch/first"
    cp "$scratch/out" "$scratch/again.yaml"
    run 0 show "$scratch/again.yaml"
    sed 's/ *#.*//' "$scratch/out" | same "$scratch/first" -
)"
check 'show names the origin of a value' "$(
    run 0 show tests/good/lab.yaml --set 'client.mass=7.8 t' --set rt.cpu=3
    for line in '  period: 1 ms *# tests/good/lab.yaml:7' '  helper_cpu: 0 *# default' '  mass: 7800 kg *# --set' '  cpu: 3 *# --set'; do
        grep -qx -- "$line" "$scratch/out" || echo "no line $line"
    done
)"
check 'show --json has every value in SI' "$(
    run 0 show tests/good/lab.yaml --json --set=safety.force=0.5kN
    python3 - "$scratch/out" <<'PYTHON'
import json, math, sys
v = json.load(open(sys.argv[1]))['values']
want = {'client.mass': 7827.867, 'rt.period': 0.001, 'safety.force': 500, 'rt.lock_memory': False, 'bus.devices': 3,
        'bus.devices[1].vendor': 0x732, 'name': 'envisat', 'client.velocity': [0, 0, 0]}
for key, value in want.items():
    if v[key]['value'] != value:
        print(key, v[key])
if v['client.mass'].get('unit') != 'kg' or v['client.mass']['origin'] != 'tests/good/lab.yaml:28':
    print(v['client.mass'])
if not math.isclose(v['client.rate']['value'][1], math.radians(-2.5), rel_tol=1e-15):
    print(v['client.rate'])
PYTHON
)"
check 'a wrong --set ends with 3 and prints nothing' "$(
    run 3 show tests/good/lab.yaml --set client.mass=7
    silent "$scratch/out"
    grep -q 'write 7 t or 7000 kg' "$scratch/err" || cat "$scratch/err"
)"

# keys and explain.
check 'keys lists every key with its default' "$(
    run 0 keys
    for line in 'client.mass  *(required)  *mass of the client satellite' 'rt.period  *1 ms  *length of a control cycle'; do
        grep -qx -- "$line" "$scratch/out" || echo "no line $line"
    done
)"
check 'every key can be explained, and its example is read' "$(
    "$program" config keys | sed -n '2,/^$/p' | awk 'NF { print $1 }' | while read -r key; do
        run 0 explain "$key"
        example=$(sed -n 's/^  example   //p' "$scratch/out")
        [ -n "$example" ] || echo "$key has no example"
        printf '%s\n' "$example" >"$scratch/example.yaml"
        # other keys are missing from a file of one line; the key itself must not be among the complaints
        "$program" config show "$scratch/example.yaml" 2>&1 | grep -F "error: ${key//\[\]/[0]}:"
    done
)"
check 'explain says type, unit, range and default' "$(
    run 0 explain client.mass
    same "$scratch/out" - <<'TEXT'
client.mass: mass of the client satellite
  value     a number with unit kg or t (also g)
  range     10 kg to 1000000 kg
  default   none: the key is required
  example   client: { mass: 7800 kg }
TEXT
    run 0 explain 'bus.devices[2].vendor' --json
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["key"] == "bus.devices[].vendor"' "$scratch/out"
)"
check 'explain of a section lists its keys' "$(
    run 0 explain client
    [ "$(grep -c '^  client\.' "$scratch/out")" = 4 ] || cat "$scratch/out"
)"
check 'wrong words end with 2 and a nearest key' "$(
    run 2 explain client.maas
    grep -q 'did you mean "client.mass"?' "$scratch/err" || cat "$scratch/err"
    run 2 explain
    run 2 show
    run 2 show a b
    run 2 keys a
    run 2 show a --set
    run 2 nothing
    run 3 show nothing.yaml
)"

# The JSON Schema, judged by an independent program: it accepts what freefall accepts and refuses what it refuses.
if python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
    check 'keys --json is a JSON Schema that agrees with freefall' "$(
        run 0 keys --json
        python3 - "$scratch/out" tests/good/lab.json <<'PYTHON'
import copy, json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
good = json.load(open(sys.argv[2]))
jsonschema.Draft202012Validator.check_schema(schema)
judge = jsonschema.Draft202012Validator(schema)
for e in judge.iter_errors(good):
    print('good file:', e.message)
wrong = [('client', 'mass', '7.8'), ('client', 'mass', 7.8), ('client', 'mass', '7.8 m'), ('client', 'rate', '0 0 deg/s'),
         ('client', 'rate', [0, 0, 0]), ('rt', 'priority', '80'), ('rt', 'priority', 99), ('rt', 'lock_memory', 'yes'),
         ('rt', 'overrun', 'never'), ('bus', 'interface', 'a b'), ('client', 'colour', 'red'), ('client', 'mass', '0x10 kg'),
         ('client', 'mass', '010 kg'), ('client', 'mass', None)]
for section, key, value in wrong:
    bad = copy.deepcopy(good)
    bad[section][key] = value
    if judge.is_valid(bad):
        print('accepted:', section, key, value)
for section, key in [('client', 'mass'), ('safety', 'force')]:
    bad = copy.deepcopy(good)
    del bad[section][key]
    if judge.is_valid(bad):
        print('accepted without:', section, key)
del good['safety']
if judge.is_valid(good):
    print('accepted without safety')
PYTHON
    )"
else
    echo 'ok - keys --json is a JSON Schema that agrees with freefall # SKIP python3-jsonschema is not installed'
fi

# Every look-up in the sources names a key of the schema, with its type: config.h promises that look-ups cannot fail.
look_ups() { # the C files named: "function key", one a line
    grep -ohE 'config_(number|vector|integer|flag|text|count|item)\([^,"]*, *"[^"]*"' "$@" |
        sed -E 's/config_([a-z]+)\([^,"]*, *"([^"]*)"/\1 \2/' | sort -u
}
unknown_look_ups() { # lines "function key": those that do not fit the schema
    while read -r function key; do
        type=$("$program" config explain "$key" --json 2>/dev/null | sed -n 's/.*"type": "\([a-z]*\)".*/\1/p')
        case $function:$type in
            number:number | vector:number | vector:inertia | integer:integer | integer:code | flag:flag | count:list) ;;
            text:word | text:name | text:text | text:path) ;;
            item:?*) ;;
            *) echo "config_$function(\"$key\"): the schema says \"$type\"" ;;
        esac
    done
}
mapfile -t sources < <(git ls-files 'rt/*.c' 'tools/*.c' 'tools/**/*.c')
check 'every look-up in the sources is in the schema' "$(look_ups "${sources[@]}" | unknown_look_ups)"
check 'a wrong look-up would be seen' "$(
    printf 'x = config_number(c, "client.maas") + config_flag(&cfg->config, "client.mass");\n' >"$scratch/wrong.c"
    [ "$(look_ups "$scratch/wrong.c" | unknown_look_ups | wc -l)" = 2 ] || look_ups "$scratch/wrong.c"
)"
exit $code
