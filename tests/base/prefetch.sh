# Functions that only fetch are not left out by the compiler.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

case $(uname -m) in
x86_64) instruction=prefetcht0 ;;
aarch64) instruction=prfm ;;
*) skip_all "the prefetch instruction of $(uname -m) is not known here" ;;
esac
cat >"$work/ahead.c" <<'END'
#include "base/prefetch.h"

static __attribute__((noinline)) void ahead(const char *all, int count)
{
    for (int i = 0; i < count; i++)
        prefetch(all + 4096 * i);
}

char caller(const char *all, int count)
{
    ahead(all, count);
    return *all;
}
END
# shellcheck disable=SC2086 # words
$MPICC $HEADER_CPPFLAGS -std=gnu11 -O2 -S -o "$work/ahead.s" "$work/ahead.c"
is "$?" 0 "it compiles"
like "$(cat "$work/ahead.s")" "$instruction" "the function fetches"
like "$(sed -n '/^caller:/,$p' "$work/ahead.s")" '(call|bl|jmp|b)[[:space:]]+ahead' "and is called"
done_testing
