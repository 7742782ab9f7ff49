#compdef silas silas-trace silas-replay silas-model silas-init silas-advise silas-calibrate silas-analyze silas-pop silas-traffic silas-structure silas-reduce silas-predict silas-sweep silas-export silas-report silas-diff silas-verify silas-selftest
# Completion of SILAS's command lines in zsh. Options and their words come from the programs' own tables:
# PROGRAM --list-options prints them (src/base/options.h).

_silas() {
    local -a program specs
    local line kind letter name argument choices help operands names action
    program=($words[1])
    if [[ ${words[1]:t} = silas ]] && ((CURRENT > 2)) && [[ $words[2] != -* ]]; then
        program+=($words[2])
        shift words
        ((CURRENT--))
    fi
    for line in ${(f)"$($program --list-options 2>/dev/null </dev/null)"}; do
        # "@" keeps empty fields
        local -a fields
        fields=("${(@ps:\t:)line}")
        kind=$fields[1] letter=$fields[2] name=$fields[3] argument=$fields[4] choices=$fields[5] help=$fields[6]
        if [[ $kind = operand ]]; then
            operands=$letter
            continue
        fi
        help=${${help//\[/(}//\]/)}
        action=
        if [[ -n $argument ]]; then
            action=":${argument//:/ }:_files"
            [[ -z $choices ]] || action=":${argument//:/ }:($choices)"
            name+='='
        fi
        specs+=("--${name}[$help]$action")
        if [[ -n $letter ]]; then
            [[ -z $argument ]] && specs+=("-${letter}[$help]") || specs+=("-${letter}+[$help]$action")
        fi
    done
    if [[ ${program[-1]:t} = (trace|silas-trace) ]]; then
        _arguments -S $specs '*::: :_normal'
    elif [[ -n $operands ]]; then
        _arguments -S $specs "*:operand:($operands)"
    else
        _arguments -S $specs '*:file:_files'
    fi
}

_silas "$@"
