# Plug-ins: the templates, built outside the tree, in all programs, in both engines and with several numbers
# of processes; and whatever can be wrong with one.
. "$top_srcdir/tests/plugins/installed.bash"
bin=$top_builddir
mpi() { # NP PROGRAM ARGUMENTS...: sets out, err, code
    out=$(timeout -k 5 150 "$MPIEXEC" -np "$1" "$bin/$2" "${@:3}" 2>stderr)
    code=$?
    err=$(cat stderr)
}

# --- the templates
for kind in hypothesis pattern format signal; do
    plugin "$examples/${kind}_template.c" $kind.so
    is "$? $(cat cc.err)" "0 " "the ${kind}'s template is built with pkg-config --cflags silas alone"
    plugin "$examples/${kind}_template.c" $kind.so -std=c11 -Wall -Wextra -Werror
    is "$? $(cat cc.err)" "0 " "... as C11, without warnings"
    [ "$(wc -l <"$examples/${kind}_template.c")" -le 60 ]
    ok $? "... and has $(wc -l <"$examples/${kind}_template.c") lines, 60 at most"
done
mkdir all && cp hypothesis.so pattern.so format.so signal.so all/

# --- a hypothesis in both engines
make_meeting meeting 200000000 300000000
cat >longer.ini <<'END'
[trace]
path = meeting
[output]
directory = longer
formats = json, text
overwrite = yes
[template meeting]
region = work
extra = 50 ms
END
# Rank 1's work takes 300 ms, all 302 ms.
for np in 1 3; do
    mpi $np silas-model --plugin hypothesis.so longer.ini
    is "$code" 0 "[template] in silas-model, $np processes"
    after=$("$top_srcdir/tools/json-value" longer/report.json saving.time_s.median)
    true_that "$after > -0.0501 && $after < -0.0499"
    ok $? "... saves $after s: -0.05"
    like "$out" 'template meeting: region work, extra 50 ms' "... and is in the report"
done
sed 's/^\[output\]/[replay]\nrepeat = 3\ntune = no\n[output]/' longer.ini >real.ini
run 2 --plugin hypothesis.so real.ini
is $code 0 "[template] in silas-replay"
after=$("$top_srcdir/tools/json-value" longer/report.json predicted.time_s.median)
true_that "$after > 0.34" # 0.35; other programs can only make it longer
ok $? "... takes $after s instead of 0.3"
mpi 1 silas-model longer.ini
is $code 1 "without the plug-in: exit code"
like "$err" 'unknown section \[template\]' "... its section is unknown"
sed -i 's/^extra/extar/' longer.ini
mpi 2 silas-model --plugin hypothesis.so longer.ini
is "$code $err" "1 silas-model: longer.ini:9: unknown key \"extar\"; did you mean \"extra\"?" "its keys are checked"

# --- a pattern with new metrics: two messages are 500 and 30 us early, one is not
make_trace early <<'END'
ranks 3
rank 0
0 enter main
1000 enter MPI_Send
1000 send 1 world 7 64
2000 leave MPI_Send
3000 enter MPI_Send
3000 send 2 world 7 64
4000 leave MPI_Send
900000 leave main
rank 1
0 enter main
501000 enter MPI_Recv
502000 recv 0 world 7 64
502000 leave MPI_Recv
510000 enter MPI_Send
510000 send 2 world 7 64
511000 leave MPI_Send
900000 leave main
rank 2
0 enter main
33000 enter MPI_Recv
34000 recv 0 world 7 64
34000 leave MPI_Recv
40000 enter MPI_Recv
512000 recv 1 world 7 64
512000 leave MPI_Recv
900000 leave main
END
for np in 1 2 3; do
    mpi $np silas-analyze --plugin pattern.so -f tsv -o early$np.tsv early
    is "$code $err" "0 " "a pattern in silas-analyze, $np processes"
    is "$(grep ^early early$np.tsv | tr '\t' ' ')" "early_message main/MPI_Recv 1.0 0.00050000000000000001
early_message main/MPI_Recv 2.0 3.0000000000000001e-05
early_message_count main/MPI_Recv 1.0 1
early_message_count main/MPI_Recv 2.0 1" "... its values per call path and rank"
    is "$(cmp early1.tsv early$np.tsv 2>&1)" "" "... the same report as with one"
