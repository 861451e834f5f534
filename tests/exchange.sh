#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2317 # ok() calls the functions below by name
# exchange.sh - the memory two threads share: every interleaving by the model checker spin, the real code under the
# thread sanitizer. Models with a mistake planted must be refuted: that shows the checks can fail.
set -u
cd "$(dirname "$0")/.." || exit 8
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
        tail -n 12 "$work/log" | sed 's/^/    /'
        failed=1
    fi
}

# The whole space of states is searched; a depth that is reached would be a search cut short.
holds() { # words of the model
    rm -rf "$work/model" && mkdir "$work/model"
    (cd "$work/model" && spin "$@" -a "$OLDPWD/tests/exchange.pml" && cc -O2 -w -DSAFETY -o pan pan.c && ./pan -m100000) >"$work/spin" 2>&1
    cat "$work/spin"
    grep -q 'errors: 0' "$work/spin" && ! grep -q 'max search depth too small' "$work/spin"
}
refuted() {
    holds "$@"
    grep -qE 'errors: [1-9]' "$work/spin"
}

if command -v spin >/dev/null; then
    for what in RING LATEST; do
        ok "$what: whole, in order, nothing lost uncounted, in every interleaving" holds "-D$what"
        echo "# $(grep -E 'states, stored' "$work/spin" | sed 's/^ *//')"
        for broken in 1 2 3 4; do
            ok "$what: mistake $broken is found" refuted "-D$what" "-DBROKEN=$broken"
        done
    done
else
    echo 'not ok - spin is installed (make deps)'
    failed=1
fi

unity=${UNITY_DIR:-build/deps/unity}
tsan() { # program, then sources
    local program=$1
    shift
    cc -std=c11 -D_GNU_SOURCE -I. -isystem "$unity" -DUNITY_INCLUDE_DOUBLE -O1 -g -fsanitize=thread -o "$program" \
        tests/test_exchange.c "$@" "$unity/unity.c" -lpthread -lm
}
if echo 'int main(void){return 0;}' | cc -fsanitize=thread -x c -o "$work/tsan" - 2>/dev/null && "$work/tsan"; then
    ok 'the exchange compiles for the thread sanitizer' tsan "$work/tsan" rt/exchange.c
    ok 'the thread sanitizer sees no race' "$work/tsan"
    # without the marks it must see one
    sed 's/memory_order_\(release\|acquire\|acq_rel\)/memory_order_relaxed/' rt/exchange.c >"$work/relaxed.c"
    ok 'the same code with relaxed marks compiles' tsan "$work/relaxed" "$work/relaxed.c"
    ok 'and is seen to race' bash -c "! '$work/relaxed'"
else
    echo '# skip the thread sanitizer: this compiler or kernel has none'
fi
exit $failed
