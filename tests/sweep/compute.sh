# Runs of a sweep by the model: each is what silas-model says of the same configuration alone, to the tick, by
# any number of workers and processes. Runs that fail, and workers that die, cost no other run.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
runs_of() { timeout 100 "$top_builddir/tests/sweep/compute_runs" "$@"; }
model() { timeout 100 "$top_builddir/silas-model" "$@"; }

# --- a program of four ranks: a ring by MPI_Sendrecv, halos that overlap, pairs, polling, collectives
awk '
function until(time) { if (clock < time) clock = time }
function at(longest) { clock += 1 + int(longest * rand()); return clock }
function compute(region, longest) { print at(50), "enter", region; print at(longest), "leave", region }
function enter(region) { print at(100), "enter", region }
function leave(region) { print at(400), "leave", region }
BEGIN {
    srand(7)
    print "ranks 4"
    for (r = 0; r < 4; r++) {
        print "rank " r
        next_rank = (r + 1) % 4; last_rank = (r + 3) % 4; pair = r % 2 ? r - 1 : r + 1
        clock = 0
        enter("main")
        for (i = 0; i < 20; i++) {
            until(i * 100000 + int(1000 * rand()))
            enter("step")
            compute("kernel", 8000 * (1 + (r == i % 4)))
            enter("MPI_Sendrecv")
            print at(100), "send", next_rank, "world 5 800"
            until(i * 100000 + 30000 + int(2000 * rand()))
            print at(100), "recv", last_rank, "world 5 800"
            leave("MPI_Sendrecv")
            enter("MPI_Irecv"); print at(100), "irecv_request", 2 * i; leave("MPI_Irecv")
            enter("MPI_Isend"); print at(100), "isend", next_rank, "world 6 4096", 2 * i + 1; leave("MPI_Isend")
            compute("halo", 6000)
            until(i * 100000 + 50000 + int(2000 * rand()))
            enter("MPI_Waitall")
            print at(100), "irecv", last_rank, "world 6 4096", 2 * i
            print at(100), "isend_complete", 2 * i + 1
            leave("MPI_Waitall")
            if (r % 2) {
                compute("pack", 3000)
                enter("MPI_Send"); print at(100), "send", pair, "world 7 64"; leave("MPI_Send")
                if (i % 3 == 0) { enter("MPI_Send"); print at(100), "send", pair, "world 9 8"; leave("MPI_Send") }
            } else {
                enter("MPI_Recv")
                until(i * 100000 + 60000 + int(2000 * rand()))
                print at(100), "recv", pair, "world 7 64"; leave("MPI_Recv")
                if (i % 3 == 0) {
                    enter("MPI_Irecv"); print at(100), "irecv_request", 1000 + i; leave("MPI_Irecv")
                    for (k = 0; k < 5; k++) {
                        enter("MPI_Test"); print at(100), "test", 1000 + i; leave("MPI_Test")
                        if (k == 2) compute("poll", 30000 * rand())
                    }
                    enter("MPI_Test"); print at(100), "irecv", pair, "world 9 8", 1000 + i; leave("MPI_Test")
                }
            }
            leave("step")
            compute("solve", 5000 * (r + 1))
            enter("MPI_Allreduce"); print at(10), "begin"
            until(i * 100000 + 92000 + int(500 * rand()))
            print at(10), "end 11 world -1 8 8"; leave("MPI_Allreduce")
        }
        leave("main")
    }
}' > program.txt
"$top_builddir/tests/trace/make_trace" program.txt program || exit 1
cat > machine.ini << END
[machine]
synchronous_from = 2048
[distance node]
latency = 700 ns
per_byte = 0.25
send_overhead = 200 ns
receive_overhead = 300 ns
[distance network]
latency = 1500 ns
per_byte = 0.5
send_overhead = 300 ns
receive_overhead = 300 ns
END
config() { # NAME SECTIONS
    { printf '[trace]\npath = program\n%s' "$base"; printf '%b' "$2"; } > "$1.ini"
}

# --- every kind of hypothesis, and several at once
write_configs() {
    config base ''
    config nothing ''
    config scale '[scale a]\nregion = kernel\nfactor = 0.3\n'
    config longer '[scale a]\nregion = poll, pack\nfactor = 3.7\n'
    config balance '[balance a]\nregion = solve\n'
    config instance '[balance a]\nregion = kernel\nmode = instance\n'
    config cpu '[cpu a]\nrank = 1..2\nspeed = 1.7\n'
    config noise '[cpu a]\nnoise_period = 7us\nnoise_length = 900ns\n'
    config cut '[cut a]\ntag = 7\n'
    config operations '[cut a]\nwhat = collectives\noperation = MPI_Allreduce\n'
    config replace '[replace a]\noperation = MPI_Allreduce\nby = barrier\n'
    config resize '[resize a]\ntag = 6\nbytes = 100\n'
    config grow '[resize a]\nall = yes\nfactor = 3\n'
    config split '[split a]\nall = yes\n'
    config nonblocking '[nonblocking a]\nregion = MPI_Recv\nwait_before = solve\n'
    config remap '[remap a]\norder = reversed\n'
    config ideal '[network a]\nideal = yes\n'
    config latency '[network a]\nlatency = 4\nbandwidth = 0.1\n'
    config mapping '[mapping a]\nranks_per_node = 2\n'
    config collectives '[collectives a]\nallreduce = ring\n'
    config several '[scale a]\nregion = kernel\nfactor = 0.5\n[cut b]\ntag = 7\n[network c]\nlatency = 3\n[cpu d]\nspeed = 2\n'
}
names='nothing scale longer balance instance cpu noise cut operations replace resize grow split nonblocking remap ideal latency mapping collectives several'
files() { for name in $names; do printf '%s.ini ' "$name"; done; }

