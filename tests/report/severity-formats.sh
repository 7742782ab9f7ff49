# silas-report and silas-diff on files in all formats: conversions keep every value, and what the
# programs say about bad input.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-formats.XXXXXX")
trap 'rm -rf "$work"' EXIT
report=$top_builddir/silas-report
difference=$top_builddir/silas-diff
run() { # run EXIT-CODE DESCRIPTION COMMAND: leaves what it prints in $out
    code=$1 description=$2
    shift 2
    out=$(timeout -k 5 150 "$@" 2>&1)
    is $? "$code" "$description: exit code"
}
one_message() { # one_message PATTERN DESCRIPTION
    is "$(printf '%s\n' "$out" | wc -l)" 1 "$2: one line"
    like "$out" "$1" "$2: says so"
}

# Metric, call path, rank.thread, value; energy is not a metric of ours.
{
    printf 'time\tmain\t0.0\t0.10000000000000001\n'
    printf 'time\tmain/f\\/g\t0.0\t1.25\n'
    printf 'time\tmain/f\\/g/MPI_Recv\t1.0\t3.3333333333333335\n'
    printf 'mpi_latesender\tmain/f\\/g/MPI_Recv\t1.0\t2\n'
    printf 'visits\tmain\t0.0\t7\n'
    printf 'energy\tmain\t1.2\t-42.5\n'
} >"$work/a.tsv"

for format in tsv json cubex; do
    run 0 "tsv to $format" "$report" "$work/a.tsv" -f $format -o "$work/b.$format"
    for back in tsv json cubex; do
        run 0 "$format to $back" "$report" "$work/b.$format" -f $back -o "$work/c.$back"
        run 0 "$format to $back to tsv" "$report" "$work/c.$back" -f tsv
        is "$(printf '%s\n' "$out" | sort)" "$(sort "$work/a.tsv")" "tsv to $format to $back to tsv"
    done
    run 0 "diff tsv $format" "$difference" "$work/a.tsv" "$work/b.$format"
    like "$out" '^0 of 6 values differ' "diff tsv $format"
    run 0 "text of $format" "$report" "$work/b.$format"
    like "$out" '^  mpi_latesender +2\.000 s ' "text of $format"
    like "$out" '^energy +-42\.5' "text of $format shows foreign metrics"
done
# Scalasca derives the times of point-to-point and collective communication from the roles of regions.
printf 'time\tmain/%s\t0.0\t1\n' MPI_Send MPI_Bcast MPI_Reduce MPI_Iallreduce MPI_Scan MPI_Barrier MPI_Put MPI_Accumulate MPI_Waitall \
    MPI_Win_allocate MPI_File_write >"$work/roles.tsv"
run 0 "regions of MPI as cubex" "$report" "$work/roles.tsv" -f cubex -o "$work/roles.cubex"
is "$(tar xOf "$work/roles.cubex" anchor.xml | sed -n 's,^<role>\(.*\)</role>,\1,p' | paste -sd ' ')" \
    "function point2point one2all all2one all2all other collective barrier rma atomic function allocate file_io" "they have their roles"
is "$(tar xOf "$work/roles.cubex" anchor.xml | grep -A 1 '<systemtreenode Id="0">' | tail -1)" "<name>machine Linux</name>" \
    "the machine has the name that Score-P gives it"
printf 'time\tmain\t0.0\t1\nmpi_wait_indirect_latereceiver\tmain\t0.0\t0.5\n' >"$work/long.tsv"
run 0 "a long name" "$report" "$work/long.tsv"
is "$(printf '%s\n' "$out" | grep -oE '^[a-z_]+ +[0-9]+\.[0-9]+ ' | awk '{ print length }' | sort -u)" 37 "values stand below each other"
gzip -c "$work/b.cubex" >"$work/d.cubex.gz"
run 0 "gzipped file" "$difference" "$work/d.cubex.gz" "$work/a.tsv" -f tsv
is "$out" "" "a gzipped file is read like any other"

