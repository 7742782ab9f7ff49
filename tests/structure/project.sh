# --project: what-ifs on cuts, projected to the whole trace, against the same what-ifs on the whole trace.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-project.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
model() { timeout -k 5 100 "$top_builddir/silas-model" "$@" 2>&1; }
calculate() { awk "BEGIN { print ($1) }"; }
json() { "$top_srcdir/tools/json-value" "$1/report.json" "$2"; }

program() { # NAME RANKS CUT-OPTIONS...: makes the trace NAME and its cuts NAME-cuts
    awk -v program="$1" -v ranks="$2" -f "$top_srcdir/tests/structure/programs.awk" >text
    "$top_builddir/tests/trace/make_trace" text "$1" || ok 1 "$1: make_trace"
    timeout -k 5 100 "$top_builddir/silas-structure" --cut "$1-cuts" "${@:3}" "$1" >log 2>&1
    is $? 0 "$1: cuts"
}
config() { # TRACE OUTPUT; hypotheses from standard input
    { printf '[trace]\npath = %s\n[output]\ndirectory = %s\nformats = json, text\n' "$1" "$2"; cat; } >"$2.ini"
}
hypotheses() {
    case $1 in
    scale) printf '[scale a]\nregion = main\nfactor = 0.5\n' ;;
    balance) printf '[balance a]\nregion = main\n' ;;
    cut) printf '[cut a]\nsize = >100\n' ;;
    latency) printf '[network]\nlatency = 10\n' ;;
    bandwidth) printf '[network]\nbandwidth = 0.1\n' ;;
    cpu) printf '[cpu]\nrank = 0\nspeed = 0.5\n' ;;
    esac
}
# The projected T and that of the whole trace differ by less than a part of T.
is_near() { # NAME HYPOTHESIS PART
    hypotheses "$2" | config "$1" "$1-$2-whole"
    hypotheses "$2" | config "$1-cuts" "$1-$2-cut"
    model "$1-$2-whole.ini" >log || cat log >&2
    model --project "$1-$2-cut.ini" >text || cat text >&2
    off=$(calculate "($(json "$1-$2-cut" predicted.time_s.median) - $(json "$1-$2-whole" predicted.time_s.median)) / $(json "$1-$2-whole" trace.time_s)")
    is "$(calculate "$off < $3 && $off > -$3")" 1 "$1, $2: the projection is near ($off of T)"
}

program nested 4 --levels 1 --rest
program phases 3 --levels 1 --rest
program drift 3 --levels 1 --rest
program kinds 3 --levels 1 --rest
program lengths 3 --levels 1 --rest
for name in kinds lengths nested phases; do
    for hypothesis in scale balance cut latency bandwidth cpu; do
        # Rank 0 has the long computation of some iterations of "lengths": each cut is balanced by itself.
        [ "$name-$hypothesis" = lengths-balance ] || is_near "$name" "$hypothesis" 0.015
    done
done
hypotheses balance | config lengths-cuts lengths-balance
like "$(model --project lengths-balance.ini)" 'warning: \[balance a\] balances each of 2 cuts by itself' "a balance of several cuts: a warning"
like "$(cat text)" 'projected from 7 cuts' "phases: all cuts are used"
is "$(json phases-scale-cut projection.cuts.3.iterations)" 25 "phases: the iterations of the second one"
is "$(json kinds-scale-cut projection.cuts.1.iterations) $(json kinds-scale-cut projection.cuts.2.iterations)" "22 8" \
    "kinds: a cut for each"
is "$(json lengths-scale-cut projection.cuts.1.iterations) $(json lengths-scale-cut projection.cuts.2.iterations)" "30 6" \
    "lengths: a cut for the usual iterations, and one for the long ones"
is_near drift scale 0.01
saving=$(json nested-scale-whole saving.fraction)
is "$(calculate "$(json nested-scale-cut saving.low) <= $saving && $(json nested-scale-cut saving.high) >= $saving")" 1 "the interval"
is "$(json nested-scale-whole saving.outcomes.changes) $(json nested-scale-cut saving.outcomes)" "computation null" \
    "a projection does not state errors that were measured with whole recordings"
# A drift makes iterations longer than the one that was cut: the interval must be wide.
width() { calculate "$(json "$1" saving.high) - $(json "$1" saving.low)"; }
is "$(calculate "$(width drift-scale-cut) > 3 * $(width nested-scale-cut)")" 1 "the interval shows a spread of the periods"