value() { "$top_srcdir/tools/json-value" "$name-replay/report.json" "$1"; }
expect() { # KEY of the baseline's T: what silas-model says of each run alone: number, T of both, time of all ranks in both
    number=0
    for name in $names; do
        rm -rf "$name-replay"
        model "$name.ini" > /dev/null 2> err || sed 's/^/# /' err >&2
        after="$(value metrics.0.after)" before=$(value metrics.0.before)
        [ $name != nothing ] || before=$after # a report without hypotheses compares with the recording
        echo "$number done $(value "$1") $(value predicted.time_s.median) $before $after"
        number=$((number + 1))
    done
}
short() { # as many digits as in reports
    sort -n | awk '{ printf "%d %s", $1, $2; for (i = 3; i <= 6; i++) printf " %.9g", $i; print "" }'
}
times() { awk '{ print $1, $2, $3, $4 }'; }

for mode in $(some_of 1 difference absolute trace); do
    base= baseline=baseline.time_s.median
    [ $mode = trace ] && baseline=trace.time_s
    [ $mode = absolute ] && base=$(printf '[model]\nmode = absolute\nmachine = machine.ini\n.') && base=${base%.}
    [ $mode = trace ] && base=$(printf '[model]\nmachine = machine.ini\n[replay]\nbaseline = trace\n.') && base=${base%.}
    write_configs
    expect $baseline | short > expected
    is "$(wc -l < expected)" 20 "mode $mode: silas-model has answered all"
    runs_of 1 time base.ini $(files) 2> err | short > got
    is "$(cat got)" "$(cat expected)" "mode $mode: each run is what silas-model says, T and a metric"
    runs_of 4 T base.ini $(files) 2> err | short > got
    is "$(times < got)" "$(times < expected)" "mode $mode: the same T from four workers, without a search"
    for processes in 2 3; do
        timeout 100 "${MPIEXEC:-mpiexec.hydra}" -np $processes "$top_builddir/tests/sweep/compute_runs" 0 T base.ini \
            $(files) 2> err | short > got
        is "$(times < got)" "$(times < expected)" "mode $mode: the same T from $processes processes"
    done
done

# --- changes and regions
base=
write_configs
is "$(runs_of 2 T base.ini several.ini balance.ini nothing.ini 2> /dev/null | sort -n | cut -d ' ' -f 7-)" \
    "$(printf '4 4\n1 1\n0 0')" "changes and regions are counted"

# --- failures
config wrong '[scale a]\nregion = kernle\nfactor = 2\n'
config mistyped '[scale a]\nregion = kernel\nfacter = 2\n'
config deadlock '[cut a]\ntag = 99\n'
config die '[die a]\n'
failures() { # PREFIX...: with some runs that fail among others
    "$@" T base.ini scale.ini wrong.ini mistyped.ini deadlock.ini cpu.ini 2> err | sort -n
}
whole=$(runs_of 1 T base.ini scale.ini cpu.ini 2> /dev/null | sort -n | cut -d ' ' -f 2-)
for workers in 1 3; do
    got=$(failures runs_of $workers)
    is "$(printf '%s\n' "$got" | grep done | cut -d ' ' -f 2-)" "$whole" "runs beside failing ones end ($workers workers)"
    like "$got" '^1 failed wrong.ini:4: \[scale a\]: .*kernel' "a region that does not exist fails its run"
    like "$got" '^2 failed mistyped.ini:5: .*facter' "... as does a key"
    like "$got" '^3 failed deadlock.ini:3: ' "... and messages that do not exist"
done
got=$(failures timeout 100 "${MPIEXEC:-mpiexec.hydra}" -np 2 "$top_builddir/tests/sweep/compute_runs" 0)
is "$(printf '%s\n' "$got" | grep -c failed)" 3 "... and the same with two processes"
for workers in 1 2; do
    got=$(runs_of $workers T base.ini scale.ini die.ini die.ini cpu.ini 2> err | sort -n)
    is "$(printf '%s\n' "$got" | grep done | cut -d ' ' -f 2-)" "$whole" "runs beside killed ones end ($workers workers)"
    is "$(printf '%s\n' "$got" | grep -c 'failed the process that computes the run was killed')" 2 \
        "... and say that they were killed"
done
done_testing
