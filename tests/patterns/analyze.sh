# silas-analyze as a program: its command line and what it says about bad input.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-analyze.XXXXXX")
trap 'rm -rf "$work"' EXIT
run() { # run EXIT-CODE DESCRIPTION ARGUMENTS: leaves what it prints in $out
    code=$1 description=$2
    shift 2
    out=$(timeout -k 5 30 "$top_builddir/silas-analyze" "$@" 2>&1)
    is $? "$code" "$description: exit code"
}

run 0 "help" --help
like "$out" '^Usage: silas-analyze' "help"
run 0 "version" --version
like "$out" '^silas-analyze .*[0-9]+\.[0-9]+' "version"
run 2 "no trace"
run 2 "unknown format" -f tvs "$work"
like "$out" '^silas-analyze: unknown format "tvs"; did you mean "tsv"\?' "unknown format"
run 2 "unknown option" --formt tsv "$work"
run 1 "no such file" "$work/none.otf2"
like "$out" "^silas-analyze: .*$work/none.otf2" "no such file"
printf 'this is not OTF2\n' >"$work/bad.otf2"
run 1 "not an archive" "$work/bad.otf2"
like "$out" "^silas-analyze: .*$work/bad.otf2" "not an archive"

"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/good-alone.txt" "$work/self"
run 0 "one rank" "$work/self"
like "$out" '^1 rank, ' "one rank"
rm -r "$work/self"

oracle=${SILAS_SHARED:-$top_srcdir/../shared}/oracle
if [ -d "$oracle" ]; then
    run 0 "text" "$oracle/p2p_blocking"
    like "$out" '^  mpi_latesender +0\.001945 s' "text"
    run 3 "unwritable output" -f tsv -o "$work/none/x.tsv" "$oracle/p2p_blocking"
    like "$out" "^silas-analyze: cannot write $work/none/x.tsv: No such file" "unwritable output"
    run 3 "full disk" -f tsv -o /dev/full "$oracle/p2p_blocking"
    run 0 "output" -f tsv -o "$work/x.tsv" "$oracle/p2p_blocking"
    is "$(ls "$work" | tr '\n' ' ')" "bad.otf2 x.tsv " "nothing else is left behind"
else
    skip "runs on a real trace" "the oracle is not here"
fi
done_testing
