# The first pages of doc/predict.md: the script and the commands that stand there, as they stand there.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-tutorial.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
page=$(cd "$top_srcdir" && pwd)/doc/predict.md
PATH=$(cd "$top_builddir" && pwd):$PATH
machine=$(cd "$top_srcdir" && pwd)/examples/hardware/cluster.ini
# tests/system/calibrate.sh measures operations. Here, only tools/test --full does that again, and replays as often as users do.
mpirun() {
    case "$*" in
    *" silas-calibrate --operations -o machine.ini") in_full || { cp "$machine" machine.ini && return; } ;;
    *" silas-replay "*) in_full || set -- "$@" --set replay.repeat=1 --set replay.tune=no ;;
    esac
    "$MPIEXEC" "$@"
}
cd "$work" || exit 1

# The blocks between the tutorial's title and the next one.
block() { # FENCE
    awk -v fence="\`\`\`$1" '/^## / { inside = /From nothing to a prediction/ }
        inside && on && $0 == "```" { on = 0; next }
        inside && on { print }
        inside && !on && $0 == fence { on = 1; next }
        inside && !on && /^```./ { getline; while ($0 != "```") getline }' "$page"
}
block '' >stencil.silas
block sh >commands
is "$(grep -c . stencil.silas)" 10 "ten lines"
ok "$([ "$(grep -c '^[^#]' commands)" -ge 6 ]; echo $?)" "there are commands"
export MPIEXEC machine
export -f in_full mpirun
timeout -k 5 300 bash -e commands >output 2>&1 </dev/null
status=$?
is $status 0 "the commands work"
[ $status -eq 0 ] || sed 's/^/# /' output
like "$(cat output)" '^predicted: [0-9.]+ s( [(].*[)])?, 2 ranks, ' "a prediction is printed"
like "$(cat output)" '^predicted: [0-9.]+ s( [(].*[)])?, 64 ranks, ' "and one for more ranks"
like "$(cat output)" 'relax' "the region is in the analysis"
done_testing
