# Completion of command lines in bash and zsh: what the shells offer are the programs' own options.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
PATH=$top_builddir:$PATH
touch a.ini 'with blanks.otf2'
script=$top_srcdir/src/programs/completion.bash
programs=$(cd "$top_srcdir" && ls src/programs/silas-*.c | sed 's!.*/\(.*\)\.c!\1!')

# What bash offers for a command line, whose last word is being typed: sorted, on one line.
offers() { # WORD...
    timeout 60 bash --norc -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _silas "$1" 2>&1
        printf "%s\n" "${COMPREPLY[@]}" | sort | tr "\n" " "' "$script" "$@"
}
options() { # PROGRAM: as --help shows them, those with an argument with =
    timeout 60 "$top_builddir/$1" --help | sed -n 's/^  \(-[a-zA-Z], \|    \)\(--[a-z-]*=\{0,1\}\).*/\2/p' | sort | tr '\n' ' '
}
for program in silas $programs; do
    is "$(bash --norc -c '. "$0" && complete -p "$1"' "$script" "$program" 2>&1)" "complete -F _silas $program" \
        "bash completes $program"
    is "$(offers "$program" --)" "$(options "$program")" "... by the options that --help shows"
    timeout 60 "$top_builddir/$program" --list-options >list
    is "$? $(awk -F'\t' '!($1 == "option" && NF == 6 || $1 == "operand" && NF == 2)' list)" "0 " "$program --list-options: every line has its fields"
done
is "$(offers silas-export --format p)" "perfetto " "the words of an option"
is "$(offers silas-export -f c)" "csv " "... behind its letter"
is "$(offers silas-export --format = f)" "folded " "... behind an equals sign"
is "$(offers silas-export --format =)" "csv folded goal perfetto simgrid " "... with nothing typed yet"
like "$(offers silas-analyze -f '')" 'json.* text.* tsv' "formats of reports"
is "$(offers silas exp)" "export " "silas completes its tools"
is "$(offers silas export --tog)" "--together " "... and their options"
is "$(offers silas export --form)" "--format= " "an option with an argument"
is "$(offers silas replay a)" "a.ini " "files"
is "$(offers silas-export -f folded with)" "with blanks.otf2 " "a file with blanks"
like " $(offers silas-trace bas)" ' bash ' "silas-trace completes commands"
is "$(offers silas nothing --)" " " "an unknown tool has no options, and says nothing"

# Where the shells look for it
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" DESTDIR="$work/stage" prefix=/usr install-completion
found=$work/stage/usr/share/bash-completion/completions
is "$(cd "$found" && for program in silas $programs; do [ -e "$program" ] || echo "$program"; done)" "" "installed: a file for each program"
is "$(bash --norc -c '. "$0"; complete -p silas-replay' "$found/silas-replay")" "complete -F _silas silas-replay" "... which completes it"
cmp -s "$work/stage/usr/share/zsh/site-functions/_silas" "$top_srcdir/src/programs/completion.zsh"
ok $? "... and for zsh"
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" DESTDIR="$work/stage" prefix=/usr uninstall-completion
is "$(find stage -type f -o -type l)" "" "... nothing is left of it"

if command -v zsh >/dev/null; then
    # _arguments is part of zsh's completion, which needs a terminal: show its arguments.
    arguments() { # WORD...
        timeout 60 zsh -f -c '_arguments() { print -rl -- "$@" }
            words=("${@:2}"); CURRENT=$#words; source "$1"' zsh "$top_srcdir/src/programs/completion.zsh" "$@"
    }
    like "$(arguments silas-export '')" '^--format=\[one of the formats below\]:FORMAT:\(goal simgrid perfetto csv folded\)$' "zsh: the words of an option"
    like "$(arguments silas-export '')" '^-o\+\[write to FILE.*:FILE:_files$' "zsh: letters"
    like "$(arguments silas export '')" '^--together\[folded: sum over all ranks\]$' "zsh: options of tools"
    like "$(arguments silas '')" '^\*:operand:\(trace replay ' "zsh: tools"
    like "$(head -1 "$top_srcdir/src/programs/completion.zsh")" '^#compdef silas ' "zsh: the programs"
    is "$(for program in $programs; do head -1 "$top_srcdir/src/programs/completion.zsh" | grep -qw -- "$program" || echo "$program"; done)" "" \
        "... all of them"
else
    skip "zsh" "there is none"
fi
done_testing
