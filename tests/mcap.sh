#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2317 # ok() calls the functions below by name
# mcap.sh - the log, judged by the reference reader of its format: whole, cut at any byte, its writer killed, disk full.
cd "$(dirname "$0")/.." || exit 8
: "${OUT:=build/preempt-x86-64}"
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ok() { # name, then a command that must succeed
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        tail -n 8 "$work/log" | cut -c 1-400 | sed 's/^/    /'
        failed=1
    fi
}

judge() { # verb, file, condition in Python on d
    node tests/mcap.mjs "$1" "$2" >"$work/json" && cat "$work/json" &&
        python3 -c "import json,sys; d=json.load(open(sys.argv[1])); sys.exit(not ($3))" "$work/json"
}

ok 'the writer compiles' cc -std=c11 -D_GNU_SOURCE -I. -I"$OUT" -O2 -o "$work/write" tests/mcap_write.c "$OUT/freefall.a" -lzstd -lz -lm

# A whole file ---------------------------------------------------------------------------------------
"$work/write" "$work/a.mcap" 5000
w="d['topics']['/words']"
extras="d['attachments']=={'note.txt':6} and d['metadata']['freefall']=={'made by':'mcap_write'}"
ok 'the reference reader follows the index: all messages, checksums, attachment, metadata' \
    judge index "$work/a.mcap" "${w}['n']==5000 and ${w}['wrong']==0 and ${w}['last']=='4999000000' and $extras"
ok 'its statistics are right' judge index "$work/a.mcap" \
    "(s:=d['statistics'])['messageCount']=='5000' and s['chunkCount']==25 and s['channelMessageCounts']=={'0':'5000'} and s['attachmentCount']==1 and s['metadataCount']==1 and s['messageEndTime']=='4999000000'"
ok 'the reference reader streams it: all messages' judge stream "$work/a.mcap" "${w}['n']==5000 and ${w}['wrong']==0 and d['whole'] and $extras"
"$work/write" "$work/b.mcap" 5000
ok 'the same messages give the same bytes' cmp "$work/a.mcap" "$work/b.mcap"

# Cut at any byte --------------------------------------------------------------------------------------
cut_anywhere() {
    local size i
    size=$(stat -c %s "$work/a.mcap")
    rm -f "$work"/cut-*.mcap
    for i in $(seq 30); do
        head -c $((200 + (RANDOM * 32768 + RANDOM) % (size - 208))) "$work/a.mcap" >"$work/cut-$i.mcap"
    done
    node tests/mcap.mjs stream "$work"/cut-*.mcap >"$work/json" && python3 - "$work/json" <<'PYTHON'
import json, os, sys
whole = os.path.getsize(os.path.join(os.path.dirname(sys.argv[1]), 'a.mcap'))
lines = [json.loads(l) for l in open(sys.argv[1])]
assert len(lines) == 30
for d in lines:
    t = d['topics'].get('/words', {'n': 0, 'wrong': 0})
    # a chunk of 200 messages is there or not; noise, so chunks are alike in size
    share = os.path.getsize(d['file']) / whole * 25
    assert t['wrong'] == 0 and t['n'] % 200 == 0 and t['n'] / 200 >= share - 2, (d, share)
PYTHON
}
RANDOM=1
ok 'cut at 30 random bytes, the reference reader gets every complete chunk' cut_anywhere

mend() { # cut in the middle of the index behind a chunk, where only messages are whole
    local i
    for i in 1 2 3 4 5 6; do
        cp "$work/cut-$i.mcap" "$work/mended.mcap"
        "$work/write" --repair "$work/mended.mcap" || return 1
        node tests/mcap.mjs stream "$work/cut-$i.mcap" >"$work/before" && node tests/mcap.mjs index "$work/mended.mcap" >"$work/after" &&
            python3 -c "import json,sys; a,b=(json.load(open(f))['topics'] for f in sys.argv[1:]); sys.exit(a!=b)" "$work/before" "$work/after" || return 1
    done
}
for i in 1 2 3 4 5 6; do # ends 10 to 3010 bytes behind the second chunk: in its index, then in the next chunk
    head -c $(($(python3 -c "
import struct,sys
d=open(sys.argv[1],'rb').read(); o=8; n=0
while n<2:
    op,l=struct.unpack_from('<BQ',d,o); o+=9+l; n+=op==6
print(o)" "$work/a.mcap") + 10 + 600 * (i - 1))) "$work/a.mcap" >"$work/cut-$i.mcap"
done
ok 'a cut file that was repaired has the same messages by its index' mend

# The writer killed ------------------------------------------------------------------------------------
kills() {
    local i pid
    rm -f "$work"/kill-*
    for i in $(seq 100); do
        "$work/write" "$work/kill-$i.mcap" 100000000 "$work/kill-$i.progress" &
        pid=$!
        while [ ! -s "$work/kill-$i.progress" ]; do sleep 0.005; done
        sleep 0.0$((RANDOM % 90 + 10))
        kill -9 "$pid"
        wait "$pid" 2>/dev/null
    done
    node tests/mcap.mjs stream "$work"/kill-*.mcap >"$work/json" && python3 - "$work/json" <<'PYTHON'
import json, struct, sys
lost = []
for line in open(sys.argv[1]):
    d = json.loads(line)
    done, = struct.unpack('<Q', open(d['file'].replace('.mcap', '.progress'), 'rb').read())
    t = d['topics'].get('/words', {'n': 0, 'wrong': 0})
    assert t['wrong'] == 0 and not d['whole'], d
    lost.append(done - t['n'])
assert len(lost) == 100 and 0 <= min(lost) and max(lost) <= 250, (len(lost), min(lost), max(lost))
print(f'{len(lost)} kills, lost {min(lost)} to {max(lost)} cycles')
PYTHON
}
ok '100 times kill -9: always readable, at most 250 cycles lost' kills
echo "# $(tail -n 1 "$work/log")"

# Disk full --------------------------------------------------------------------------------------------
full() {
    (trap '' XFSZ; ulimit -f 100; "$work/write" "$work/full.mcap" 5000)
    [ $? -eq 1 ] && judge stream "$work/full.mcap" "0 < ${w}['n'] < 5000 and ${w}['wrong']==0"
}
ok 'on a full disk the writer says so, what it wrote is readable' full
exit $failed
