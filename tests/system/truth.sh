# bench/truth measures cases from a folder, continues where it was stopped, and reports failures. The figures themselves are a benchmark.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution sanitizers
only_in_full "it measures a benchmark's case"
command -v python3 >/dev/null || skip_all "no python3"
mkdir cases
case_file() { # NAME PROGRAM CHANGED HYPOTHESES
    printf '[case]\nclass = computation\nranks = 2\nprogram = %s\nchanged = %s\n%b' "$2" "$3" "$4" >"cases/$1.case"
}
case_file half 'truth_program 5 compute,name=solve,elements=100000 allreduce' 'truth_program 5 compute,name=solve,elements=50000 allreduce' \
    '[scale solve]\nregion = solve\nfactor = 0.5\n'
case_file broken 'truth_program 5 compute,name=solve,elements=100000' 'truth_program 5 compute,element=1' '[scale]\nregion = solve\nfactor = 0.5\n'
truth() {
    SILAS_BUILD=$top_builddir SILAS_BIN=$top_builddir MPIEXEC=$MPIEXEC RUNS=1 timeout -k 5 200 "$top_srcdir/bench/truth/truth" "$@" >out 2>err
    code=$?
}
truth --minutes 0 cases
is "$code $(cat truth.json)" "0 {}" "no time: nothing is measured"
truth --page page.html cases
is "$code" 0 "exit code ($(cat err))"
like "$(cat out)" '^computation +1 ' "one case is in the table"
like "$(cat out)" '^failed: broken$' "the other one is named"
like "$(cat err)" '^truth_program: element: see' "... with its message"
like "$(cat page.html)" '<tr><td>half<td>computation' "the page has the case"
cp truth.json before.json
truth cases
is "$(diff before.json truth.json)" "" "what was measured is not measured again"

# --- mistakes: one line, exit code 1
refused() { # PATTERN DESCRIPTION ARGUMENTS...
    local pattern=$1 what=$2
    shift 2
    truth "$@"
    like "$code $(wc -l <err) $(cat err)" "^1 1 truth: $pattern" "$what"
}
refused 'nowhere: expected a folder, or a file NAME.case' "no such folder" nowhere
refused 'no/where.json.new|.*No such file or directory' "results that cannot be written" --results no/where.json cases
mkdir wrong
printf '[case]\nclass = x\n' >wrong/some.case
refused "wrong/some.case: 'program': expected a section" "a case without programs" wrong
printf 'nothing\n' >wrong/some.case
refused 'wrong/some.case: File contains no section headers' "no INI file" wrong/some.case
done_testing