done
mpi 1 silas-analyze early
is "$(printf '%s' "$out" | grep -c early)" 0 "without the plug-in the metric is not there"
for format in json cubex text; do
    mpi 2 silas-analyze --plugin pattern.so -o early.$format early
    is "$code" 0 "its metric as $format"
    [ $format = text ] || out=$("$bin/silas-report" early.$format 2>&1)
    [ $format != text ] || out=$(cat early.text)
    like "$out" '^early_message +530.0 us .*Early Message' "... is in the report"
done
like "$("$bin/silas-diff" early1.tsv early.cubex)" '^early_message ' "... and in differences, also without the plug-in"
printf '%s\n' '[trace]' 'path = early' '[output]' 'directory = earlier' 'formats = json, text, tsv, template' \
    'overwrite = yes' '[cut first]' 'size = 64' 'sender = 1' >cut.ini
mpi 3 silas-model --plugin all cut.ini
is "$code" 0 "a pattern and a format in silas-model, from a folder"
like "$(cat earlier/difference.tsv)" "early_message	main/MPI_Recv	1.0	" "... the metric is in difference.tsv"
like "$(cat earlier/report.json)" '"name": "early_message"' "... and in report.json"
like "$(cat earlier/before.template)" '^early_message 0.0005' "... and the format's files are written"
like "$(cat earlier/after.template)" '^early_message_count 2 occ$' "... for both runs"

# --- a format
expected=$("$bin/silas-report" -f text early1.tsv | awk '$1 == "visits" { print "visits " $2 " occ" }')
out=$("$bin/silas-report" --plugin format.so -f template early1.tsv 2>&1)
is "$? $(printf '%s\n' "$out" | grep ^visits)" "0 $expected" "a format in silas-report"
out=$("$bin/silas-diff" --plugin format.so -o sums.template early1.tsv early.json 2>&1)
is "$? $out" "0 " "... in silas-diff, by the file's ending"
out=$("$bin/silas-report" --plugin format.so -f templat early1.tsv 2>&1)
like "$out" 'unknown format "templat"; did you mean "template"' "... among the names of formats"
out=$(SILAS_PLUGINS=all "$bin/silas-report" --help 2>&1)
like "$out" 'hypothesis \[template\]: longer visits' "SILAS_PLUGINS: --help lists their kinds and formats"
like "$out" 'format template: the sum of each metric' "... all of it"
out=$("$bin/silas-report" --help --plugin all 2>&1)
like "$out" 'pattern template: messages' "--help before --plugin, too"
out=$(SILAS_PLUGINS="all::$work/all" timeout -k 5 100 "$bin/silas-report" --plugin format.so early1.tsv 2>&1)
is $? 1 "a copy under another name is another plug-in, whose names are taken"
out=$(SILAS_PLUGINS="all::$work/all" timeout -k 5 100 "$bin/silas-report" --plugin all/format.so early1.tsv 2>&1)
is $? 0 "a file is loaded once, however often it is named"

# --- a signal: a request is open in the first of three milliseconds
awk 'BEGIN {
    print "ranks 2"
    for (rank = 0; rank < 2; rank++) {
        print "rank " rank "\n0 enter main"
        for (i = 0; i < 50; i++) {
            time = 1000 + 3000000 * i
            print time " enter MPI_Isend\n" time + 100 " isend " 1 - rank " world 1 8 " 2 * i + 1 "\n" time + 200 " leave MPI_Isend"
            print time + 300 " enter MPI_Irecv\n" time + 400 " irecv_request " 2 * i + 2 "\n" time + 500 " leave MPI_Irecv"
            time += 1000000
            print time " enter MPI_Waitall\n" time + 100 " isend_complete " 2 * i + 1
            print time + 200 " irecv " 1 - rank " world 1 8 " 2 * i + 2 "\n" time + 300 " leave MPI_Waitall"
        }
        print 150010000 " leave main"
    }
}' | make_trace open-requests
mpi 2 silas-structure --plugin signal.so --signal requests -f json -o requests.json open-requests
is "$code $err" "0 " "a signal in silas-structure"
like "$(cat requests.json)" '"signal": "requests"' "... in which a period is found"
like "$(cat requests.json)" '"period_s": 0.00(3|300|299)' "... of 3 ms"
mpi 1 silas-structure --signal requests open-requests
is $code 1 "without the plug-in: exit code"