# The order of metrics, call paths and locations in B does not matter.
sed '/^visits/d; s/1\.25$/1.5/' "$work/a.tsv" | sort -r >"$work/e.tsv"
run 0 "diff as tsv" "$difference" "$work/b.json" "$work/e.tsv" -f tsv
is "$(printf '%s\n' "$out" | sort)" "$(printf 'time\tmain/f\\/g\t0.0\t0.25\nvisits\tmain\t0.0\t-7')" \
    "differences are B - A"
run 0 "diff as text" "$difference" "$work/b.json" "$work/e.tsv"
like "$out" '^time +4\.683333 +4\.933333 +\+0\.250000 +\+5\.34 % sec' "text shows both, the difference, and its part of A"
like "$out" ' 1\.250000 +1\.500000 +\+0\.250000 +\+20\.00 % +main/f\\/g$' "text shows where"
like "$out" '^2 of 6 values differ' "text counts"
run 0 "diff as cubex" "$difference" "$work/b.json" "$work/e.tsv" -f cubex -o "$work/f.cubex"
run 0 "the difference read back" "$report" "$work/f.cubex" -f tsv
is "$(printf '%s\n' "$out" | sort)" "$(printf 'time\tmain/f\\/g\t0.0\t0.25\nvisits\tmain\t0.0\t-7')" \
    "a difference as cubex keeps negative counts"

# A table of differences, as silas-replay writes it: its last column.
{
    printf 'metric\tcall path\tlocation\tbefore\tafter\tdifference\n'
    printf 'time\tmain/f\\/g\t0.0\t1.5\t1.25\t0.25\n'
    printf 'visits\tmain\t0.0\t0\t7\t-7\n'
} >"$work/difference.tsv"
run 0 "a table of differences" "$report" "$work/difference.tsv" -f tsv
is "$(printf '%s\n' "$out" | sort)" "$(printf 'time\tmain/f\\/g\t0.0\t0.25\nvisits\tmain\t0.0\t-7')" \
    "of a table of differences the last column is read"
run 0 "diff with a table of differences" "$difference" "$work/f.cubex" "$work/difference.tsv"
like "$out" '^0 of 2 values differ' "silas-diff reads a table of differences"
printf 'time\tmain\t0.0\t1.5\n' >>"$work/difference.tsv"
run 1 "a bad table of differences" "$report" "$work/difference.tsv" -f tsv
one_message 'difference.tsv:4: not the six columns' "a bad table of differences"

# The members of the archive, listed by tar.
run 0 "tar reads it" tar tf "$work/b.cubex"
like "$out" '^0\.data$' "tar finds data"
is "$(printf '%s\n' "$out" | tail -1)" anchor.xml "anchor.xml comes last"
is "$(printf '%s\n' "$out" | grep -c data)" "$(printf '%s\n' "$out" | grep -c index)" \
    "each metric has data and an index"
if command -v xmllint >/dev/null; then
    tar xOf "$work/b.cubex" anchor.xml >"$work/anchor.xml"
    run 0 "anchor.xml is XML" xmllint --noout "$work/anchor.xml"
else
    skip "anchor.xml is XML" "no xmllint"
fi
if command -v cube_info >/dev/null; then
    run 0 "Cube's own reader takes it" cube_info "$work/b.cubex"
    run 0 "cube_sanity" cube_sanity "$work/b.cubex"
    for tool in diff merge mean; do
        run 0 "cube_$tool" "cube_$tool" -o "$work/cube_$tool.cubex" "$work/b.cubex" "$work/b.cubex"
        run 0 "silas-report reads what cube_$tool writes" "$report" "$work/cube_$tool.cubex" -f tsv -o "$work/cube_$tool.tsv"
    done
    is "$(wc -l <"$work/cube_diff.tsv")" 0 "a file does not differ from itself"
else
    skip "Cube's own reader takes it" "no Cube"
fi

