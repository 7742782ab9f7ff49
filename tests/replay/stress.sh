# Random programs of waits, tests, cancelled and persistent requests, traced and replayed under changed
# timing: nothing hangs (the watchdog would end it), and in the predicted trace every request that was
# completed in the recording is, once.
# Runs alone.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-stress.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The number of records of each kind in an archive, except tests, whose number depends on timing.
kinds() { # ARCHIVE
    otf2-print "$1" | awk '/^[A-Z_]+ +[0-9]+ / && $1 !~ /^(ENTER|LEAVE|MPI_REQUEST_TEST)$/ { n[$2 " " $1]++ }
        END { for (k in n) print k, n[k] }' | sort
}

# Requests that are posted twice, completed twice, or completed before they are posted.
wrong_requests() { # ARCHIVE
    otf2-print "$1" | awk '
        { request = ""
          if (match($0, /[Rr]equest: [0-9]+/))
              request = $2 " " substr($0, RSTART, RLENGTH) }
        /^MPI_(ISEND|IRECV_REQUEST) / { posted[request]++ }
        /^MPI_(ISEND_COMPLETE|IRECV|REQUEST_CANCELLED) / { if (++done[request] > posted[request]) print }
        END { for (r in posted) if (posted[r] != 1 || done[r] != 1) print r, posted[r] + 0, done[r] + 0 }'
}

replayed() { # NP NAME HYPOTHESIS-LABEL WILDCARDS, the hypothesis on standard input
    out=$work/$2-$3
    { printf '[trace]\npath = %s\n[replay]\nrepeat = 1\ntune = no\ntimeout = 60\noversubscribe = yes\nwildcards = %s\nbaseline = trace\n' \
        "$work/$2/traces.otf2" "$4"
      printf '[output]\ndirectory = %s\nformats = text\ntrace = yes\n' "$out"
      cat; } >"$out.ini"
    launch "$1" "$top_builddir/silas-replay" "$out.ini" >"$out.report" 2>"$out.err"
    ok $? "$2 with $3 is replayed to its end"
    grep -v "NOT TRUSTWORTHY" "$out.err" | sed 's/^/# /'
    predicted=$(ls "$out"/*/traces.otf2 "$out"/traces.otf2 2>/dev/null | head -n 1)
    is "$(wrong_requests "$predicted" | head -n 5)" "" "$2 with $3: every request completes once"
    facts=$("$top_builddir/tests/trace/check_trace" "$predicted" 2>&1)
    echo "$facts" | grep -q "^ranks $1 "
    ok $? "$2 with $3: messages match ($facts)"
}

stressed() { # NP SEED [any]
    name=np$1-seed$2${3:+-any}
    wildcards=recorded
    [ -z "${3-}" ] || wildcards=free
    launch "$1" "$top_builddir/silas-trace" -o "$work/$name" "$top_builddir/tests/replay/stress" "$2" ${3+"$3"} \
        >"$work/out" 2>&1
    ok $? "$name runs under the tracer"
    kinds "$work/$name/traces.otf2" >"$work/recorded"
    for factor in 0 20; do
        replayed "$1" "$name" "times-$factor" $wildcards <<END
[scale first]
region = first
factor = $factor
END
        kinds "$predicted" >"$work/predicted"
        cmp "$work/recorded" "$work/predicted" >&2
        ok $? "$name with times-$factor: as many records of each kind"
    done
    # Which messages of wildcard receives are cut depends on the recorded order; any subset must work.
    replayed "$1" "$name" cut $wildcards <<END
[cut some]
tag = 7
[scale work]
region = work
factor = 5
END
    [ "$(grep -c . <"$work/recorded")" -gt 0 ]
    ok $? "$name: there was something to replay"
}

stressed 2 1
stressed 3 4 any
if in_full; then
    stressed 3 3
    stressed 4 5 any
fi
done_testing