# --- metrics below those of the list and below each other; operations that a pattern of ours searches, too
variant() { # NAME FLAGS...
    plugin "$top_srcdir/tests/plugins/variants.c" "$1.so" "${@:2}" || { cat cc.err && ok 1 "$1 is built"; }
}
variant waits -DPATTERN
make_trace barrier <<'END'
ranks 2
rank 0
0 enter main
1000 enter MPI_Barrier
1000 begin
9000 end 0 world -1 0 0
9000 leave MPI_Barrier
10000 leave main
rank 1
0 enter main
8000 enter MPI_Barrier
8000 begin
9000 end 0 world -1 0 0
9000 leave MPI_Barrier
10000 leave main
END
for np in 1 2 3; do
    mpi $np silas-analyze --plugin waits.so -f tsv barrier
    is "$(printf '%s\n' "$out" | grep -E '^(again|half|mpi_barrier_wait)' | tr '\t' ' ')" \
        "mpi_barrier_wait main/MPI_Barrier 0.0 6.9999999999999999e-06
again main/MPI_Barrier 0.0 6.9999999999999999e-06
half main/MPI_Barrier 0.0 3.4999999999999999e-06" "collective operations, $np processes: ours and the plug-in's"
done
mpi 2 silas-analyze --plugin waits.so barrier
is "$(printf '%s\n' "$out" | grep -oE '^ *(time|again|half|visits|bytes[a-z_]*) ')" "time 
  again 
    half 
visits " \
    "metrics are shown below their parents"

# --- a hypothesis that breaks the trace
variant breaks -DHYPOTHESIS
printf '%s\n' '[trace]' 'path = early' '[mine]' >breaks.ini
mpi 2 silas-model --plugin breaks.so breaks.ini
is $code 1 "a hypothesis that breaks the trace: exit code"
like "$err" '^silas-model: after "mine": .*this trace is not consistent' "... is found by the check of the trace"

