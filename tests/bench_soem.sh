#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench_soem.sh - third parties judge the simulated segment: SOEM's own sample programs, unmodified, bring up twelve
# devices and run them; Wireshark's dissector reads every byte of it. As root and as a plain user, each time in a
# network namespace of its own: nothing is left behind.
#
# SOEM waits 2 ms for a frame and takes no notice when one is missing during its start. On a busy host that happens, so
# a scenario that fails is run again, three times at most; what the lab does is the same every time.
# shellcheck disable=SC2317 # scenarios are called by name
cd "$(dirname "$0")/.." || exit 8
out=$PWD/${OUT:-build/preempt-x86-64}
soem=${SOEM_DIR:-build/deps/soem}
code=0

try() { # name, function that prints what is wrong
    local found
    for _ in 1 2 3; do
        found=$("$2")
        if [ -z "$found" ]; then
            echo "ok - $who: $1"
            return
        fi
        printf '%s\n' "$found" | head -n 20 | sed 's/^/# /'
    done
    echo "not ok - $who: $1"
    code=1
}

expect() { # file, pattern, how often
    local found
    found=$(grep -acE -- "$2" "$1")
    [ "$found" -eq "$3" ] || echo "expected $3 times \"$2\", found $found in $1: $(head -c 300 "$1")"
}

ask() { "$out/freefall-lab" --control "$work/control" --ask "$1"; }

tell() { # commands that must be obeyed
    local line
    for line in "$@"; do
        ask "$line" | grep -vx ok
    done
}

all_watchdogs() { # time in us
    for i in 4 5 6 7 8 9 10 11 12; do tell "wd $i $1"; done
}

in_state() { ask stats | grep -o "\"state\":\"$1\",\"error\":false" | wc -l; }

all_in_op() { [ "$(in_state OP)" = 12 ] || ask devices; }

# A sample that runs longer than we let it: in the background until it cycles, then to its end, lines apart.
start_sample() { # name, cycle time
    : >"$work/sample.txt"
    stdbuf -o0 "$work/$1" ecm ${2:+"$2"} >>"$work/sample.txt" 2>&1 &
    sample=$!
    for _ in $(seq 200); do
        grep -qaE 'W(KC|ck) +30' "$work/sample.txt" && return
        sleep 0.05
    done
    echo "$1 does not cycle: $(tail -c 300 "$work/sample.txt")"
}

stop_sample() {
    kill "$sample" 2>/dev/null
    wait "$sample" 2>/dev/null
    tr '\r' '\n' <"$work/sample.txt" >"$work/sample.lines"
}

scan() {
    "$work/slaveinfo" ecm -map >"$work/info.txt" 2>&1
    expect "$work/info.txt" '^12 slaves found and configured' 1
    expect "$work/info.txt" '^ State: 4$' 12 # SAFE-OP
    # coupler 0, inputs 1, outputs 2, and 3 for each of nine devices with outputs and inputs
    expect "$work/info.txt" '^Calculated workcounter 30$' 1
    expect "$work/info.txt" 'error:|ERROR' 0
}

describe() { # what scan found
    expect "$work/info.txt" '^ Name:CiA 402 drive$' 7
    expect "$work/info.txt" 'Man: 00000732 ID: 26483053 Rev: 00000001' 1
    expect "$work/info.txt" '0x6041:0x00 0x10 UNSIGNED16   Status word' 7
    expect "$work/info.txt" '0x6000:0x01 0x20 INTEGER32    Force' 1
    expect "$work/info.txt" '0x7000:0x08 0x01 BOOLEAN      Output' 1
}

# 700 ns from one device to the next; clocks that differ by 40 ppm and integers make a nanosecond or two.
# SOEM halves whole nanoseconds: up to half of one is lost at each device.
delays() {
    awk '/^Slave:/ { n = substr($1, 7) } /^ Delay:/ { d = $2 + 0 } /^ Has DC: 1/ {
        dc++; lost = 2 + (n - 1) / 2; if (d < 700 * (n - 1) - lost || d > 700 * (n - 1) + lost) print "slave " n ": " d " ns" }
        END { if (dc != 10) print dc " devices with clocks" }' "$work/info.txt"
}

objects() {
    "$work/slaveinfo" ecm -sdo >"$work/sdo.txt" 2>&1
    expect "$work/sdo.txt" 'CoE Object Description found' 9
    # 600 bytes do not fit the buffer of the sample (error 3); holes in records are answered by an abort
    expect "$work/sdo.txt" 'PACKET.*error:[^3]|no response|TIMEOUT' 0
    expect "$work/sdo.txt" '0x6502      "Supported modes"' 7
    expect "$work/sdo.txt" '"CiA 402 drive"' 7
}

cycle() {
    start_sample simple_ng
    all_watchdogs 2000000
    expect "$work/sample.txt" 'all slaves are now operational' 1
    sleep 1.5
    all_in_op
    stop_sample
    [ "$(grep -c 'WKC 30 ' "$work/sample.lines")" -gt 100 ] || echo 'fewer than 100 cycles'
    expect "$work/sample.lines" 'WKC [0-9]+ wrong' 0 # "WKC -1" is a frame that came too late
}

# Inputs: 1 byte of terminal, then the Axia: z force in bytes 9 to 12, sample counter in 29 to 32.
force() {
    awk '/WKC 30 / { for (i = 1; i <= NF; i++) if ($i == "I:") { z = $(i+10) $(i+11) $(i+12) $(i+13); c = $(i+30) $(i+31) }
        n++; if (z != "806967FF") print "z " z; if (c == last) same++; last = c }
        END { if (n < 100 || same > 5) print n " cycles, " same " repeats" }' "$work/sample.lines"
}

