#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cobalt.sh - what "make RT=cobalt" asks of xeno-config and does with the answers.
#
# The scripts below answer as xeno-config does; they prove our rules, not Xenomai. With a real libcobalt
# (XENO_CONFIG in the environment, or xeno-config on the path) the programs are compiled and linked too.
cd "$(dirname "$0")/.." || exit 8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0

check() { # name, text, pattern that must occur in it
    if grep -qF -- "$3" <<<"$2"; then
        echo "ok - $1"
    else
        printf 'expected: %s\nfound: %s\n' "$3" "$(head -n 5 <<<"$2")"
        echo "not ok - $1"
        code=1
    fi
}

xeno_config() { # core: writes a script that answers like xeno-config of that core
    cat >"$work/xeno-config" <<EOF
#!/bin/sh
case "\$*" in
    --core) echo $1 ;;
    --libdir) echo /opt/xeno/lib ;;
    '--skin=posix --no-auto-init --cflags') echo '-I/opt/xeno/include -D_GNU_SOURCE -D_REENTRANT -D__COBALT__ -D__COBALT_WRAP__' ;;
    '--skin=posix --no-auto-init --ldflags') echo '-Wl,@/opt/xeno/lib/cobalt.wrappers -L/opt/xeno/lib -lcobalt -lpthread -lrt' ;;
    *) echo "unexpected question: \$*" >&2; exit 1 ;;
esac
EOF
    chmod +x "$work/xeno-config"
}

out=$(make -n RT=cobalt XENO_CONFIG="$work/none" all 2>&1)
check 'a missing xeno-config is named with the way out' "$out" 'needs Xenomai 3: "'"$work/none"'" was not found'
xeno_config mercury
out=$(make -n RT=cobalt XENO_CONFIG="$work/xeno-config" all 2>&1)
check 'a core that is not Cobalt is refused' "$out" 'needs a Cobalt core'
xeno_config cobalt
out=$(make -n V=1 RT=cobalt XENO_CONFIG="$work/xeno-config" all 2>&1)
check 'objects go to a directory of their own' "$out" 'build/cobalt-'
check 'our sources are compiled with the flags of xeno-config' "$(grep -- '-o build/cobalt-[^ ]*/tools/freefall.o' <<<"$out")" '-D__COBALT_WRAP__'
check 'SOEM is compiled with the same flags' "$(grep -- '-o build/cobalt-[^ ]*/nicdrv.o' <<<"$out")" '-D__COBALT_WRAP__'
check 'the wrappers stand last on the link line, with a run path' \
    "$(grep -- '-o build/cobalt-[^ ]*/freefall ' <<<"$out")" '-Wl,@/opt/xeno/lib/cobalt.wrappers -L/opt/xeno/lib -lcobalt -lpthread -lrt -Wl,-rpath,/opt/xeno/lib'
out=$(make -n RT=evl all 2>&1)
check 'an unknown platform is refused with what is known' "$out" 'RT=evl: expected preempt or cobalt'

real=${XENO_CONFIG:-xeno-config}
if [ "$("$real" --core 2>/dev/null)" = cobalt ]; then
    out=$(make RT=cobalt XENO_CONFIG="$real" all 2>&1 || echo 'make failed')
    check 'freefall compiles and links with the libcobalt of this machine' "$(grep -q 'make failed' <<<"$out" || echo linked)" linked
else
    echo '# skip compiling with a real libcobalt: no xeno-config on this machine'
fi
exit $code
