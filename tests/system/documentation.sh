# The keys, options, files and commands in the documentation are those of the programs.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$top_srcdir" || exit 99

# Keys: "X_keys[]" of a parser against what the table of section [x] has in its first column.
parser_keys() { # FILE: "section key" of each
    awk '/_keys\[\] = \{/ { section = $0; sub(/_keys.*/, "", section); sub(/.*[*]const /, "", section); reading = 1 }
        reading { rest = $0
            while (match(rest, /"[a-z_]+"/)) {
                print section, substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH)
            } }
        /\};/ { reading = 0 }' "$@" | sort -u
}
# The same of tables of struct ini_key, after macros; INI_KEYS_END ends one.
read_keys() { # FILE
    # shellcheck disable=SC2086 # words
    $MPICC $HEADER_CPPFLAGS -E -P "$@" |
        awk '/struct ini_key [a-z]+_keys\[\] = \{/ { section = $0; sub(/_keys.*/, "", section); sub(/.* /, "", section); reading = 1 }
            reading { rest = $0
                while (match(rest, /[.]name = "[a-z_]+"/)) {
                    print section, substr(rest, RSTART + 9, RLENGTH - 10); rest = substr(rest, RSTART + RLENGTH)
                } }
            /[.]name = (NULL|\(\(void [*]\)0\))/ { reading = 0 }' | sort -u
}
table_keys() { # FILE: "section key"
    awk '/^##/ { section = ""; if (match($0, /\[[a-z]+/)) section = substr($0, RSTART + 1, RLENGTH - 1) }
        section != "" && /^\| `/ { split($0, cell, "|"); rest = cell[2]
            while (match(rest, /`[a-z_]+[`= ]/)) {
                print section, substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH)
            } }' "$@" | sort -u
}
{
    read_keys src/job/replay_config.c replay/realtime/realtime.c replay/model/model.c replay/memory/config.c transform/*.c | grep -v '^template '
} | sed 's/^realtime /replay /' | sort -u >"$work/parsed"
table_keys doc/config.md >"$work/explained"
# [cut] for collectives is explained below its table.
echo "cut operation" | sort -u - "$work/explained" >"$work/both"
[ "$(wc -l <"$work/parsed")" -gt 70 ]
ok $? "keys are found in the sources"
is "$(diff "$work/parsed" "$work/both")" "" "doc/config.md explains every key, and no other"
like "$(sed -n '/^### \[cut/,/^### \[replace/p' doc/config.md)" '`operation`' "... those of [cut] for collectives, too"

read_keys src/sweep/load.c >"$work/parsed"
table_keys doc/sweep.md | grep '^sweep ' >"$work/explained"
like "$(cat "$work/parsed")" '^sweep objective$' "keys of [sweep] are found"
is "$(diff "$work/parsed" "$work/explained")" "" "doc/sweep.md explains every key of [sweep], and no other"

parser_keys replay/costs/machine.c | grep -vE ' (host|date|mpi|confidence)$' | sed 's/.* //' | sort -u >"$work/parsed"
[ "$(wc -l <"$work/parsed")" -gt 8 ]
ok $? "keys of machine files are found"
is "$(while read -r key; do grep -q "^$key = " doc/model.md || echo "$key"; done <"$work/parsed")" "" \
    "doc/model.md has all that a machine file may say"

# Options: --help against the man page.
for program in silas silas-trace silas-replay silas-model silas-calibrate silas-analyze silas-pop silas-traffic silas-structure silas-predict silas-sweep silas-export silas-init silas-reduce silas-report silas-diff silas-advise silas-verify silas-selftest; do
    "$top_builddir/$program" --help | sed -n 's/^  \(-[a-zA-Z], \|    \)\(--[a-z-]*\).*/\2/p' | sort >"$work/help"
    sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "doc/$program.1" | sed 's/\\-/-/g' |
        grep -A 1 '^\.T[PQ]' | grep -o -- '--[a-z][a-z-]*' | sort >"$work/page"
    [ -s "$work/help" ]
    ok $? "$program --help has options"
    is "$(diff "$work/help" "$work/page")" "" "$program(1) has the options that --help has"
done

# A line of text that begins with a dot would be taken for a request, and lost.
for page in doc/*.1; do
    is "$(grep -nE '^\.[^A-Za-z\\]' "$page")" "" "$page has no text that begins with a dot"
done

# No word of a man page is lost, and troff has nothing to complain about.
words() { tr -cs 'A-Za-z0-9' '\n' | sort -u; }
if command -v groff >/dev/null; then
    for page in doc/*.[15]; do
        is "$(groff -ww -man -Tutf8 -z "$page" 2>&1)" "" "$page: no warnings"
        sed -n '/^\.TH/d; /^\.\\"/d; s/^\.[A-Za-z]* *//; s/\\f[A-Z]/ /g; s/\\([a-z][a-z]/ /g; s/\\[-&e]/ /g; p' "$page" | words >"$work/source"
        groff -man -Tascii -rHY=0 -rLL=2000n "$page" 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' | words >"$work/shown"
        is "$(comm -23 "$work/source" "$work/shown" | paste -sd ' ')" "" "$page: every word is shown"
    done
else
    skip "words of man pages" "groff is missing"
fi

# No page is a reference (.so) to another, which viewers find only below a folder of the system.
is "$(grep -l '^\.so' doc/*.1 "$top_builddir"/doc/*.1 2>/dev/null)" "" "no man page is a reference to another"
is "$(cat "$top_builddir/doc/silas-cxx.1" "$top_builddir/doc/silas-fc.1" | cksum)" "$(cat doc/silas-cc.1 doc/silas-cc.1 | cksum)" \
    "silas-cxx(1) and silas-fc(1) are whole pages"

# The compilers' help is ours and names the compiler's own.
for compiler in silas-cc silas-cxx; do
    "$top_builddir/$compiler" --help >"$work/help" 2>&1
    is $? 0 "$compiler --help"
    is "$(head -1 "$work/help")" "usage: $compiler [COMPILER-OPTION]... FILE..." "... is its own"
    like "$(cat "$work/help")" "for the compiler's own: .+ --help" "... and says how to see the compiler's"
done

# Examples: every configuration that is shown is one.
dump=$top_builddir/tests/base/config_dump
for page in README.md doc/*.md; do
    awk -v out="$work/$(basename "$page" .md)" '/^```ini$/ { file = out "-" ++n ".ini"; reading = 1; next }
        /^```/ { reading = 0 }
        reading { print >file }' "$page"
done
for example in "$work"/*.ini; do
    if grep -qE '^\[(machine|operations)\]' "$example"; then
        is "$("$top_builddir/tests/predict/hardware_dump" --known "$example" | grep -F "$example")" "" \
            "$(basename "$example" .ini) is a machine file"
        continue
    fi
    if grep -q '^\[predict\]' "$example"; then # the files that it names
        printf 'param n = 1;\nparam iterations = 1;\npart main { barrier; }\n' >"$work/stencil.silas"
        mkdir -p "$work/machines" && printf '[distance node]\nlatency = 1 us\n' | tee "$work/machines/now.ini" >"$work/machines/planned.ini"
        sed -i 's|now.ini, planned.ini|machines/now.ini, machines/planned.ini|' "$example"
        is "$("$top_builddir/silas-sweep" --dry-run "$example" 2>&1 | head -n 1)" "16 predictions" "$(basename "$example" .ini) is a sweep of predictions"
        continue
    fi
    if grep -qE '^\[(sweep|alternative|launcher|slurm)' "$example"; then
        grep -q '^\[trace\]' "$example" || { echo '[trace]'; echo 'path = a'; } | cat - "$example" >"$example.whole"
        [ ! -f "$example.whole" ] || mv "$example.whole" "$example"
        is "$("$top_builddir/tests/sweep/sweep_dump" "$example" | grep -F "$example")" "" \
            "$(basename "$example" .ini) is a sweep"
        continue
    fi
    grep -q '^\[trace\]' "$example" || printf '[trace]\npath = a\n' >>"$example"
    is "$("$dump" "$example" 2>&1 | grep -F "$example")" "" "$(basename "$example" .ini) is a configuration"
done

# Links and names of files.
links() { grep -o '\](\([^)]*\))' "$1" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https*:' | sort -u; }
missing=$(for page in *.md doc/*.md; do
    folder=./${page%"${page##*/}"}
    links "$page" | while read -r link; do
        [ -z "$link" ] || [ -e "$folder$link" ] || [ -e "$top_builddir/$folder$link" ] || echo "$page: $link"
    done
done)
is "$missing" "" "links lead somewhere"
named=$(for page in *.md doc/*.md doc/*.1; do
    grep -oE '\b(bench|tests|tools|src|transform|replay|patterns|examples|doc)/[A-Za-z0-9_./-]*[A-Za-z0-9_]' "$page" |
        sort -u | while read -r name; do
        [ -e "$name" ] || [ -e "$top_builddir/$name" ] || compgen -G "$name.*" >/dev/null || echo "$page: $name"
    done
done)
is "$named" "" "files that are named are there"

# Installed files: pages, and every file that pages, manual pages and messages refer to.
installed=$work/installed
env -u MAKEFLAGS -u MFLAGS make -s -C "$top_builddir" DESTDIR="$installed" install-dist_docDATA install-nodist_docDATA \
    install-dist_picturesDATA install-man install-data-hook >"$work/log" 2>&1
is "$?" 0 "documentation can be installed by itself"
pages=$(dirname "$(find "$installed" -name README.md)")
missing=$(cd "$pages" && for page in *.md; do
    links "$page" | while read -r link; do
        [ -z "$link" ] || [ -e "$link" ] || echo "$page: $link"
    done
done)
is "$missing" "" "links of installed pages lead to installed files"
manuals() { find "$installed" -path '*/man/*' -type f; }
# shellcheck disable=SC2046 # one word per file
cited=$({
    grep -ohE '\b[a-z][a-z0-9-]*\.md\b' $(manuals)
    grep -rohE '"[^"]*\bdoc/[a-z0-9-]+\.md' src transform replay patterns \
        --include='*.[ch]' | sed 's|.*doc/||'
} | sort -u)
[ "$(echo "$cited" | wc -l)" -ge 15 ]
ok $? "pages are cited"
is "$(for page in $cited; do [ -e "$pages/$page" ] || echo "$page"; done)" "" "pages that manual pages and messages cite are installed"
# shellcheck disable=SC2046
cited=$(sed 's/\\-/-/g' $(manuals) | grep -ohE '\bsilas(-[a-z]+)?\\?(fP|fB|fR)? ?\([157]\)' | sed -E 's/\\f[PBR]//; s/ //' | sort -u)
is "$(for page in $cited; do
    name=${page%(*} chapter=${page#*(}
    [ -n "$(find "$installed" -name "$name.${chapter%)}")" ] || echo "$page"
done)" "" "manual pages that are cited are installed"
like "$(manuals)" 'man5/silas-config\.5' "there is a page of the configuration"
like "$(cat "$(find "$installed" -name silas-config.5)")" '^\.SS? .*balance LABEL' "... with every hypothesis"
if command -v groff >/dev/null; then
    is "$(manuals | while read -r page; do groff -man -ww -z -Kutf8 -Tutf8 "$page" 2>&1; done | grep -v "can't open 'man1/" | head -5)" "" \
        "groff finds nothing wrong in manual pages"
else
    skip "groff finds nothing wrong in manual pages" "no groff"
fi

# The glossary: each term once, in order.
terms=$(sed -n '/^|---/,$s/^| \([^|]*[^ |]\) *|.*/\1/p' doc/glossary.md)
is "$(printf '%s\n' "$terms" | LC_ALL=C sort -f -u)" "$terms" "doc/glossary.md is in alphabetical order"

# What comments cite is in the project, and its sections exist.
cited=$(grep -rhoE 'doc/methods\.md, section [0-9]+' src transform replay patterns bench tests --include='*.[ch]' --include='*.sh' |
    sed 's/.* //' | sort -un | while read -r section; do
    grep -q "^## $section " doc/methods.md || echo "section $section"
done)
is "$cited" "" "sections of doc/methods.md that are cited exist"
is "$(grep -rlE '\b(METHODS|RECIPES)\b' README.md ARCHITECTURE.md CONTRIBUTING.md doc src transform replay patterns bench examples tools)" "" \
    "nothing cites documents that are not in the project"
done_testing
