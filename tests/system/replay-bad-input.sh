# Bad input to silas-replay: one clear message from one rank, the right exit code, no output, no
# hang.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution
make_meeting meeting 1000000 2000000

# Runs a configuration that must fail. Everything under $work that was not there before is a
# leftover.
refuses() { # NAME EXPECTED-CODE PATTERN [NP]
    before=$(find . | sort)
    run "${4:-2}" "$1.ini"
    is "$code" "$2" "$1: exit code"
    like "$err" "$3" "$1: message"
    is "$(printf '%s\n' "$err" | grep -c '^silas-replay: ')" 1 "$1: one message"
    is "$out" "" "$1: nothing on standard output"
    is "$(find . | sort)" "$(printf '%s\n' "$before" ./stderr | sort -u)" "$1: nothing is written"
}
# Runs a configuration whose trace is imperfect: it is replayed, and one warning says what was left out.
leaves_out() { # NAME PATTERN
    run 2 "$1.ini"
    is "$code" 0 "$1: exit code"
    like "$err" "^silas-replay: warning: .*left out" "$1: something is left out"
    like "$err" "$2" "$1: what"
    [ -s "$1-replay/report.json" ]
    ok $? "$1: there is a result"
}
config() { # NAME TRACE [LINES]
    printf '[trace]\npath = %s\n%b' "$2" "${3-}" > "$1.ini"
}
: > stderr

