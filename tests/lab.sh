#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# lab.sh - the freefall-lab program from outside: help, exit codes, what it says when something is wrong.
cd "$(dirname "$0")/.." || exit 8
program=$PWD/${OUT:-build/preempt-x86-64}/freefall-lab
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0

check() { # name, expected exit code, pattern of what is said, words
    local name=$1 want=$2 pattern=$3 got
    shift 3
    timeout 10 "$program" "$@" >"$work/said" 2>&1
    got=$?
    if [ "$got" = "$want" ] && grep -qE -- "$pattern" "$work/said"; then
        echo "ok - $name"
    else
        printf 'exit code %s, expected %s with "%s":\n' "$got" "$want" "$pattern"
        head -n 5 "$work/said"
        echo "not ok - $name"
        code=1
    fi
}

printf 'at 5 drop 1\nat 6 fly\n' >"$work/wrong.script"
printf 'at 5 drop 1\n' >"$work/good.script"
printf 'name: [\n' >"$work/wrong.yaml"
cp tests/good/lab.yaml "$work/lab.yaml"

check 'help names every option and shows an example' 0 '^example, as a plain user' --help
check 'help names the ready-made segments' 0 'bench12 +coupler' --help
check 'no interface is a mistake of usage' 2 'no interface given; expected --ethercat INTERFACE'
check 'an unknown option is refused' 2 'unrecognized option' --ethernet x
check 'an unknown segment is refused' 2 'segment "none" not known' --ethercat lo --segment none
check 'a file and a segment are too much' 2 'a file and --segment' --ethercat lo --segment one "$work/lab.yaml"
check 'two files are too much' 2 'more than one file' --ethercat lo a.yaml b.yaml
check 'a number out of range is refused with its range' 2 'priority: expected a number from 1 to 98, found "99"' --ethercat lo --priority 99
check 'a negative seed is refused' 2 'seed: expected a number' --ethercat lo --seed -1
check 'a missing interface is named with advice' 4 'interface nowhere0: .*expected the lab' --ethercat nowhere0
check 'a missing interface is found after the file was read' 4 'interface nowhere0' --ethercat nowhere0 "$work/lab.yaml"
check 'a wrong script names file and line' 3 'wrong.script:2: error: unknown fault "fly"' --ethercat nowhere0 --script "$work/wrong.script"
check 'a good script is read' 4 'interface nowhere0' --ethercat nowhere0 --script "$work/good.script"
check 'a missing script is named' 3 'none.script: No such file' --ethercat nowhere0 --script "$work/none.script"
check 'a wrong configuration names file and line' 3 'wrong.yaml:.*error' --ethercat nowhere0 "$work/wrong.yaml"
check 'asking nobody says who is missing' 4 'is freefall-lab running' --control "$work/none" --ask stats
check 'asking needs a name' 2 'ask without --control' --ask stats
check 'a name too long for a socket is refused' 4 'File name too long' --control "$(printf 'x%.0s' {1..200})" --ask stats
exit $code
