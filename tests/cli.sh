#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2317 # ok() calls the functions below by name
# cli.sh - the program as its users meet it: help, exit codes, messages, JSON, colour, closed outputs,
#          as root and as a plain user.
cd "$(dirname "$0")/.." || exit 8
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
cp "${OUT:-build/preempt-x86-64}/freefall" "$work/freefall" || exit 8 # where a plain user can start it
mkdir -m 777 "$work/here"
freefall=$work/freefall
failed=0

ok() { # name, then a command that must succeed
    local name=$1
    shift
    if "$@"; then
        echo "ok - $name"
    else
        echo "not ok - $name: $*"
        sed 's/^/    out: /' "$work/out" | head -n 5
        sed 's/^/    err: /' "$work/err" | head -n 5
        failed=1
    fi
}

skip() { # name, reason
    echo "ok - $1 # SKIP $2"
}

run() { # words: runs the program; leaves $code, $work/out, $work/err
    (cd "$work/here" && exec ${as:-} "$freefall" "$@") >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

ends() { # exit code expected
    [ "$code" -eq "$1" ]
}

says() { # file out or err, text that must be in it
    grep -qF -- "$2" "$work/$1"
}

silent() { # file out or err
    [ ! -s "$work/$1" ]
}

# A real parser judges every JSON document: json EXPRESSION, with d the document, must be true.
if command -v python3 >/dev/null; then
    json() { python3 -c "import json,sys; d=json.load(open(sys.argv[1])); sys.exit(not ($1))" "$work/out"; }
else
    echo 'not ok - python3 is needed to judge JSON'
    exit 1
fi

# Help on each level ------------------------------------------------------------------------------
paths=('')
for first in $("$freefall" help --words | grep -v '^-'); do
    paths+=("$first")
    for second in $("$freefall" help --words "$first" | grep -v '^-'); do
        paths+=("$first $second")
    done
done
for path in "${paths[@]}"; do
    read -ra words <<<"$path"
    run "${words[@]}" --help
    ok "help of 'freefall $path' ends well" ends 0
    ok "help of 'freefall $path' shows its usage" says out "usage: freefall${path:+ $path}"
    ok "help of 'freefall $path' has an example" grep -qE '^  freefall ' <(sed -n '/^example:/,$p' "$work/out")
    ok "help of 'freefall $path' is silent on stderr" silent err
    ok "help of 'freefall $path' fits 100 columns" awk 'length > 100 { exit 1 }' "$work/out"
    cp "$work/out" "$work/first"
    run help "${words[@]}"
    ok "'freefall help $path' says the same" cmp -s "$work/first" "$work/out"
    if [ -n "$path" ]; then
        run "${words[@]}" --no-such-option
        ok "'freefall $path' refuses an unknown option" ends 2
        ok "'freefall $path' names the unknown option" says err 'no-such-option'
        ok "'freefall $path' writes nothing on stdout then" silent out
    fi
done
ok 'there are commands to help with' [ "${#paths[@]}" -ge 5 ]

# Wrong words -------------------------------------------------------------------------------------
run
ok 'no command is a usage error' ends 2
ok 'no command shows the commands on stderr' says err 'commands:'
ok 'no command writes nothing on stdout' silent out
run doctr
ok 'an unknown command is a usage error' ends 2
ok 'an unknown command gets its nearest neighbour' says err 'unknown command "doctr"; did you mean "doctor"?'
ok 'an unknown command writes nothing on stdout' silent out
run xyzzy
ok 'a word like no other gets no proposal' [ "$(grep -c 'did you mean' "$work/err")" -eq 0 ]
run --jsno
ok 'an unknown option of the program is named' says err 'unknown option "--jsno"'
run config shw
ok 'an unknown word of the second level gets its neighbour' says err 'did you mean "show"?'
run config
ok 'a missing word of the second level is a usage error' ends 2
run doctor --interfce eth0
ok 'an unknown option gets its nearest neighbour' says err 'did you mean "--interface"?'
run doctor --interface
ok 'a missing value is a usage error' ends 2
ok 'a missing value is named' says err 'option --interface expects NAME, found nothing'
run doctor a b
ok 'a word too many is a usage error' ends 2
run version extra
ok 'a word nobody asked for is named' says err 'unexpected "extra"'

# Version -----------------------------------------------------------------------------------------
run version
cp "$work/out" "$work/first"
run --version
ok '--version is the command version' cmp -s "$work/first" "$work/out"
run version --json
ok 'version --json ends well' ends 0
ok 'version --json is one document with every fact' json \
    "all(d[k] != '' for k in ('name','version','commit','licence','compiler','flags','rt')) and d['trace'] in (True,False)"
ok 'every library has a version and a known licence' json \
    "len(d['libraries']) > 0 and all(l['version'] and l['licence'] != 'unknown' for l in d['libraries'])"
ok 'the libraries are those the dynamic linker names' json \
    "'libfyaml' in [l['name'] for l in d['libraries']]"

# Doctor ------------------------------------------------------------------------------------------
rows="len(d['checks']) >= 35 and all(c['status'] in ('PASS','WARN','FAIL','SKIP') and c['found'] for c in d['checks'])"
fixes="all(c['wanted'] for c in d['checks'] if c['status'] in ('WARN','FAIL'))"
sums="[sum(c['status'] == s.upper() for c in d['checks']) for s in ('pass','warn','fail','skip')] == [d['summary'][s] for s in ('pass','warn','fail','skip')]"
unique="len({(c['group'],c['name']) for c in d['checks']}) == len(d['checks'])"

judge_doctor() { # who
    run doctor --json
    ok "doctor --json is one document of rows ($1)" json "$rows"
    ok "what is not as wanted says what is wanted ($1)" json "$fixes"
    ok "the summary counts the rows, each named once ($1)" json "$sums and $unique"
    ok "the exit code follows the failures ($1)" json "($code == 1) == (d['summary']['fail'] > 0) and $code in (0,1)"
    ok "ready means that nothing fails ($1)" json "d['ready'] == (d['summary']['fail'] == 0)"
    ok "doctor is silent on stderr ($1)" silent err
    run doctor
    ok "doctor ends with 0 or 1 ($1)" [ "$code" -le 1 ]
    ok "the last lines sum up ($1)" grep -qE '^[0-9]+ pass, [0-9]+ warn, [0-9]+ fail, [0-9]+ skip: this machine is ' "$work/out"
    ok "no colour without a terminal ($1)" [ "$(grep -c $'\033' "$work/out")" -eq 0 ]
    ok "only commands to copy are wider than 100 columns ($1)" awk '!/^       fix: / && length > 100 { exit 1 }' "$work/out"
    ok "nothing is left in the folder ($1)" [ -z "$(ls -A "$work/here")" ]
}

judge_doctor 'as this user'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    as="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all"
    judge_doctor 'as a plain user'
    run doctor --json
    ok 'a plain user has no right to raw frames' json \
        "[c['status'] for c in d['checks'] if c['name'] == 'capabilities'] == ['FAIL']"
    as=
else
    skip 'doctor as a plain user' 'not root, or no setpriv: the rows above were the plain user'
fi

# What stands for a container that hides almost everything.
# shellcheck disable=SC2016
if unshare -Urm true 2>/dev/null; then
    unshare -Urm sh -c 'mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec "$0" doctor --json' \
        "$freefall" >"$work/out" 2>"$work/err"
    code=$?
    ok 'doctor judges a machine without /proc and /sys' json "$rows and d['summary']['skip'] >= 15"
    ok 'doctor ends with 0 or 1 there' [ "$code" -le 1 ]
else
    skip 'doctor without /proc and /sys' 'user namespaces are not permitted here'
fi

run doctor --interface none0 --json
ok 'an interface that is not there fails' json \
    "[c['status'] for c in d['checks'] if c['group'] == 'network'].count('FAIL') == 1 and d['interface'] == 'none0'"
run doctor --interface=lo
ok 'the interface named is the one looked at' says out 'nic lo:'
run doctor --runs /no/such/folder --json
ok 'a folder that is not there fails' json \
    "[c['status'] for c in d['checks'] if c['name'] == 'disk speed'] == ['FAIL'] and $code == 1"
run doctor --quiet
ok '--quiet shows only what fails' [ "$(grep -cE '^  (PASS|WARN|SKIP)| pass, ' "$work/out")" -eq 0 ]
run doctor --fix
ok '--fix prints a script' [ "$(head -n 1 "$work/out")" = '#!/bin/sh' ]
ok 'the shell reads the script' sh -n "$work/out"

cat >"$work/lab.yaml" <<'END'
name: lab
client: {mass: 7800 kg, inertia: 17000 0 0 0 125000 0 0 0 129000 kgm2}
servicer: {mass: 1500 kg, inertia: 1050 12 -18 12 1090 9 -18 9 880 kgm2}
safety: {force: 400 N, torque: 100 Nm}
bus: {interface: lo}
END
run doctor "$work/lab.yaml" --json
ok 'a configuration names the interface' json "d['interface'] == 'lo'"
run doctor "$work/lab.yaml" --interface none0 --json
ok 'an interface named wins over the configuration' json "d['interface'] == 'none0'"
sed -i 's/interface: lo/interfce: lo/' "$work/lab.yaml"
run doctor "$work/lab.yaml"
ok 'a wrong configuration ends with 3' ends 3
ok 'a wrong configuration is explained on stderr' says err 'bus.interfce'
ok 'a wrong configuration writes nothing on stdout' silent out
run doctor "$work/none.yaml"
ok 'a missing configuration ends with 3' ends 3

# Latency -----------------------------------------------------------------------------------------
run latency 500ms --json
ok 'latency measures both loops' ends 0
ok 'latency counts each once a period' json 'd["cycles"] + d["missed"] <= 400 and d["cycles"] > 0'
ok 'a later share is a later wake-up' json 'all(x["p50"] <= x["p90"] <= x["p99"] <= x["max"] for x in (d["freefall"], d["bare"]))'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    as='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all' run latency 300ms
    ok 'latency works without rights' ends 0
    ok 'and says that it had none' says err 'no right to SCHED_FIFO'
else
    skip 'latency without rights' 'not root, or no setpriv'
fi
run latency 3
ok 'a time without a unit is refused' ends 2
ok 'and explained' says err 'expected a time from 0.2s to 24h, as 60s or 5min, found "3"'
run latency 1s --cpu 1023
ok 'a processor that is not there ends with 4' ends 4
run latency 1s --priority 99
ok 'a priority out of range is refused' ends 2

# Colour ------------------------------------------------------------------------------------------
if command -v script >/dev/null; then
    on_terminal() { # environment: escape sequences in what a terminal gets
        env -u NO_COLOR "$@" script -qec "'$freefall' doctor --runs '$work/here'" /dev/null </dev/null | grep -c $'\033'
    }
    ok 'a terminal gets colour' [ "$(on_terminal TERM=xterm)" -gt 0 ]
    ok 'NO_COLOR is respected' [ "$(on_terminal TERM=xterm NO_COLOR=1)" -eq 0 ]
    ok 'an empty NO_COLOR does not count' [ "$(on_terminal TERM=xterm NO_COLOR=)" -gt 0 ]
    ok 'a dumb terminal gets no colour' [ "$(on_terminal TERM=dumb)" -eq 0 ]
else
    skip 'colour on a terminal' 'script(1) is not installed'
fi

# Outputs that cannot be written ------------------------------------------------------------------
"$freefall" version >/dev/full 2>"$work/err"
code=$?
ok 'a full disk is an error' ends 8
ok 'a full disk is named' says err 'freefall: cannot write the output: No space left on device'
"$freefall" version --json >/dev/full 2>"$work/err"
code=$?
ok 'a full disk is an error for JSON' ends 8
"$freefall" version >&- 2>"$work/err"
code=$?
ok 'a closed output is an error' ends 8
ok 'a closed output is named' says err 'cannot write the output'
{ sleep 0.3; "$freefall" version; echo $? >"$work/code"; } 2>"$work/err" | :
code=$(cat "$work/code")
ok 'a reader that went away is an error, not a signal' ends 8
ok 'a reader that went away is named' says err 'cannot write the output: Broken pipe'

# Man page and completion -------------------------------------------------------------------------
run help --man
ok 'the man page is printed' says out '.TH FREEFALL 1'
if command -v groff >/dev/null; then
    ok 'groff has nothing to say about it' [ -z "$(groff -man -z -ww "$work/out" 2>&1)" ]
else
    skip 'groff has nothing to say about the man page' 'groff is not installed'
fi
if command -v lexgrog >/dev/null; then
    cp "$work/out" "$work/freefall.1"
    ok 'whatis finds its line' grep -q 'freefall - ' <(lexgrog "$work/freefall.1")
else
    skip 'whatis finds its line' 'lexgrog is not installed'
fi
for path in "${paths[@]:1}"; do
    ok "the man page has a section on 'freefall $path'" says out ".SS freefall ${path//-/\\-}"
done

complete_words() { # words: what bash offers for the last one
    PATH=$work:$PATH bash -c 'source tools/freefall.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _freefall; echo "${COMPREPLY[*]}"' _ "$@"
}
ok 'bash completes a command' [ "$(complete_words freefall doc)" = doctor ]
ok 'bash completes a word of the second level' [ "$(complete_words freefall config sh)" = show ]
ok 'bash completes an option' [ "$(complete_words freefall doctor --int)" = --interface ]
ok 'bash completes an interface' [ "$(complete_words freefall doctor --interface lo)" = lo ]
ok 'bash completes a file' [ "$(complete_words freefall doctor Makefi)" = Makefile ]
ok 'bash offers only commands at first' [ "$(complete_words freefall '' | grep -c -- --)" -eq 0 ]

exit "$failed"
