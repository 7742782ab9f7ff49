#!/bin/bash
# Archives for other tools: --compatible scalasca-2.6, and definitions as Score-P writes them.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution

profile() { # TRACE
    timeout -k 5 150 "$MPIEXEC" -np 1 "$top_builddir/silas-analyze" -f tsv "$1" 2>"$work/said" |
        awk -F '\t' '$1 == "visits" { sub(/ @.*/, "", $2); sum[$2 " " $3] += $4 } END { for (call in sum) print call, sum[call] }' | sort
}

communicators=$top_builddir/tests/measure/calls-communicators
# Score-P does not name the places of calls, so this comparison goes without them, too.
trace --no-call-sites -o "$work/all" "$communicators" "$work/file"
is $? 0 "a program that makes communicators and files is traced"
trace --compatible scalasca-2.6 -o "$work/fewer" "$communicators" "$work/file"
is $? 0 "... for Scalasca 2.6"
valid "$work/all" "the first archive is valid"
[ "$(count '^MPI_COLLECTIVE_END .*(CREATE|DESTROY)_HANDLE')" -gt 0 ]
ok $? "it has collective operations that make handles"
made=$(count '^COMM_CREATE ')
valid "$work/fewer" "the other archive is valid"
is "$(count '^(MPI_COLLECTIVE_END|NON_BLOCKING_COLLECTIVE_COMPLETE) .*(CREATE|DESTROY)_HANDLE')" 0 "it has none"
is "$(count '^MPI_COLLECTIVE_BEGIN ')" "$(count '^MPI_COLLECTIVE_END ')" "... and each begin has its end"
is "$(count '^COMM_CREATE ')" "$made" "... and communicators are made as in the first"
is "$(profile "$work/fewer" | cut -d ' ' -f 1-3)" "$(profile "$work/all")" "all calls are there"
printf '[trace]\npath = %s\n[replay]\nrepeat = 1\ntune = no\noversubscribe = yes\nbaseline = trace\n[output]\ndirectory = %s\nformats = json\n' \
    "$work/fewer/traces.otf2" "$work/replayed" >"$work/replay.ini"
timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-replay" "$work/replay.ini" >"$work/said" 2>&1
ok $? "it can be replayed"

# Scalasca does not know intercommunicators, nor how many tests were left out.
between=$top_builddir/tests/measure/intercommunicator
for ranks in 2 5; do
    trace -o "$work/inter$ranks" "$between"
    trace --compatible scalasca-2.6 -o "$work/joined$ranks" "$between"
    is $? 0 "np $ranks: messages between two groups are traced for Scalasca 2.6"
    valid "$work/inter$ranks" "np $ranks: the archive for ours is valid"
    otf2-print -G "$work/inter$ranks/traces.otf2" | grep -q '^INTER_COMM '
    is $? 0 "np $ranks: ... and has an intercommunicator"
    messages=$(count '^MPI_I?(SEND|RECV) ')
    valid "$work/joined$ranks" "np $ranks: the archive for Scalasca is valid"
    otf2-print -G "$work/joined$ranks/traces.otf2" | grep -q '^INTER_COMM '
    is $? 1 "np $ranks: ... and has none"
    is "$(count '^MPI_I?(SEND|RECV) ')" "$messages" "np $ranks: ... but all messages"
    is "$(count '^MPI_REQUEST_TEST ')" 1000 "np $ranks: ... and each test"
    for archive in "inter$ranks" "joined$ranks"; do
        timeout -k 5 150 "$top_builddir/silas-analyze" -f tsv "$work/$archive" 2>&1 |
            awk -F '\t' '$1 ~ /^(bytes_rcvd|bytes_sent|comms_recv|comms_send)$/ { sum[$1 " " $3] += $4 }
                END { for (value in sum) print value, sum[value] }' | sort >"$work/$archive.messages"
    done
    is "$(cat "$work/joined$ranks.messages")" "$(cat "$work/inter$ranks.messages")" "np $ranks: the same messages are matched"
    [ -s "$work/inter$ranks.messages" ]
    ok $? "np $ranks: ... and there are some"
done
unset ranks
trace --compatible scalasca-9 -o "$work/none" "$communicators" "$work/file"
is $? 2 "another word: exit code"
like "$(said)" 'scalasca-9.*known: scalasca-2.6' "... and the known name"
[ ! -e "$work/none" ]
ok $? "... and nothing is written"

