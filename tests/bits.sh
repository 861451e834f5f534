#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bits.sh - every function of the mathematics gives the same bits whatever compiled it.
#
# Each tests/bits_*.c prints "function hash" for the sources named on its line "bits.sh sources:"; what those call
# from elsewhere is on its line "bits.sh needs:". It is built in the four ways below and the lines are compared. Every function that the sources export, and every inline one in their headers,
# must be among them. A fifth build, the sources with fused multiply-add, must be noticed: it shows that the test can fail.
set -u
cd "$(dirname "$0")/.." || exit 8
code=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { # ok or not ok, sentence
    echo "$1 - $2"
    [ "$1" = ok ] || code=1
}

gcc=${GCC:-gcc}
clang=${CLANG:-$(command -v clang-19 || command -v clang)}
flags='-std=c11 -D_GNU_SOURCE -I. -fno-math-errno'
exact='-ffp-contract=off'

base='' wide=''
if [ "$(uname -m)" = x86_64 ]; then
    base=-march=x86-64
    grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && grep -qw bmi2 /proc/cpuinfo && wide=-march=x86-64-v3
fi

builds=("gcc-O2|$gcc -O2 $base")
[ -z "$clang" ] || builds+=("clang-O2|$clang -O2 $base")
if [ -n "$wide" ]; then
    builds+=("gcc-O3-avx2|$gcc -O3 $wide")
    [ -z "$clang" ] || builds+=("clang-O3-avx2|$clang -O3 $wide")
else
    echo '# skip builds with AVX2: this processor has none'
fi
[ -n "$clang" ] || echo '# skip builds by clang: not installed (make deps)'

# Build one program: name, compiler, how to treat a*b+c in the sources, program file, its sources
build() {
    local name=$1 compiler=$2 contract=$3 program=$4
    shift 4
    mkdir -p "$work/$name"
    for source in "$@"; do
        # shellcheck disable=SC2086  # a list of words
        $compiler $flags $contract -c -o "$work/$name/$(basename "$source" .c).o" "$source" || return 1
    done
    # shellcheck disable=SC2086
    $compiler $flags $exact -o "$work/$name/program" "$program" "$work/$name"/*.o -lm &&
        "$work/$name/program" >"$work/$name/hashes"
}

for program in tests/bits_*.c; do
    subject=$(basename "$program" .c)
    read -r -a sources <<<"$(sed -n 's/.*bits.sh sources: *//p' "$program")"
    read -r -a needs <<<"$(sed -n 's/.*bits.sh needs: *//p' "$program")"
    first=''
    for entry in "${builds[@]}"; do
        name=$subject-${entry%%|*}
        if ! build "$name" "${entry#*|}" "$exact" "$program" "${sources[@]}" "${needs[@]}"; then
            say 'not ok' "$name builds and runs"
            continue
        fi
        first=${first:-$name}
    done
    [ -n "$first" ] || continue

    # every function, in every build
    while read -r function hash; do
        different=''
        for entry in "${builds[@]}"; do
            grep -qx "$function $hash" "$work/$subject-${entry%%|*}/hashes" 2>/dev/null || different+=" ${entry%%|*}"
        done
        if [ -z "$different" ]; then
            say ok "$function: the same bits in ${#builds[@]} builds"
        else
            say 'not ok' "$function: other bits than ${first#"$subject-"} in$different"
        fi
    done <"$work/$first/hashes"

    # nothing forgotten
    missing=''
    objects=("${sources[@]##*/}")
    objects=("${objects[@]/%.c/.o}")
    for function in $(nm -g --defined-only "${objects[@]/#/$work/$first/}" | sed -n 's/.* T //p') \
        $(sed -n 's/^RT_SAFE static inline [a-z0-9_ ]*[ *]\([a-z0-9_]*\)(.*/\1/p' "${sources[@]/%.c/.h}"); do
        grep -q "^$function " "$work/$first/hashes" || missing+=" $function"
    done
    if [ -z "$missing" ]; then
        say ok "$subject has every function of ${sources[*]}"
    else
        say 'not ok' "$subject has every function: not$missing"
    fi

    # the test can fail
    if [ -n "$wide" ]; then
        if build "$subject-fused" "$gcc -O3 $wide" -ffp-contract=fast "$program" "${sources[@]}" "${needs[@]}"; then
            changed=$(diff "$work/$first/hashes" "$work/$subject-fused/hashes" | grep -c '^>')
            all=$(wc -l <"$work/$first/hashes")
            if [ "$changed" -gt 0 ]; then
                say ok "$subject: fused multiply-add is noticed, in $changed of $all functions"
            else
                say 'not ok' "$subject: fused multiply-add is noticed"
            fi
        else
            say 'not ok' "$subject-fused builds and runs"
        fi
    fi
done
exit $code
