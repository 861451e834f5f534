#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# house.sh - the repository keeps its own rules: dependencies, licence lines, top level, no foreign address.
cd "$(dirname "$0")/.." || exit 8
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

tracked() { git ls-files "$@"; }

check 'the dependency and real-time rule holds' "$(python3 tools/house . --check >/dev/null || python3 tools/house . --check)"

# The rule can fail: a model that opens a file and includes a driver is named.
fake=$(mktemp -d)
mkdir -p "$fake/model" "$fake/drivers"
printf '#define X 1\n' >"$fake/drivers/bus.h"
printf '#include "drivers/bus.h"\n#include <stdio.h>\nRT_SAFE void mat_step(void)\n{\n    fopen("a", "r");\n}\n' >"$fake/model/mat.c"
found=$(python3 tools/house "$fake" --rule tools/house.rule --check)
case $found in
    *'must not include drivers/bus.h'*'must not call fopen()'* | *'must not call fopen()'*'must not include drivers/bus.h'*) missed= ;;
    *) missed="house saw only: $found" ;;
esac
check 'the rule sees an offence' "$missed"
rm -rf "$fake"

check 'every source and script has its SPDX line' \
    "$(tracked '*.c' '*.h' '*.sh' '*.bash' Makefile tools/deps tools/soem-options tools/house tests/run .ci/run |
        while read -r f; do [ ! -e "$f" ] || head -n 4 "$f" | grep -q 'SPDX-License-Identifier: ' || echo "$f"; done)"
check 'the top level is what the design says' \
    "$(tracked | sed 's#/.*##' | sort -u | grep -vxE 'Makefile|README.md|LICENSE|rt|drivers|model|estimation|config|tools|tests|\..*')"
# model's page also holds the table of equations and the measured fidelity
check 'every folder has a README of at most 60 lines, model of 100' \
    "$(for d in rt drivers model estimation config tools tests; do
        most=60
        [ $d != model ] || most=100
        [ -f $d/README.md ] && [ "$(wc -l <$d/README.md)" -le $most ] || echo "$d/README.md"; done)"
check 'no machine path and no registry address is committed' \
    "$(git grep -nIE '(^|[^a-z./])/(work|farm|root)/|://[a-z.]*(debian|npm)' -- . ':!tests/house.sh' ':!LICENSE')"
exit $code