# --- files
config missing nowhere/traces.otf2
refuses missing 1 'nowhere/traces.otf2: No such file'
echo "this is not an archive" > text.otf2
config text text.otf2
refuses text 1 'text.otf2: not an OTF2 archive'
mkdir empty
config empty empty
refuses empty 1 'empty.* holds no .otf2 file'
cp -r meeting truncated
for events in truncated/traces/*.evt; do
    head -c 60 "$events" > cut && mv cut "$events"
done
config truncated truncated
refuses truncated 1 'truncated'
cp -r meeting unreadable
chmod 000 unreadable
config unreadable unreadable
mkdir locked
chmod 555 locked
config locked meeting '[output]\ndirectory = locked/out\n'
chmod 755 "$work"
[ "$(id -u)" -ne 0 ] || as=(setpriv --reuid 65534 --clear-groups) # root may do everything
if "${as[@]}" env "$replay" --version > /dev/null 2>&1; then
    refuses unreadable 1 'unreadable.*: Permission denied'
    refuses locked 3 'cannot write to .*locked/out: Permission denied'
else
    skip "unreadable and unwritable directories" "root cannot become another user here"
fi
as=()
chmod 755 unreadable
config below text.otf2/traces.otf2
refuses below 1 'text.otf2/traces.otf2: Not a directory'
refuses nosuchfile 1 'nosuchfile.ini'


# --- processes
config processes meeting
refuses processes 2 'has 2 ranks, but 1 process was started: run mpirun -np 2 silas-replay' 1
refuses processes 2 'has 2 ranks, but 3 processes were started: run mpirun -np 2 silas-replay' 3
singletons() { # as a launcher of another MPI would start them
    for rank in 0 1; do
        OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$rank timeout -k 5 150 "$replay" processes.ini
    done
}
err=$(singletons 2>&1)
is "$(printf '%s\n' "$err" | wc -l)" 1 "of singletons the first one speaks"
like "$err" 'each of the 2 processes is a separate job' "singletons are found out"
what_to_do='use the launcher of MPICH \(mpiexec.hydra\), or srun --mpi=pmi2'
is_mpich || what_to_do='use the launcher of Open MPI \(mpiexec.openmpi\), or srun --mpi=pmix'
like "$err" "$what_to_do" "and what to do is said"

# --- configuration
config key meeting '[scale work]\nregion = work\nfacter = 2\n'
refuses key 1 'key.ini:5: unknown key "facter"; did you mean "factor"\?'
config section meeting '[scael work]\nregion = work\n'
refuses section 1 'section.ini:3: unknown section .*did you mean \[scale'
config value meeting '[replay]\nrepeat = often\n'
refuses value 1 'value.ini:4: .*often'
config region meeting '[scale work]\nregion = wirk\nfactor = 2\n'
refuses region 1 'work'

# --- output
mkdir there
config there meeting '[output]\ndirectory = there\n'
refuses there 1 'output directory .*there exists.*overwrite = yes'
echo precious > there/thesis.tex
config foreign meeting '[output]\ndirectory = there\noverwrite = yes\n'
refuses foreign 1 'will not overwrite .*there: it contains "thesis.tex"'
is "$(cat there/thesis.tex)" precious "the file of another program is still there"
config unwritable meeting '[output]\ndirectory = /proc/nowhere/out\n'
refuses unwritable 3 'cannot write to /proc/nowhere/out: '
config below_file meeting '[output]\ndirectory = text.otf2/out\n'
refuses below_file 3 'cannot write to .*text.otf2/out: Not a directory'

# --- traces of which a part cannot be replayed
make_trace dangling <<'END'
ranks 2
rank 0
10 enter main
20 enter MPI_Send
25 send 1 world 5 100
30 leave MPI_Send
90 leave main
rank 1
10 enter main
90 leave main
END
config dangling dangling
leaves_out dangling 'rank 0.*main/MPI_Send'
make_trace orphan <<'END'
ranks 2
rank 0
10 enter main
90 leave main
rank 1
10 enter main
20 enter MPI_Recv
25 recv 0 world 5 100
30 leave MPI_Recv
90 leave main
END
config orphan orphan
leaves_out orphan 'rank 1.*main/MPI_Recv'
make_trace unbalanced <<'END'
ranks 2
rank 0
10 enter main
90 leave main
100 leave main
rank 1
10 enter main
90 leave main
END
config unbalanced unbalanced
leaves_out unbalanced 'rank 0.*event'
for rank in 0 1; do
    printf 'rank %d\n10 enter main\n20 enter MPI_Call\n20 begin\n40 end %d world %d 8 8\n40 leave MPI_Call\n90 leave main\n' \
        $rank $((rank ? 11 : 1)) $((rank ? -1 : 0))
done | sed '1i ranks 2' | make_trace mismatch
config mismatch mismatch
leaves_out mismatch 'rank'

# --- traces that cannot be replayed
for rank in 0 1; do
    printf 'rank %d\n10 enter main\n20 enter MPI_Recv\n25 recv %d world 5 8\n30 leave MPI_Recv\n40 enter MPI_Send\n45 send %d world 5 8\n50 leave MPI_Send\n90 leave main\n' \
        $rank $((1 - rank)) $((1 - rank))
done | sed '1i ranks 2' | make_trace deadlock
config deadlock deadlock
refuses deadlock 1 'rank 0'

# A program that relies on more buffering than this MPI has. Each rank says where it is.
for rank in 0 1; do
    printf 'rank %d\n10 enter main\n11 enter f\n12 leave f\n20 enter MPI_Send\n25 send %d world 5 50000000\n30 leave MPI_Send\n40 enter MPI_Recv\n45 recv %d world 5 50000000\n50 leave MPI_Recv\n90 leave main\n' \
        $rank $((1 - rank)) $((1 - rank))
done | sed '1i ranks 2' | make_trace stuck
config stuck stuck '[replay]\ntimeout = 2\n'
run 2 stuck.ini
# Where MPICH's launcher sees the connection of a process close before the process has ended, it
# reports 1 and says that signal 1 has ended it: once in about 60 runs on a busy machine.
case $code$out in 1*'Hangup (signal 1)'*) run 2 stuck.ini ;; esac
is "$code" 3 "stuck: exit code"
like "$err" 'relies on buffering' "stuck: the warning before"
like "$err" 'rank 0.*main/MPI_Send' "stuck: where rank 0 is"
like "$err" 'rank 1.*main/MPI_Send; .* does not buffer a message of this size' "stuck: where rank 1 is, and why"
is "$(ls -d stuck-replay* 2> /dev/null)" "" "stuck: nothing is left behind"
# A changed program relies on the same buffering, at other events.
printf '[trace]\npath = stuck\n[output]\ndirectory = inserted\n[insert]\nregion = f\nsender = 0\nreceiver = 1\nbytes = 8\n' > inserted.ini
timeout -k 5 60 "$top_builddir/silas-model" inserted.ini > out 2> err
is "$?:$(grep -c 'warning: .*relies on buffering' err)" 0:1 "one warning for the recorded program and the changed one"

# --- command line
run 1
is "$code" 2 "no argument: exit code"
run 1 --chekc x.ini
is "$code" 2 "unknown option: exit code"
like "$err" 'unknown option "--chekc"; did you mean "--check"\?' "unknown option: message"
run 2 one.ini two.ini
is "$code" 2 "too many arguments: exit code"
is "$(printf '%s\n' "$err" | grep -c '^silas-replay: ')" 1 "too many arguments: one message"
done_testing
