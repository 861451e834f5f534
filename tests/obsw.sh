#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2317 # ok() calls the functions below by name
# obsw.sh - on-board software of a user: the example, compiled outside the tree with only obsw.h beside it, run as a
#           library and as a process, which must answer with the same bytes; and the exchange under the thread sanitizer.
cd "$(dirname "$0")/.." || exit 8
out=${OUT:-build/preempt-x86-64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$PWD
failed=0
CYCLES=5000

ok() { # name, then a command that must succeed; what it says is shown only when it does not
    local name=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        echo "ok - $name"
    else
        sed 's/^/    /' "$work/out" | head -n 20
        echo "not ok - $name"
        failed=1
    fi
}

same() { # library, parameters, program and its words: both answer alike, run normally and with denormals flushed
    local library=$1 parameters=$2
    shift 2
    "$work/compare" "$library" "$CYCLES" "$parameters" "$@" &&
        grep -qE "$CYCLES cycles, [1-9][0-9]* with a command, 0 differ" "$work/out" &&
        [ "$(grep -c "$CYCLES cycles, .* 0 differ" "$work/out")" -eq 2 ]
}

says() { # exit code, words, then a command that must end with that code and say the words
    local code=$1 words=$2 text
    shift 2
    text=$("$@" 2>&1 3<&-)
    code=$((code - $?))
    echo "$text"
    [ "$code" -eq 0 ] && grep -qF -- "$words" <<<"$text"
}

# The example, as its README says --------------------------------------------------------------------
mkdir "$work/user" && cp tools/example/obsw_example.c model/obsw.h "$work/user/" || exit 8
strict='-O2 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffp-contract=off -fPIC -shared'
compile() { # library, compiler and its words
    local library=$1
    shift
    # shellcheck disable=SC2086 # words
    (cd "$work/user" && "$@" $strict -o "$library" obsw_example.c)
}
ok 'the example compiles as C11 with only obsw.h beside it' compile "$work/user/c.so" cc -std=c11
if command -v c++ >/dev/null; then
    ok 'the same file compiles as C++11' compile "$work/user/cxx.so" c++ -x c++ -std=c++11
else
    echo '# skip the example as C++11: no C++ compiler on this machine'
fi
ok 'the comparison compiles' cc -std=c11 -D_GNU_SOURCE -I. -O2 -o "$work/compare" tests/obsw_compare.c "$out/freefall.a" -lm

for library in "$work"/user/*.so; do
    name=$(basename "$library")
    ok "$name: library and process give the same bytes" same "$library" '' "$out/freefall" obsw-host "$library"
    ok "$name: with parameters too" same "$library" '250 30.5 4' "$out/freefall" obsw-host "$library"
done
if [ -e "$work/user/cxx.so" ]; then
    ok 'C and C++ give the same bytes' same "$work/user/c.so" '' "$out/freefall" obsw-host "$work/user/cxx.so"
fi
# the comparison can fail: other gains in the other process
sed 's/400\.0/400.00000000001/' tools/example/obsw_example.c >"$work/user/obsw_example.c"
ok 'another gain compiles' compile "$work/other.so" cc -std=c11
ok 'and is seen as different' says 1 'first difference in cycle' "$work/compare" "$work/user/c.so" 100 '' "$out/freefall" obsw-host "$work/other.so"

# The built-in capture controller, as a library --------------------------------------------------------
# shellcheck disable=SC2046 # words
ok 'the capture controller compiles as a library' cc -std=c11 -D_GNU_SOURCE -I. -O2 -ffp-contract=off -fPIC -shared -o "$work/capture.so" \
    tests/obsw_capture.c rt/obsw_builtin.c tests/robots.c tests/robots_model.c $(printf '%s\n' model/*.c) -lm
CYCLES=2500
ok 'capture: library and process give the same bytes' same "$work/capture.so" '' "$out/freefall" obsw-host "$work/capture.so"

# What the host says ------------------------------------------------------------------------------------
host=("$out/freefall" obsw-host)
ok 'the host without a library says so' says 2 'expected the file of a shared library' "${host[@]}"
ok 'the host started by hand says who starts it' says 4 'started by freefall itself' "${host[@]}" "$work/user/c.so"
ok 'a missing library is named by the host, and the controller refuses' says 2 'No such file' \
    "$work/compare" "$work/user/c.so" 1 '' "${host[@]}" "$work/none.so"
ok 'parameters the library refuses are shown' says 2 'parameters "400 60"' "$work/compare" "$work/user/c.so" 1 '400 60' "${host[@]}" "$work/user/c.so"
ok 'a program that knows nothing of this is refused' says 2 'ended with exit code 0 before it was ready' "$work/compare" "$work/user/c.so" 1 '' true
ok 'a shell may stand between the two' same "$work/user/c.so" '' sh -c "'$here/$out/freefall' obsw-host '$work/user/c.so'; exit"

# Both sides of the exchange, as threads, under the thread sanitizer ------------------------------------
unity=${UNITY_DIR:-build/deps/unity}
if echo 'int main(void){return 0;}' | cc -fsanitize=thread -x c -o "$work/tsan" - 2>/dev/null && "$work/tsan"; then
    ok 'the exchange compiles for the thread sanitizer' cc -std=c11 -D_GNU_SOURCE -I. -isystem "$unity" -DUNITY_INCLUDE_DOUBLE \
        -O1 -g -fsanitize=thread -o "$work/tsan" tests/test_obsw_memory.c rt/obsw_memory.c rt/platform.c "$unity/unity.c" -lpthread
    ok 'the thread sanitizer sees no race' "$work/tsan"
else
    echo '# skip the thread sanitizer: this compiler or kernel has none'
fi
exit $failed
