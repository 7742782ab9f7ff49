# Sourced by tests of silas-trace --reduce: compares what it has written with the whole records of the same run. $work is a
# folder for files. run_on starts processes of MPI: run_on NP COMMAND...
quietly() { timeout -k 5 100 "$@" </dev/null >"$work/said" 2>&1; }

# Records the run in $work/run; the whole archive of the same run is in $work/run/whole.
run() { # NP ASSUMPTIONS COMMAND...
    np=$1 assumed=$2
    shift 2
    rm -rf "$work/run"
    SILAS_TRACE_KEEP_WHOLE=1 run_on "$np" "$top_builddir/silas-trace" $options --reduce --assume "$assumed" \
        -o "$work/run" "$@" >"$work/out" 2>&1
    status=$?
    quietly "$top_builddir/silas-trace" --recover "$work/run/whole" || cat "$work/said"
    return $status
}

# Events without the numbers that an archive gives to requests and definitions.
events() { # DIR
    otf2-print "$1/traces.otf2" | grep -v '^===\|^ \|^PROGRAM\|^$' |
        sed 's/Request: [0-9]*/Request/; s/<[0-9]*>//g; s/Group: [^ ]*//' | sort -k2n -k3n -s
}
same_events() { # DESCRIPTION
    rm -rf "$work/post"
    quietly "$top_builddir/silas-reduce" --terms --assume "$assumed" -o "$work/post" "$work/run/whole/traces.otf2"
    ok $? "$1: silas-reduce reduces the whole archive"
    events "$work/run" >"$work/events-run"
    events "$work/post" >"$work/events-post"
    cmp -s "$work/events-run" "$work/events-post"
    ok $? "$1: what stays is the same ($(wc -l <"$work/events-run") of $(events "$work/run/whole" | wc -l) events)"
    diff "$work/events-run" "$work/events-post" | sed 's/^/# /' | head -10
}

# Ends of the ranks that the model predicts, in ticks; the hypothesis comes from standard input.
predict() { # DIR
    { printf '[trace]\npath = %s/traces.otf2\n[output]\ndirectory = %s/out\nformats = json\ntrace = yes\noverwrite = yes\n' "$1" "$1"
      cat; } >"$work/config.ini"
    quietly "$top_builddir/silas-model" "$work/config.ini" || cat "$work/said"
    otf2-print "$1/out/predicted/traces.otf2" | grep '^PROGRAM_END' | sort
}
same_prediction() { # HYPOTHESIS DESCRIPTION
    got=$(printf '%b' "$1" | predict "$work/run")
    is "$got" "$(printf '%b' "$1" | predict "$work/run/whole")" "$2: the same ends of all ranks"
    is "$(echo "$got" | grep -c PROGRAM_END)" "$np" "$2: of $np ranks"
}

# Visits, time, bytes and counts by call path and rank, to the tick (the archives have the same clock).
profile() { # DIR
    quietly "$top_builddir/silas-analyze" -f tsv -o "$work/profile.tsv" "$1/traces.otf2"
    grep -P '^(time|visits|bytes_[a-z]*|comms_(send|recv|cxch|csrc|cdst)|syncs_[a-z]*)\t' "$work/profile.tsv" | sort
}
same_profile() { # DESCRIPTION
    profile "$work/run" >"$work/profile-run"
    profile "$work/run/whole" >"$work/profile-whole"
    ok "$([ -s "$work/profile-run" ] && cmp -s "$work/profile-run" "$work/profile-whole"; echo $?)" "$1: the same profile"
    diff "$work/profile-run" "$work/profile-whole" | sed 's/^/# /' | head -10
}
