# Completion of SILAS's command lines in bash. Options and their words come from the programs' own tables:
# PROGRAM --list-options prints them (src/base/options.h). Installed for each program's name.

# Prints what PROGRAM [TOOL] lists; once per program and shell.
declare -gA _silas_lists
_silas_list() {
    [[ -n ${_silas_lists[$*]-} ]] || _silas_lists[$*]=$("$@" --list-options 2>/dev/null </dev/null)
    printf '%s\n' "${_silas_lists[$*]}"
}

# The words that complete $cur are WORDS; without any, files.
_silas_words() { # WORDS
    if [[ -n $1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}

_silas() {
    local program=("$1") word=1 cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local kind letter name argument choices names='' operands='' tool=${1##*/}
    COMPREPLY=()
    # --format=json is three words, because = separates words
    if [[ $cur = = ]]; then
        cur=''
    elif [[ $before = = && COMP_CWORD -ge 2 ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $tool = silas && COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]]; then
        tool=silas-${COMP_WORDS[1]}
        program+=("${COMP_WORDS[1]}")
        word=2
    fi
    # an empty field must not vanish: tabs are no blanks then
    while IFS=$'\037' read -r kind letter name argument choices _; do
        if [[ $kind = operand ]]; then
            operands=$letter
        elif [[ -n $argument && ($before = "--$name" || (-n $letter && $before = "-$letter")) ]]; then
            _silas_words "$choices"
            return
        elif [[ $kind = option ]]; then
            names+=" --$name"
            [[ -z $argument ]] || names+='='
        fi
    done < <(_silas_list "${program[@]}" | tr '\t' '\037')
    if [[ $cur = -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$names" -- "$cur")
        [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    elif [[ $tool = silas-trace && COMP_CWORD -ge $word ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
        [[ ${#COMPREPLY[@]} -gt 0 ]] || _silas_words ''
    else
        _silas_words "$operands"
    fi
}

complete -F _silas silas silas-trace silas-replay silas-model silas-init silas-advise silas-calibrate silas-analyze \
    silas-pop silas-traffic silas-structure silas-reduce silas-predict silas-sweep silas-export silas-report silas-diff \
    silas-verify silas-selftest