# --- refused plug-ins: one message on any number of processes
refuses() { # DESCRIPTION PATTERN FILE
    for np in 0 2; do
        if [ $np -eq 0 ]; then
            out=$(timeout -k 5 100 "$bin/silas-report" --plugin "$3" early1.tsv 2>stderr)
            code=$?
            err=$(cat stderr)
        else
            mpi $np silas-analyze --plugin "$3" early
        fi
        is "$code $out" "1 " "$1: exit code, $np processes"
        like "$err" "^silas-[a-z]*: $2" "... message"
        is "$(printf '%s\n' "$err" | wc -l)" 1 "... once"
    done
}
bad() { # NAME FLAGS...: a variant that is refused
    variant "$@"
}
version=$("$bin/silas-report" --version | sed 's/.*(SILAS) \([^ ,]*\).*/\1/')
interface=$(sed -n 's/^#define SILAS_PLUGIN_M[A-Z]*R //p' "$top_srcdir/src/plugins/include/silas/plugin.h" | paste -sd.)
major=${interface%.*} minor=${interface#*.}
bad other-major -DFORMAT "-DVERSION=\"$((major + 1)).$minor\""
refuses "another major version" "other-major.so is a plug-in for version $((major + 1)).$minor of the interface, but SILAS $version has version $interface: use the SILAS that it was made for, or adapt it to the headers of this one \(doc/plugins.md\) and build it again\$" other-major.so
bad other-major -DFORMAT '-DVERSION="0.3"' -DUNRESOLVED
refuses "an older one, which needs functions that are gone" "other-major.so is a plug-in for version 0.3 of" other-major.so
bad newer -DFORMAT "-DVERSION=\"$major.$((minor + 1))\""
refuses "a newer minor version" "newer.so is a plug-in for version $major.$((minor + 1)) of the interface, but SILAS $version has version $interface: use a newer SILAS" newer.so
bad layout -DFORMAT -DLAYOUT=7
refuses "other headers" 'layout.so was built with the headers of another SILAS \(struct trace: 7 there, [0-9]+ here\): build it again' layout.so
bad unresolved -DFORMAT -DUNRESOLVED
refuses "an unknown function" 'unresolved.so: the plug-in needs "trace_strem", which .* did you mean "trace_stream"\?' unresolved.so
bad no-version -DFORMAT -DNO_VERSION
refuses "no version" 'no-version.so: silas_plugin must begin with SILAS_PLUGIN_VERSION' no-version.so
bad nothing -DNOT_A_PLUGIN
refuses "a shared object of another kind" 'nothing.so is a shared object, but not a plug-in: .*"silas_plugin"' nothing.so
refuses "a file that is missing" 'missing.so cannot be loaded as a plug-in: No such file or directory' missing.so
echo text >text.so
refuses "a text" 'text.so cannot be loaded as a plug-in: .*cc -shared -fPIC' text.so
mkdir empty && touch empty/readme
refuses "an empty folder" 'empty: the folder has no plug-in: none of its files ends in .so' empty
{ head -c 4 format.so && printf '\001' && tail -c +6 format.so; } >narrow.so
refuses "another architecture" 'narrow.so cannot be loaded as a plug-in: .*ELF' narrow.so
bad scale -DHYPOTHESIS '-DNAME="scale"'
refuses "a hypothesis of ours" 'scale.so: the plug-in defines the hypothesis "scale", but one of that name exists' scale.so
for section in $(grep -rhoE '\.section = "[a-z]+"' "$top_srcdir"/replay/*/*.c | sed 's/.*"\(.*\)"/\1/'); do
    bad section -DHYPOTHESIS "-DNAME=\"$section\""
    refuses "an engine's section" "section.so: the plug-in defines the hypothesis \"$section\"" section.so
done
bad blank -DHYPOTHESIS '-DNAME="a b"'
refuses "a name with a blank" 'blank.so: the name of a hypothesis is "a b"' blank.so
bad state -DHYPOTHESIS -DNO_STATE
refuses "a hypothesis without a state" 'state.so: the hypothesis "mine" is not complete' state.so
bad collective -DSIGNAL '-DNAME="collective"'
refuses "a signal of ours" 'collective.so: the plug-in defines the signal "collective"' collective.so
bad barrier -DPATTERN '-DNAME="barrier"'
refuses "a pattern of ours" 'barrier.so: the plug-in defines the pattern "barrier"' barrier.so
bad metric -DPATTERN '-DMETRIC="time"'
refuses "a metric of ours" 'metric.so: the plug-in defines the metric "time"' metric.so
bad metric -DPATTERN '-DMETRIC="half"'
refuses "a metric twice" 'metric.so: the plug-in defines the metric "half"' metric.so
bad parent -DPATTERN '-DPARENT=METRIC_OWN(5)'
refuses "a parent that comes later" 'parent.so: the metric "child" is not complete: its parent' parent.so
bad parent -DPATTERN -DPARENT=METRIC_TIME
refuses "a parent with another unit" 'parent.so: the metric "child" is not complete: its parent' parent.so
bad unnamed -DPATTERN -DNO_METRIC
refuses "waits without a metric" 'unnamed.so: the pattern "mine" is not complete: .*METRIC_NONE' unnamed.so
bad json -DFORMAT '-DNAME="json"'
refuses "a format of ours" 'json.so: the plug-in defines the report format "json"' json.so
bad files -DFORMAT '-DFILE_NAME="report.json"'
refuses "a format with a file of ours" 'files.so: the report format "mine" is not complete: another' files.so

# One that only one of the processes has.
out=$(timeout -k 5 150 "$MPIEXEC" -np 1 "$bin/silas-analyze" --plugin pattern.so early : \
    -np 1 "$bin/silas-analyze" --plugin missing.so early 2>stderr)
is "$? $out $(cat stderr)" "1  silas-analyze: missing.so cannot be loaded as a plug-in: No such file or directory" \
    "all processes learn that one lacks a plug-in"

# Its files are tried before TSV, which has no mark.
variant mine -DFORMAT
echo mine >some.file
like "$("$bin/silas-report" --plugin mine.so some.file 2>&1)" 'some.file: was read by the plug-in' "a format that can be read"
done_testing