# The six drives behind the cable fall to SAFE-OP by their watchdogs, and then count as before: the sample does not see
# it until a frame is missing; it acknowledges at the first and asks for OP at the next.
cable() {
    start_sample simple_ng
    all_watchdogs 2000000
    for i in 7 8 9 10 11 12; do tell "wd $i 100000"; done
    tell 'cut 6 for 300ms'
    sleep 0.7
    for i in 7 8 9 10 11 12; do tell "wd $i 2000000"; done
    [ "$(in_state OP)" = 6 ] || ask devices
    tell 'drop 3'
    sleep 1
    all_in_op
    stop_sample
    grep -q 'WKC 12 wrong' "$work/sample.lines" || echo 'the working counter 12 was not seen'
}

synchronise() {
    start_sample ec_sample 1000
    all_watchdogs 2000000
    sleep 1
    ask stats | grep -o '"dc_difference_ns":-*[0-9]*' |
        awk -F: '$2 > 1000 || $2 < -1000 { print "a clock is off by " $2 " ns" }'
    stop_sample
}

recover() {
    start_sample ec_sample 1000
    tell 'power 7 off for 200ms'
    sleep 2.5
    all_in_op
    stop_sample
    grep -q 'slave 7 recovered' "$work/sample.lines" || tail -n 3 "$work/sample.lines"
}

clean() { ask stats | grep -q '"foreign":0,"malformed":0,"unanswered":0' || ask stats; }

record() {
    rm -f "$work/wire.pcapng"
    tshark -q -i ecm -f 'ether proto 0x88a4' -w "$work/wire.pcapng" >"$work/tshark.txt" 2>&1 &
    recorder=$!
    for _ in $(seq 200); do
        [ -s "$work/wire.pcapng" ] && break
        sleep 0.05
    done
    sleep 0.5
    "$work/slaveinfo" ecm -map >/dev/null 2>&1
    start_sample simple_ng
    sleep 1
    stop_sample
    tell 'emcy 6 0x8700 0x21'
    "$work/slaveinfo" ecm -sdo >/dev/null 2>&1
    sleep 0.5
    kill -INT "$recorder" && wait "$recorder"
    frames=$(dissect ecat | wc -l)
    [ "$frames" -gt 5000 ] || echo "$frames frames; $(cat "$work/tshark.txt")"
}

dissect() { tshark -r "$work/wire.pcapng" -Y "$1" 2>/dev/null; }
malformed() { dissect '_ws.malformed || _ws.short' | head -n 5; }
expert() { dissect '_ws.expert' | head -n 5; }

# The lab marks its answers by bit 1 of the first octet of the source address, as slave controllers do.
answered() {
    local asked got
    asked=$(dissect 'eth.src == 10:01:01:01:01:01' | wc -l)
    got=$(dissect 'eth.src == 12:01:01:01:01:01' | wc -l)
    [ "$asked" = "$got" ] && [ "$got" -gt 1000 ] || echo "$asked requests, $got answers"
}

ended() {
    [ "$exit_code" = 0 ] || echo "exit code $exit_code"
    [ ! -e "$work/control" ] || echo 'the control socket is left'
}

inside() {
    ip link add ecm type veth peer name ecs && ip link set ecm up && ip link set ecs up || exit 8
    "$out/freefall-lab" --ethercat ecs --control "$work/control" --quiet >"$work/lab.txt" 2>&1 &
    lab=$!
    for _ in $(seq 100); do
        grep -q ready "$work/lab.txt" && break
        sleep 0.05
    done
    try 'slaveinfo finds twelve devices and takes them to SAFE-OP' scan
    try 'slaveinfo reads names, identities and mappings' describe
    try 'slaveinfo measures the delay of every cable' delays
    try 'slaveinfo reads every object of nine dictionaries' objects
    try 'simple_ng takes all to OP and exchanges data with the right working counter' cycle
    try 'simple_ng sees 10 N on the force sensor, and its samples counted' force
    try 'simple_ng sees a broken cable and brings the devices behind it back' cable
    try 'ec_sample synchronises all clocks to a microsecond' synchronise
    try 'ec_sample brings a device back to OP after a power cycle' recover
    try 'nothing malformed reached the lab' clean
    try 'tshark records bring-up, cycles, dictionaries and an emergency' record
    try 'tshark finds nothing malformed' malformed
    try 'tshark has no expert message' expert
    try 'tshark sees an answer to every request' answered
    kill "$lab"
    wait "$lab"
    exit_code=$?
    try 'the lab ends when asked and leaves nothing' ended
}

if [ "${1:-}" = inside ]; then
    who=$2 work=$3
    inside
    exit $code
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 777 "$work/root" "$work/user"
chmod 755 "$work"
for name in slaveinfo simple_ng ec_sample; do
    ${CC:-cc} -w -O1 -I"$out/soem/include" -I"$soem/include" -I"$soem/osal" -I"$soem/osal/linux" -I"$soem/oshw/linux" \
        -o "$work/root/$name" "$soem/samples/$name/$name.c" "$out/libsoem.a" -lpthread -lrt || exit 8
    cp "$work/root/$name" "$work/user"
done

user=()
if [ "$(id -u)" = 0 ]; then
    HOME=$work/root unshare -n "$0" inside root "$work/root" || code=1
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
    echo '# skip the run as root: this user is not root'
fi
if "${user[@]}" unshare -Urn true 2>"$work/unshare.txt"; then
    HOME=$work/user "${user[@]}" unshare -Urn "$0" inside 'plain user' "$work/user" || code=1
else
    echo "# skip the run as a plain user: $(cat "$work/unshare.txt")"
fi
exit $code