# --- definitions: what a tool that reads Score-P's archives may rely on
shape() { # ARCHIVE: definitions without numbers, and without names that the programs give
    otf2-print -G "$1" | sed -nE '
        s/<[0-9]+>//g
        s/^(PARADIGM|PARADIGM_PROPERTY|SYSTEM_TREE_NODE_DOMAIN|SYSTEM_TREE_NODE_PROPERTY|LOCATION_GROUP|LOCATION|COMM) +[0-9]* +/\1 /
        s/"node::[^"]*"/"node::HOST"/g
        s/Rank [0-9]+"/Rank N"/g
        s/# Events: [0-9]+/# Events/
        /^(PARADIGM|PARADIGM_PROPERTY|SYSTEM_TREE_NODE_DOMAIN|SYSTEM_TREE_NODE_PROPERTY|LOCATION_GROUP|LOCATION) /p
        /^COMM Name: "MPI_COMM_(WORLD|SELF)"/p
        s/^GROUP +[0-9]+ +(.*Type: (COMM_LOCATIONS|COMM_SELF|COMM_GROUP).*Flags: [A-Z]+),.*/GROUP \1/p' | sort -u
}
regions() { # ARCHIVE: of MPI, with role, paradigm and file
    otf2-print -G "$1" | sed -nE 's/<[0-9]+>//g; s/^REGION +[0-9]+ +Name: "(MPI_[A-Za-z_]*)".*(Role: .*File: [^,]*),.*/\1 \2/p' | sort
}
shape "$work/all/traces.otf2" >"$work/shape"
is "$(cat "$work/shape")" 'COMM Name: "MPI_COMM_SELF" , Group: "" , Parent: UNDEFINED, Flags: NONE
COMM Name: "MPI_COMM_WORLD" , Group: "" , Parent: UNDEFINED, Flags: NONE
GROUP Name: "" , Type: COMM_GROUP, Paradigm: "MPI" , Flags: NONE
GROUP Name: "" , Type: COMM_LOCATIONS, Paradigm: "MPI" , Flags: NONE
GROUP Name: "" , Type: COMM_SELF, Paradigm: "MPI" , Flags: NONE
LOCATION Name: "Master thread" , Type: CPU_THREAD, # Events, Group: "MPI Rank N" 
LOCATION_GROUP Name: "MPI Rank N" , Type: PROCESS, Parent: "node::HOST" , Creator: UNDEFINED
PARADIGM MPI, Name: "MPI" , Class: PROCESS
PARADIGM_PROPERTY Paradigm: "MPI" , Property: COMM_NAME_TEMPLATE, Type: STRING, Value: "Comm ${id}" 
PARADIGM_PROPERTY Paradigm: "MPI" , Property: RMA_WIN_NAME_TEMPLATE, Type: STRING, Value: "Win ${id}" 
SYSTEM_TREE_NODE_DOMAIN System Tree Node: "machine::Linux" , Domain: MACHINE
SYSTEM_TREE_NODE_DOMAIN System Tree Node: "node::HOST" , Domain: SHARED_MEMORY
SYSTEM_TREE_NODE_PROPERTY System Tree Node: "machine::Linux" , Name: "platform" , Type: STRING, Value: "Linux" ' "the shape of our definitions"

program_regions=$(otf2-print -G "$work/all/traces.otf2" | grep -c 'Role: ARTIFICIAL, Paradigm: MEASUREMENT_SYSTEM')
is "$program_regions" 1 "the program is a region of the measurement system"
theirs=
for archive in "${SILAS_SHARED:-$top_srcdir/../shared}"/oracle/scorep-*/traces.otf2; do
    [ -f "$archive" ] && theirs=$archive && break
done
if [ -z "$theirs" ]; then
    skip "definitions of Score-P" "no archive of Score-P is here (SILAS_SHARED)"
    done_testing
fi
shape "$theirs" >"$work/theirs"
is "$(diff "$work/theirs" "$work/shape")" "" "Score-P's definitions have the same shape"
regions "$work/all/traces.otf2" >"$work/regions"
for program in measure/calls-messages measure/calls-requests measure/calls-collectives coverage/onesided coverage/probes; do
    trace --no-call-sites --overwrite -o "$work/more" "$top_builddir/tests/$program"
    regions "$work/more/traces.otf2" >>"$work/regions"
done
sort -u -o "$work/regions" "$work/regions"
[ "$(wc -l <"$work/regions")" -gt 80 ]
ok $? "most calls have a region"
regions "$theirs" >"$work/their-regions"
# Each call that both know. Newer versions of Score-P give input and output the role FILE_IO, as we do.
is "$(join "$work/their-regions" "$work/regions" | awk '/^MPI_File_/ && /Role: FILE_IO/ { next } { half = (NF - 1) / 2; for (i = 2; i <= half + 1; i++) if ($i != $(i + half)) { print; next } }')" "" \
    "Score-P's regions of MPI have the same roles"
done_testing