# Without hypotheses T is that of the whole trace. The cuts can be given on the command line, as one, too.
config nested identity </dev/null
out=$(model --project nested-cuts identity.ini)
off=$(calculate "$(json identity predicted.time_s.median) / $(json nested-scale-whole trace.time_s) - 1")
is "$(calculate "$off < 1e-4 && $off > -1e-4")" 1 "unchanged"
like "$out" '12 iterations: ' "unchanged: text"
hypotheses scale | config nested-cuts several
timeout -k 5 100 "$MPIEXEC" -np 3 "$top_builddir/silas-model" --project several.ini >log 2>&1
is "$? $(json several predicted.time_s)" "0 $(json nested-scale-cut predicted.time_s)" "three processes"

config nested whole </dev/null
# Inner stretches are not counted twice.
timeout -k 5 100 "$top_builddir/silas-structure" --cut deep nested >log 2>&1
out=$(model --check --project deep whole.ini) && code=0 || code=$?
is "$code $(printf '%s\n' "$out" | grep -c "^nested\|deep.*: consistent")" "0 1" "--check, outermost cuts only"
hypotheses scale | config deep one
hypotheses scale | config deep/1-* other
model --project one.ini >log
model --project other.ini >log
is "$(json one saving.fraction)" "$(json other saving.fraction)" "one cut of one"
hypotheses scale | config deep/2-* inner
model --project inner.ini >log
is "$? $(json inner projection.cuts.0.iterations)" "0 $((8 * 12))" "an inner stretch alone: its iterations in all"

# Samples of a drift.
timeout -k 5 100 "$top_builddir/silas-structure" --cut samples --rest --samples 6 --levels 1 drift >log 2>&1
hypotheses scale | config samples sampled
model --project sampled.ini >log
error=$(calculate "$(json sampled predicted.time_s.median) / $(json drift-scale-whole predicted.time_s.median) - 1")
is "$(calculate "$error < 0.03 && $error > -0.03")" 1 "samples: near ($error)"
is "$(calculate "$(width sampled) < 0.5 * $(width drift-scale-cut)")" 1 "samples: a narrower interval, because each has iterations of about one length"
is "$(json sampled projection.cuts.1.iterations) $(json sampled projection.cuts.6.iterations) $(json sampled projection.cuts.7.iterations)" \
    "10 10 1" "samples: each for its iterations"

# A replay.
hypotheses scale | { printf '[replay]\nrepeat = 1\ntune = no\noversubscribe = yes\n'; cat; } | config phases-cuts/4-* replayed
timeout -k 5 100 "$MPIEXEC" -np 3 "$top_builddir/silas-replay" --project replayed.ini >log 2>&1
is "$? $(json replayed projection.cuts.0.iterations)" "0 25" "a replay"

# Wrong input.
refused() { # CODE TEXT NAME ARGUMENTS...
    out=$(model "${@:4}") && code=0 || code=$?
    is "$code $(printf '%s\n' "$out" | grep '^silas-model: ' | grep -vc ': warning: ')" "$1 1" "$3: exit code, one line"
    like "$out" "$2" "$3"
}
refused 1 'nested/traces.otf2 is not a cut, so nothing can be projected: ' "not a cut" --project whole.ini
is "$([ -e whole ]; echo $?)" 1 "not a cut: nothing is written"
refused 2 'nested-cuts and whole.ini: only --project takes two operands' "two files" nested-cuts whole.ini
refused 2 'are for one whole trace: omit --project' "another question" --bounds --project several.ini
refused 1 'no/cuts' "no cuts" --project no/cuts several.ini
printf '[trace]\npath = %s, %s\n' nested-cuts/1-* phases-cuts/1-* >mixed.ini
refused 1 'nested-cuts/1.* has 4 ranks, .*has 3' "different ranks" --project mixed.ini
printf '[trace]\npath = %s, %s\n' drift-cuts/1-* phases-cuts/1-* >mixed.ini
refused 1 'drift-cuts/1.* and .*phases-cuts/1.* are cuts of different traces' "different traces" --project mixed.ini
printf '[trace]\npath = %s, %s\n' nested-cuts/2-* nested-cuts/2-* >twice.ini
refused 1 'overlap' "the same twice" --project twice.ini
done_testing
