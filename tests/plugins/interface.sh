# The interface of plug-ins: the installed headers stand alone, and the programs export the functions that they declare.
. "$top_srcdir/tests/plugins/installed.bash"
include=$installed_prefix/include/silas
[ -d "$include" ] || include=$(dirname "$(find "$stage" -name plugin.h)")

# --- headers
missing=$(grep -rhoE '^ *# *include *[<"]silas/[^>"]*' "$include" | sed 's!.*silas/!!' | sort -u |
    while read -r header; do [ -e "$include/$header" ] || echo "$header"; done)
is "$missing" "" "every header that is included is installed"
is "$(grep -rlE '^ *# *include *"' "$include")" "" "none depends on where it is included from"
headers=$(cd "$include" && find . -name '*.h' | sed 's!^\./!!' | grep -v '^region.h$' | sort)
[ "$(printf '%s\n' "$headers" | wc -l)" -gt 20 ]
ok $? "headers are found"
for header in $headers; do
    printf '#include <silas/%s>\n' "$header" >alone.c
    # shellcheck disable=SC2046 # words
    is "$(cc -std=c11 -Wall -Wextra -fsyntax-only $(flags --cflags) alone.c 2>&1 | head -5)" "" "<silas/$header> compiles alone"
done

# --- functions: GCC lists the declared ones
echo '#include <silas/plugin.h>' >all.c
# shellcheck disable=SC2046 # words
if cc -aux-info declared -fsyntax-only $(flags --cflags) all.c 2>/dev/null && [ -s declared ]; then
    sed -nE "s!^/\* $include/([^:]*):.* extern [^(]*[ *]([a-z_0-9]+) \(.*!\1 \2!p" declared |
        grep -vE '^structure/(cut|projection)' | sed 's/.* //' | sort -u >functions
    sed -n 's/^ *\(.*\);$/\1/p' "$top_builddir/src/plugins/functions.symbols" | grep '^[a-z]' | sort >listed
    [ "$(wc -l <functions)" -gt 100 ]
    ok $? "functions are found"
    is "$(comm -23 functions listed)" "" "the programs export all functions that the headers declare"
    tables=$(comm -13 functions listed)
    is "$(for table in $tables; do grep -rqE "^extern const .*\b$table\[" "$include" || echo "$table"; done)" "" \
        "... and nothing but tables beside"
else
    skip "functions" "cc cannot list declarations"
fi

# --- programs
for program in silas-replay silas-model silas-analyze silas-report silas-diff silas-structure; do
    is "$(nm -D --defined-only "$top_builddir/$program" 2>/dev/null | sed 's/.* //' | grep -xF -f listed | sort | comm -13 - listed)" "" \
        "$program offers all of them"
done
done_testing
