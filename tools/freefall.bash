# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# freefall.bash - completion for bash. It knows no command itself: the program is asked what may follow.

_freefall()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
    local before=() i words

    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -* ]] || before+=("${COMP_WORDS[i]}")
    done
    COMPREPLY=()
    if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --interface ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(command ls /sys/class/net 2>/dev/null)" -- "$word")
        return
    fi
    words=$("$program" help --words "${before[@]}" 2>/dev/null)
    if [[ $word != -* ]]; then
        words=$(grep -v '^-' <<<"$words") # options are offered once a dash is typed
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    if [[ $word != -* && -z $words ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _freefall freefall
