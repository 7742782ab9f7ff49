# Questions without a file: a trace where a configuration is expected, and hypotheses as options. An option must
# predict what its section in a file predicts.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution
make_meeting before 8000000 2000000
model() { timeout -k 5 100 "$top_builddir/silas-model" "$@" >out 2>stderr </dev/null; }
saved() { # DIR: T before and after, and the hypotheses
    grep -E '"(before_s|after_s|median|description|text)":' "$1/report.json" | tr -s ' \n' ' '
}

# --- a trace
model before
is "$? $(ls -d before-replay*)" "0 before-replay" "a trace is enough"
like "$(cat out)" 'before-replay' "... and the report says where it is"
model before/traces.otf2
is "$? $(ls -d before-replay* | tr '\n' ' ')" "0 before-replay before-replay-2 " "a second run gets a number; the anchor file will do"
is "$(saved before-replay-2)" "$(saved before-replay)" "... with the same result"
like "$(cat before-replay/report.txt)" 'replayed unchanged' "... of a replay without hypotheses"
(cd before && model .)
is "$? $(ls -d before/silas-replay)" "0 before/silas-replay" "the current folder"
model before/
is "$? $(ls -d before-replay-3)" "0 before-replay-3" "a folder with a slash"
model --set output.overwrite=yes before
is "$? $(ls -d before-replay-4 2>/dev/null)" "0 " "with overwrite = yes the name has no number"
model nothing
like "$? $(cat stderr)" '^1 .*nothing' "neither a trace nor a file"
mkdir empty
model empty
like "$? $(cat stderr)" '^1 .*empty' "a folder without a trace"

mkdir configurations
printf '[trace]\npath = ../before\n' >configurations/file.ini
model -o there configurations/file.ini
is "$? $(cat there/report.txt | grep -c 'replayed unchanged')" "0 1" "-o: a folder in the current one"
model -o page.html before
like "$? $(cat stderr) $(ls -d page*)" '^2 silas-model: -o page.html: .* -o page --set output.formats=html *$' "-o is no page"

# --- the same words as in a file
same() { # DESCRIPTION SECTION OPTION...: the section is text with \n
    local what=$1
    printf '[trace]\npath = before\n[output]\ndirectory = file\noverwrite = yes\n%b' "$2" >file.ini
    shift 2
    model file.ini
    is $? 0 "$what: by a file"
    cp stderr file.stderr
    model --set output.directory=option --set output.overwrite=yes "$@" before
    is "$?$(cat stderr)" "0$(cat file.stderr)" "$what: by an option"
    is "$(saved option)" "$(saved file)" "$what: the same"
}
same "region and factor" '[scale]\nregion = work\nfactor = 0.5\n' --scale work=0.5
is "$(grep -c '"after_s"\|"saving"' option/report.json | sed 's/[1-9].*/some/')" some "... a result"
same "keys" '[scale]\nregion = work\nfactor = 0.5\nmode = exclusive\n' --scale 'region=work,factor=0.5, mode = exclusive'
same "region and a key" '[scale]\nregion = w*, main\nfactor = 0.5\n' --scale 'w*, main factor=0.5'
same "balance" '[balance]\nregion = work\n' --balance work
same "balance with a mode" '[balance]\nregion = work\nmode = instance\n' --balance work,mode=instance
same "cut" '[cut]\nsize = 0, 16..1024\ntag = 7\n' --cut 'size=0, 16..1024, tag=7'
same "cut all" '[cut]\nall = yes\nwhat = messages\n' --cut 'all what=messages'
same "replace" '[replace]\noperation = MPI_Allreduce\nby = barrier\n' --replace operation=MPI_Allreduce,by=barrier
same "replace in a region" '[replace]\nregion = main\nby = bcast\n' --replace main=bcast
same "resize" '[resize]\nall = yes\nbytes = 1M\n' --resize all,bytes=1M
same "nonblocking" '[nonblocking]\nregion = MPI_Recv\nwait_before = MPI_Finalize\n' --nonblocking MPI_Recv,wait_before=MPI_Finalize
same "redistribute" '[redistribute]\nregion = work\nfactors = 0.5, 1.5\n' --redistribute 'work=0.5, 1.5'
same "insert" '[insert]\nregion = work\nduration = 1us\n' --insert work,duration=1us
same "wait" '[wait]\nregion = MPI_Allreduce\nrank = 0\n' --wait MPI_Allreduce,rank=0
same "the longest waits" '[wait]\nlongest = 1\n' --wait longest=1
same "remap" '[remap]\nplaces = 1, 0\n' --remap 'places=1, 0'
same "variation" '[variation]\nremove = ranks\nrank = 0\n' --variation 'remove=ranks rank=0'
same "cpu" '[cpu]\nrank = 0\nspeed = 2\n' --cpu 'rank=0 speed=2'
same "network" '[network]\nlatency = 3\nbandwidth = 0.5\n' --network latency=3,bandwidth=0.5
same "ideal network" '[network]\nideal = yes\n' --network ideal
same "mapping" '[mapping]\nnodes = 0 | 1\n' --mapping 'nodes=0 | 1'
same "collectives" '[collectives]\nallreduce = ring\n' --collectives allreduce=ring
same "several, in their order" '[scale]\nregion = work\nfactor = 0.5\n[balance]\nregion = work\n[scale 2]\nregion = MPI_Init, main\nfactor = 2\n' \
    --scale work=0.5 --balance work --scale 'MPI_Init, main=2'
