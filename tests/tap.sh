# TAP for shell tests: source this file, call ok/is/like, end with done_testing.
. "$top_srcdir/tests/launching.sh"
tap_count=0
tap_failed=0
ok() { # ok STATUS DESCRIPTION: status 0 passes
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2"
    fi
}
is() { # is GOT EXPECTED DESCRIPTION
    if [ "$1" = "$2" ]; then ok 0 "$3"; else
        ok 1 "$3"
        printf '# got:      %s\n# expected: %s\n' "$1" "$2"
    fi
}
# Most texts are short, and match: the shell finds that without another process. grep decides about the others.
has_line() { # TEXT PATTERN: extended regular expression, any line
    local line
    if [ "${#1}" -lt 20000 ]; then
        while IFS= read -r line; do
            [[ $line =~ $2 ]] && return
        done <<<"$1"
    fi 2>/dev/null
    printf '%s\n' "$1" | grep -Eq -- "$2"
}
like() { # like TEXT PATTERN DESCRIPTION: extended regular expression, any line
    if has_line "$1" "$2"; then ok 0 "$3"; else
        ok 1 "$3"
        printf '%s\n' "$1" | sed 's/^/# got: /' | head -20
        printf '# expected to match: %s\n' "$2"
    fi
}
skip() { # skip DESCRIPTION REASON
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
# Each start of otf2-print fills tables of 180 MB: 1.1 s of processor time in pages of 4 kB, less than 0.2 s in large pages of the
# heap.
otf2-print() { GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824 command otf2-print "$@"; }
# For what can only be tested with MPICH.
is_mpich() { [ "${MPI_KIND:-mpich}" = mpich ]; }
asks_for_mpich() { # REASON
    is_mpich || skip_all "asks for MPICH: $1"
}
# tools/test --full checks several builds; SILAS_CHECK names the current one. Tests that take long and show
# nothing new in the distribution, or in a build with sanitizers, are left out there.
left_out_of() { # BUILD...
    case " $* " in
    *" ${SILAS_CHECK:-none} "*) skip_all "left out of the check of the $SILAS_CHECK" ;;
    esac
}
some_of() { # NUMBER WORD...: all words, but with sanitizers only the first so many
    if [ "${SILAS_CHECK-}" = sanitizers ]; then printf '%s\n' "${@:2:$1}"; else printf '%s\n' "${@:2}"; fi
}
# tools/test --full repeats the scripts that call one of these four functions, with SILAS_CASES set: then they check all cases.
in_full() { [ -n "${SILAS_CASES-}" ]; }
only_in_full() { # WHY: of a script that costs much time and seldom fails alone
    in_full || skip_all "in tools/test --full, or with SILAS_CASES=1: $1"
}
few_of() { # NUMBER WORD...: the first NUMBER words; all in tools/test --full
    if in_full; then printf '%s\n' "${@:2}"; else printf '%s\n' "${@:2:$1}"; fi
}
third_of() { # WORD...: every third word; all in tools/test --full
    if in_full; then printf '%s\n' "$@"; else printf '%s\n' "$@" | sed -n '3~3p'; fi
}
done_testing() {
    echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
    exit $?
}