# Bad input: one message, the right exit code, nothing left behind.
run 2 "no file" "$report"
run 2 "one file to compare" "$difference" "$work/a.tsv"
run 2 "unknown format" "$report" -f cube "$work/a.tsv"
one_message '^silas-report: unknown format "cube"; did you mean "cubex"\?' "unknown format"
run 1 "missing file" "$report" "$work/none"
one_message "^silas-report: $work/none: cannot open: No such file" "missing file"
run 1 "directory" "$report" "$work"
one_message "^silas-report: $work: this directory holds no .otf2 file" "directory"
: >"$work/empty"
run 1 "empty file" "$report" "$work/empty"
one_message "empty: the file is empty" "empty file"
echo "these are only words" >"$work/words"
run 1 "wrong magic" "$difference" "$work/a.tsv" "$work/words"
one_message "words: not a severity file" "wrong magic"
printf 'time\tmain\t0.0\t1\ntime\tmain\t0\t1\n' >"$work/bad.tsv"
run 1 "bad location" "$report" "$work/bad.tsv"
one_message 'bad\.tsv:2: the third column is not RANK\.THREAD' "bad location"
printf 'time\tmain\t0.0\tmuch\n' >"$work/bad.tsv"
run 1 "bad number" "$report" "$work/bad.tsv"
one_message 'bad\.tsv:1: the fourth column is not a number' "bad number"
printf 'time\tmain\t0.0\n' >"$work/bad.tsv"
run 1 "bad columns" "$report" "$work/bad.tsv"
one_message 'bad\.tsv:1: not four columns' "bad columns"
printf 'time\tmain\t0.0\t1' >"$work/bad.tsv"
run 1 "cut line" "$report" "$work/bad.tsv"
one_message 'bad\.tsv:1: the last line is cut off' "cut line"
echo '{"format": "silas-severity", "version": 2}' >"$work/bad.json"
run 1 "future version" "$report" "$work/bad.json"
one_message 'version 2 of the format' "future version"
echo '{"format": ' >"$work/bad.json"
run 1 "bad JSON" "$report" "$work/bad.json"
one_message 'bad\.json:' "bad JSON"
echo '{}' >"$work/bad.json"
run 1 "other JSON" "$report" "$work/bad.json"
one_message 'JSON, but not a severity file' "other JSON"
head -c 1500 "$work/b.cubex" >"$work/bad.cubex"
run 1 "cut archive" "$report" "$work/bad.cubex"
one_message 'bad\.cubex: anchor.xml is missing|cut off' "cut archive"
head -c 2000 "$work/d.cubex.gz" | head -c 700 >"$work/bad.gz"
run 1 "cut gzipped file" "$report" "$work/bad.gz"
one_message 'bad\.gz: ' "cut gzipped file"
mkdir "$work/parts" && tar xf "$work/b.cubex" -C "$work/parts"
(cd "$work/parts" && echo XXXXXXXXXXXX >0.index && tar --format=ustar -cf ../bad.cubex -- *.data *.index anchor.xml)
run 1 "bad index" "$report" "$work/bad.cubex"
one_message 'bad\.cubex: 0\.index: not an index' "bad index"
(cd "$work/parts" && rm 0.index && tar --format=ustar -cf ../bad.cubex -- *.data *.index anchor.xml)
run 1 "missing index" "$report" "$work/bad.cubex"
one_message 'bad\.cubex: 0\.index is missing' "missing index"
(cd "$work/parts" && echo '<cube version="4.4"><metrics>' >anchor.xml &&
    tar --format=ustar -cf ../bad.cubex -- *.data *.index anchor.xml)
run 1 "bad XML" "$report" "$work/bad.cubex"
one_message 'bad\.cubex: anchor\.xml:2: ' "bad XML"
before=$(ls "$work")
run 3 "unwritable output" "$report" "$work/a.tsv" -f cubex -o "$work/none/x.cubex"
one_message "cannot write $work/none/x.cubex: No such file" "unwritable output"
run 3 "full disk" "$report" "$work/a.tsv" -f cubex -o /dev/full
run 3 "full disk" "$difference" "$work/a.tsv" "$work/b.json" -o /dev/full
is "$(ls "$work")" "$before" "nothing is left behind"
done_testing