for kind in $("$top_builddir/silas-model" --help | sed -n '/^Options/,/^$/s/^      --\([a-z]*\)=\(REGION\|KEY\).*/\1/p'); do
    grep -q -- "--$kind" "$top_srcdir/tests/system/question.sh" || echo "$kind"
done >untested
is "$(tr '\n' ' ' <untested)" "split earlier " "every kind has an option" # these two change nothing in this trace
printf '[trace]\npath = before\n[output]\ndirectory = both\n[scale]\nregion = work\nfactor = 0.5\n' >both.ini
model both.ini --scale work=0.5 --scale work=0.5
is "$? $(grep -c 'factor 0.5' both/report.txt)" "0 3" "options add to a file"

# --- mistakes: the message names the option
refused() { # EXIT PATTERN DESCRIPTION ARGUMENTS...
    local code=$1 pattern=$2 what=$3
    shift 3
    model "$@" before
    like "$? $(cat stderr)" "^$code silas-model: $pattern" "$what"
}
refused 1 '--scale "work=fast": factor = "fast": expected a number from 0 to' "no number" --scale work=fast
refused 1 '--scale "work": .*"factor" is missing' "no factor" --scale work
refused 1 '--balance "regoin=work": unknown key "regoin"; did you mean "region"' "a misspelt key" --balance regoin=work
refused 1 '--network "latncy=2": unknown key "latncy"; did you mean "latency"' "a misspelt key of the network" --network latncy=2
refused 1 '--network "latency=1e-6": \[network\]: latency = 1e-06 is a factor; a time needs a unit, as in latency = 1us' "seconds without a unit" --network latency=1e-6
refused 1 '--network "2": expected KEY=VALUE with the keys of section \[network\]' "no key" --network 2
refused 1 '--scale "work=1,factor=2": factor is given twice' "a key twice" --scale work=1,factor=2
refused 1 '--threads "work=8": .*no parallel regions' "threads of a region" --threads work=8
refused 1 '--threads "8": .*no parallel regions' "threads of all regions" --threads 8
refused 1 '--critical "work=0.5": .*no critical' "critical sections" --critical work=0.5
refused 1 '--threads .*: unknown key "unknown" in section \[threads\]: use ' "an unknown key that follows another one" --threads 'count=2,unknown=yes'
refused 1 '--scale .*: unknown key "unknown" in section \[scale\]: use ' "... that follows a short form" --scale 'work=2,unknown=yes'
refused 1 '--balance "": the hypothesis is missing' "nothing" --balance ''
refused 1 '.*no region .*wrok' "a region that does not exist" --balance wrok
refused 2 'unknown option "--scael"; did you mean "--scale"' "a misspelt kind" --scael work=1
is "$(ls -d before-replay-4 2>/dev/null)" "" "no mistake leaves files"

# --- replays
run 2 before --balance work --set replay.repeat=1
is "$code $(ls before-replay-4/report.json)" "0 before-replay-4/report.json" "a replay"
run 2 --network latency=2 before
like "$code $err" '^1 .*\[network\] can be computed, but not replayed: use silas-model' "a replay of another network"
run 1 before --balance work
like "$code $err" '^2 .*run mpirun -np 2 silas-replay before' "too few processes"
done_testing
