# Other numbers of threads and schedules through the programs, against closed forms, exact to the nanosecond: one rank whose
# four threads run a loop between two serial parts.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-threads.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

# Iteration i takes `base` + `slope` (i + 1) ticks in its own region; N iterations in blocks of N / 4. The serial parts
# take 1,000 ticks together.
loop_trace() { # DIRECTORY N BASE SLOPE
    awk -v N="$2" -v base="$3" -v slope="$4" 'BEGIN {
        print "ranks 1"
        for (t = 0; t < 4; t++) {
            for (i = t * N / 4; i < (t + 1) * N / 4; i++) length_of[t] += base + slope * (i + 1)
            last = length_of[t] > last ? length_of[t] : last
        }
        for (t = 0; t < 4; t++) {
            print t ? "thread 0" : "rank 0\n0 enter main\n600 fork 4"
            now = 600
            print now, "team_begin"; print now, "enter !$omp_parallel"; print now, "enter !$omp_for"
            for (i = t * N / 4; i < (t + 1) * N / 4; i++) {
                print now, "enter cell"
                now += base + slope * (i + 1)
                print now, "leave cell"
            }
            print now, "enter !$omp_implicit_barrier"
            now = 600 + last
            print now, "leave !$omp_implicit_barrier"; print now, "leave !$omp_for"; print now, "leave !$omp_parallel"; print now, "team_end"
            if (!t) { print now, "join"; print now + 400, "leave main" }
        }
    }' | "$top_builddir/tests/trace/make_trace" /dev/stdin "$1"
}
predicted() { # TRACE OPTIONS...: T in ns
    rm -rf out
    timeout -k 5 60 "$top_builddir/silas-model" "$@" -o out >stdout 2>stderr || cat stderr
    tr -d '\n ' <out/report.json | sed 's/.*"predicted":{"time_s":{"median":\([0-9.e+-]*\).*/\1/' |
        awk '{ printf "%.0f\n", $1 * 1e9 }'
}

loop_trace even 512 700 0
for m in 4 8 32 64 128; do
    is "$(predicted even --threads $m)" "$((1000 + 512 * 700 / m))" "even loop, $m threads: serial parts and W / m"
done
is "$(predicted even --threads 1)" "$((1000 + 512 * 700))" "... 1 thread"
like "$(cat stderr)" 'loops, the visits of regions inside show the work of each iteration' "that visits are used is said"

# Computation that needs bandwidth of memory: four threads with share f ran max(1, 4 f) times as long as one alone.
with_memory() { # TRACE SHARE SECTION...: T in ns; cells are bound by memory
    printf '[trace]\npath = %s/traces.otf2\n[replay]\nengine = model\n[output]\ndirectory = out\noverwrite = yes\nformats = json\n' "$1" >bound.ini
    printf '[memory]\nregion = cell\nshare = %s\n' "$2" >>bound.ini
    shift 2
    printf '%s\n' "$@" >>bound.ini
    timeout -k 5 60 "$top_builddir/silas-model" bound.ini >stdout 2>stderr || cat stderr
    tr -d '\n ' <out/report.json | sed 's/.*"predicted":{"time_s":{"median":\([0-9.e+-]*\).*/\1/' | awk '{ printf "%.0f\n", $1 * 1e9 }'
}
alone=$((512 * 700 / 2)) # the loop on one thread, if f = 1/2
for m in 1 2 4 8 64; do
    is "$(with_memory even 0.5 '[threads]' "count = $m")" "$((1000 + alone / (m < 2 ? m : 2)))" "share 1/2, $m threads: two need all of the bandwidth"
done
case $(cat stderr) in *"not to slow the others down"*) false ;; esac
ok $? "... the note about threads that slow each other down is gone"
is "$(with_memory even 0.5 '[scale]' 'region = cell' 'factor = 0.5')" "$((1000 + 512 * 700 / 8))" "... half the work of four threads: half the length"
is "$(with_memory even 0.2 '[threads]' 'count = 8')" "$((1000 + 512 * 700 / 8 * 8 / 5))" "share 1/5, 8 threads: 8/5 times as long as alone"
# Two ranks of a host share its bandwidth; their threads, too.
for rank in 0 1; do
    test $rank = 1 || echo "ranks 2"
    printf '%s\n' "rank $rank" "0 enter main" "0 fork 2"
    awk 'BEGIN { print "0 team_begin\n0 enter !$omp_parallel\n0 enter !$omp_for"
        for (i = 0; i < 32; i++) print 700 * i " enter cell\n" 700 * (i + 1) " leave cell"
        print "22400 enter !$omp_implicit_barrier\n22400 leave !$omp_implicit_barrier\n22400 leave !$omp_for\n22400 leave !$omp_parallel\n22400 team_end" }' |
        tee lane
    printf '%s\n' "22400 join" "22400 enter MPI_Barrier" "22400 begin" "23400 end 0 world -1 0 0" "23400 leave MPI_Barrier" "23400 leave main"
done >ranks
for rank in 0 1; do echo "thread $rank" && cat lane; done | cat ranks - | "$top_builddir/tests/trace/make_trace" /dev/stdin ranks-2
is "$(with_memory ranks-2 0.25 '[threads]' 'count = 4')" $((1000 + 22400)) "two ranks, share 1/4: two threads of each need it all, four gain nothing"
is "$(with_memory ranks-2 0.25 '[threads]' 'count = 1')" $((1000 + 44800)) "... one thread of each takes twice as long"
is "$(with_memory ranks-2 0.5 '[threads]' 'count = 1')" $((1000 + 22400)) "... share 1/2: one thread of each needs it all"
loop_trace triangle 256 0 3
sum() { echo $((3 * $1 * ($1 + 1) / 2)); } # of the first iterations
for m in 4 16 64; do
    b=$((256 / m))
    is "$(predicted triangle --threads $m)" "$((1000 + $(sum 256) - $(sum $((256 - b)))))" \
        "triangular loop, static, $m threads: the last block"
    turns=$((1000 + 3 * m * b * (b + 1) / 2))
    is "$(predicted triangle --threads "count=$m,schedule=static,chunk=1")" "$turns" "... static, 1: the last thread's turns"
    is "$(predicted triangle --threads "region=!\$omp_for,count=$m,schedule=dynamic")" "$turns" "... dynamic, 1: the same"
done

# Where nothing is recorded inside, each thread's time is even over its block.
grep -v cell <<END | "$top_builddir/tests/trace/make_trace" /dev/stdin blocks
ranks 1
rank 0
0 enter main
0 fork 2
0 team_begin
0 enter !\$omp_parallel
0 enter !\$omp_for
800 leave !\$omp_for
800 enter !\$omp_implicit_barrier
2400 leave !\$omp_implicit_barrier
2400 leave !\$omp_parallel
2400 team_end
2400 join
2500 leave main
thread 0
0 team_begin
0 enter !\$omp_parallel
0 enter !\$omp_for
2400 leave !\$omp_for
2400 enter !\$omp_implicit_barrier
2400 leave !\$omp_implicit_barrier
2400 leave !\$omp_parallel
2400 team_end
END
is "$(predicted blocks --threads 8)" "$((100 + 2400 / 4))" "blocks: the densest eighth"
like "$(cat stderr)" 'the work of each thread is divided evenly among its iterations' "that blocks are used is said"
is "$(predicted blocks --threads 'count=2,schedule=static,chunk=1,iterations=16')" "$((100 + (800 + 2400) / 2))" "... by turns of 16 iterations"
unknown=$(predicted blocks --threads 'count=2,schedule=static,chunk=1') # 512 chunks that end at whole nanoseconds
[ "$unknown" -ge 1690 ] && [ "$unknown" -le 1740 ]
ok $? "... also if their number is unknown ($unknown)"
is "$(predicted blocks --scale main=2)" 5000 "twice the work of all threads: twice T"
is "$(predicted blocks --balance '!$omp_for')" 1700 "balanced threads"
# At the end of a reduction, each thread executes a critical section once. This is not an iteration of the loop.
reduces() { # THREAD WORK CRITICAL-BEGIN: its work in the loop, and when it enters the critical section for 50
    printf '%s\n' "$1" "0 team_begin" "0 enter !\$omp_parallel" "0 enter !\$omp_for" "$2 enter !\$omp_critical" "$3 acquire 7" \
        "$3 enter !\$omp_critical_sblock" "$(($3 + 50)) leave !\$omp_critical_sblock" "$(($3 + 50)) release 7" "$(($3 + 50)) leave !\$omp_critical" \
        "$(($3 + 50)) leave !\$omp_for" "$(($3 + 50)) enter !\$omp_implicit_barrier" "900 leave !\$omp_implicit_barrier" "900 leave !\$omp_parallel" "900 team_end"
}
{
    reduces "$(printf 'ranks 1\nrank 0\n0 enter main\n0 fork 2')" 800 800
    printf '%s\n' "900 join" "1000 leave main"
    reduces "thread 0" 800 850
} | "$top_builddir/tests/trace/make_trace" /dev/stdin reduces
reduced=$(predicted reduces --threads 4)
[ "$reduced" -ge 500 ] && [ "$reduced" -le 700 ]
ok $? "a loop that ends with a critical section, four threads: half of its work each ($reduced)"
like "$(cat stderr)" 'the work of each thread is divided evenly among its iterations' "... which is divided evenly"
# The master wakes its workers one after the other, and waits 20 for each of them at the end.
{
    printf '%s\n' "ranks 1" "rank 0" "0 enter main" "0 fork 2" "100 team_begin" "100 enter !\$omp_parallel" "100 enter !\$omp_for" "900 leave !\$omp_for" \
        "900 enter !\$omp_implicit_barrier" "920 leave !\$omp_implicit_barrier" "920 leave !\$omp_parallel" "920 team_end" "920 join" "1000 leave main"
    printf '%s\n' "thread 0" "50 team_begin" "50 enter !\$omp_parallel" "50 enter !\$omp_for" "850 leave !\$omp_for" \
        "850 enter !\$omp_implicit_barrier" "920 leave !\$omp_implicit_barrier" "920 leave !\$omp_parallel" "920 team_end"
} | "$top_builddir/tests/trace/make_trace" /dev/stdin woken
is "$(predicted woken --threads 4)" "$((300 + 400 + 20 + 80))" "four threads: the master wakes three instead of one"
is "$(predicted woken --threads 1)" "$((1600 + 80))" "... one thread wakes and awaits none"

# Visits of a loop in the order of iterations: as a dynamic schedule dealt them out if threads have different numbers of
# them, and by the turns of ordered sections.
region_trace() { # DIRECTORY THREAD:BEGIN:END[:ORDERED-BEGIN:ORDERED-END]...: visits of a loop that two threads run from 0 on
    directory=$1
    shift
    printf '%s\n' "$@" | awk -F : '{
        thread[NR] = $1; begin[NR] = $2; end[NR] = $3; from[NR] = $4; to[NR] = $5
        now = $5 ? $5 : $3
        done = now > done ? now : done
    } END {
        print "ranks 1"
        for (t = 0; t < 2; t++) {
            print t ? "thread 0" : "rank 0\n0 enter main\n0 fork 2"
            print 0, "team_begin"; print 0, "enter !$omp_parallel"; print 0, "enter !$omp_for"
            for (i = 1; i <= NR; i++) {
                if (thread[i] != t) continue
                now = from[i] != "" ? to[i] : end[i]
                print begin[i], "enter cell"; print end[i], "leave cell"
                if (from[i] != "") {
                    print end[i], "enter !$omp_ordered"; print from[i], "enter !$omp_ordered_sblock"
                    print now, "leave !$omp_ordered_sblock"; print now, "leave !$omp_ordered"
                }
            }
            print now, "enter !$omp_implicit_barrier"; print done, "leave !$omp_implicit_barrier"
            print done, "leave !$omp_for"; print done, "leave !$omp_parallel"; print done, "team_end"
            if (!t) { print done, "join"; print done, "leave main" }
        }
    }' | "$top_builddir/tests/trace/make_trace" /dev/stdin "$directory"
}
region_trace free 0:0:100 1:0:800 0:100:200 0:200:300 0:300:400 0:400:500 0:500:600 0:600:1400
is "$(predicted free --threads schedule=static)" 1100 "dealt out dynamically: the iterations are in the order of time"
is "$(predicted free --threads 4)" 1000 "... and the schedule stays dynamic with more threads"
is "$(predicted free --threads 1)" 2200 "... one thread runs all"
region_trace ordered 0:0:300:300:400 1:0:300:400:500 0:400:700:700:800 1:500:800:800:900 0:800:1100:1100:1200 1:900:1200:1200:1300 \
    0:1200:1500:1500:1600 1:1300:1600:1600:1700
is "$(predicted ordered --threads 2)" 1700 "ordered sections, two threads as recorded"
is "$(predicted ordered --threads 4)" 1100 "... the chunks of the recording for four threads"
# A loop that only one thread reaches is code that this thread executes.
{
    printf '%s\n' "ranks 1" "rank 0" "0 enter main" "0 fork 2" "0 team_begin" "0 enter !\$omp_parallel" "0 enter !\$omp_first_for" "100 leave !\$omp_first_for" \
        "100 enter !\$omp_for" "500 leave !\$omp_for" "500 enter !\$omp_implicit_barrier" "500 leave !\$omp_implicit_barrier" \
        "500 leave !\$omp_parallel" "500 team_end" "500 join" "600 leave main"
    printf '%s\n' "thread 0" "0 team_begin" "0 enter !\$omp_parallel" "0 enter !\$omp_for" "400 leave !\$omp_for" \
        "400 enter !\$omp_implicit_barrier" "500 leave !\$omp_implicit_barrier" "500 leave !\$omp_parallel" "500 team_end"
} | "$top_builddir/tests/trace/make_trace" /dev/stdin master_only
is "$(predicted master_only --threads 4)" "$((100 + 200 + 100))" "a loop of the master alone, before one of all threads"
# The blocks of a static schedule are in the order of the threads' numbers in the team: the third thread is number 1.
block() { # THREAD LENGTH: of its only iteration
    printf '%s\n' "$1" "0 team_begin" "0 enter !\$omp_parallel" "0 enter !\$omp_for" "0 enter cell" "$2 leave cell" "$2 enter !\$omp_implicit_barrier" \
        "900 leave !\$omp_implicit_barrier" "900 leave !\$omp_for" "900 leave !\$omp_parallel" "900 team_end"
}
{
    printf '%s\n' "ranks 1" "team 0,3,1,2"
    block "$(printf 'rank 0\n0 enter main\n0 fork 4')" 100
    printf '%s\n' "900 join" "900 leave main"
    for length in 800 900 200; do block "thread 0" $length; done
} | "$top_builddir/tests/trace/make_trace" /dev/stdin numbered
is "$(predicted numbered --threads 2)" 1700 "the order of threads in a team: 100 + 200, 800 + 900"
# Tasks that threads run at a barrier, and the master also while it waits for them: the next free thread takes the next one.
tasks() { # THREAD BARRIER BEGIN:END...: its tasks, those before BARRIER in a taskwait; then it waits until 600
    printf '%s\n' "$1" "0 team_begin" "0 enter !\$omp_parallel"
    at=$2
    [ "$at" -eq 0 ] || echo "0 enter !\$omp_taskwait"
    [ "$at" -gt 0 ] || echo "0 enter !\$omp_implicit_barrier"
    shift 2
    for task in "$@"; do
        [ "$at" -eq 0 ] || [ "${task%:*}" -lt "$at" ] || [ "$waiting" = no ] || printf '%s\n' "$at leave !\$omp_taskwait" "$at enter !\$omp_implicit_barrier"
        [ "${task%:*}" -lt "$at" ] || waiting=no
        printf '%s\n' "${task%:*} enter !\$omp_task" "${task%:*} enter cell" "${task#*:} leave cell" "${task#*:} leave !\$omp_task"
    done
    printf '%s\n' "600 leave !\$omp_implicit_barrier" "600 leave !\$omp_parallel" "600 team_end"
}
for barrier in 0 300; do
    waiting=yes
    {
        tasks "$(printf 'ranks 1\nrank 0\n0 enter main\n0 fork 2')" $barrier 0:300 300:400
        printf '%s\n' "600 join" "700 leave main"
        tasks "thread 0" 0 0:200 200:600
    } | "$top_builddir/tests/trace/make_trace" /dev/stdin "tasks$barrier"
    is "$(predicted tasks$barrier --threads 4)" 500 "tasks on four threads: the longest one"
    is "$(predicted tasks$barrier --threads 1)" 1100 "... on one thread: all of them"
    is "$(predicted tasks$barrier --scale cell=0.5)" 400 "... half as long: each on its thread"
done
# A wait for tasks that has none, before a loop.
waits() { # THREAD BEGIN:END...: visits of a loop after a taskwait
    printf '%s\n' "$1" "0 team_begin" "0 enter !\$omp_parallel" "0 enter !\$omp_taskwait" "100 leave !\$omp_taskwait" "100 enter !\$omp_for"
    shift
    for visit in "$@"; do printf '%s\n' "${visit%:*} enter cell" "${visit#*:} leave cell"; done
    printf '%s\n' "${visit#*:} leave !\$omp_for" "${visit#*:} enter !\$omp_implicit_barrier" "500 leave !\$omp_implicit_barrier" \
        "500 leave !\$omp_parallel" "500 team_end"
}
{
    waits "$(printf 'ranks 1\nrank 0\n0 enter main\n0 fork 2')" 100:300 300:500
    printf '%s\n' "500 join" "500 leave main"
    waits "thread 0" 100:200 200:300
} | "$top_builddir/tests/trace/make_trace" /dev/stdin waits
is "$(predicted waits --threads 4)" 300 "a loop after a wait for tasks without tasks"
# A program that ran with one thread has no other threads in the recording.
printf '%s\n' "ranks 1" "rank 0" "0 enter main" "100 enter !\$omp_parallel" "100 enter !\$omp_for" "100 enter cell" "500 leave cell" \
    "500 enter cell" "700 leave cell" "700 leave !\$omp_for" "700 enter !\$omp_implicit_barrier" "700 leave !\$omp_implicit_barrier" \
    "700 leave !\$omp_parallel" "1000 leave main" | "$top_builddir/tests/trace/make_trace" /dev/stdin alone
is "$(predicted alone --threads 2)" 800 "two threads for a recording with one"
like "$(cat stderr)" '1 parallel region was recorded with one thread' "... which is said"
is "$(predicted alone --scale cell=2)" 1600 "... whose other what-ifs stay as they are"
printf '%s\n' "ranks 1" "rank 0" "0 enter main" "100 enter !\$omp_parallel" "100 enter !\$omp_for" "100 enter cell" "500 leave cell" \
    "500 enter cell" "700 leave cell" "700 leave !\$omp_for" "800 leave !\$omp_parallel" "1000 leave main" |
    "$top_builddir/tests/trace/make_trace" /dev/stdin unwaited
is "$(predicted unwaited --threads "count=2,schedule=static,chunk=1")" 800 "... whose region has no barrier: the slower thread decides"
# A worker that leaves a region after its team has ended: both of its events go with the team.
printf '%s\n' "ranks 1" "rank 0" "0 enter main" "10 fork 2" "10 team_begin" "10 enter !\$omp_parallel" "90 leave !\$omp_parallel" \
    "90 team_end" "90 join" "100 leave main" "thread 0" "20 team_begin" "20 enter !\$omp_parallel" "30 enter late" "90 team_end" \
    "95 leave late" "95 leave !\$omp_parallel" | "$top_builddir/tests/trace/make_trace" /dev/stdin late
is "$(predicted late --threads 1)" 100 "regions that outlast their team"
# A parallel region with if(0), which asks for one thread, between two others.
teams() { # THREAD-OR-RANK FORKED
    printf '%s\n' "$1"
    for at in 0 1000 1500; do
        [ "$at" != 1000 ] || [ "$2" ] || continue
        threads=2
        [ "$at" != 1000 ] || threads=1
        [ -z "$2" ] || echo "$at fork $threads"
        printf '%s\n' "$at team_begin" "$at enter !\$omp_parallel" "$at enter !\$omp_for" "$((at + 400)) leave !\$omp_for" "$((at + 400)) enter !\$omp_implicit_barrier" \
            "$((at + 400)) leave !\$omp_implicit_barrier" "$((at + 400)) leave !\$omp_parallel" "$((at + 400)) team_end"
        [ -z "$2" ] || echo "$((at + 400)) join"
    done
}
{
    teams "$(printf 'ranks 1\nrank 0\n0 enter main')" forked
    echo "2000 leave main"
    teams "thread 0" ''
} | "$top_builddir/tests/trace/make_trace" /dev/stdin limited
is "$(predicted limited --threads 4)" "$((2000 - 2 * 200))" "a region that asks for one thread keeps it"
like "$(cat stderr)" '1 of 3 parallel regions ask for their own number of threads' "... which is said"
is "$(predicted limited --threads 'callpath=main,count=4')" "$((2000 - 2 * 200 - 300))" "... unless it is chosen by its call path"
# Most of the time, regions ask for two threads; but the archive states that one thread is usual.
{
    teams "$(printf 'ranks 1\nproperty SILAS::OMP_THREADS 1\nrank 0\n0 enter main')" forked
    echo "2000 leave main"
    teams "thread 0" ''
} | "$top_builddir/tests/trace/make_trace" /dev/stdin stated
is "$(predicted stated --threads 4)" "$((2000 - 300))" "the archive states which number is usual"
like "$(cat stderr)" '2 of 3 parallel regions ask for their own number of threads' "... which is said"
# A rank waits for a message before its second parallel region, which the prediction moves by more than its length. A second
# worker is in this region only.
region_at() { # TIME
    printf '%s\n' "$1 team_begin" "$1 enter !\$omp_parallel" "$(($1 + 30)) enter !\$omp_implicit_barrier" "$(($1 + 40)) leave !\$omp_implicit_barrier" \
        "$(($1 + 40)) leave !\$omp_parallel" "$(($1 + 40)) team_end"
}
{
    printf '%s\n' "ranks 2" "rank 0" "0 enter main" "100 enter work" "1000 leave work" "1000 enter MPI_Send" "1000 send 1 world 0 8" \
        "1010 leave MPI_Send" "2000 leave main"
    printf '%s\n' "rank 1" "0 enter main" "10 fork 2" "$(region_at 10)" "50 join" "60 enter MPI_Recv" "1010 recv 0 world 0 8" "1010 leave MPI_Recv" \
        "1100 fork 3" "$(region_at 1100)" "1140 join" "2000 leave main"
    printf '%s\n' "thread 1" "$(region_at 10)" "$(region_at 1100)" "thread 1" "$(region_at 1100)"
} | "$top_builddir/tests/trace/make_trace" /dev/stdin moved
is "$(predicted moved --scale work=10)" "$((2000 + 9 * 900))" "a parallel region that moves by more than its length"
# Code outside of loops: the threads divide it, or each does it.
outside() { # THREAD-OR-RANK TIME-BEFORE-THE-LOOP
    printf '%s\n' "$1" "0 team_begin" "0 enter !\$omp_parallel" "$2 enter !\$omp_for" "100000 leave !\$omp_for" "100000 enter !\$omp_implicit_barrier" \
        "100000 leave !\$omp_implicit_barrier" "100000 leave !\$omp_parallel" "100000 team_end"
}
outside_trace() { # DIRECTORY TIME-OF-MASTER TIME-OF-WORKER
    {
        printf '%s\n' "ranks 1" "rank 0" "0 enter main" "0 fork 2"
        outside "" "$2" | sed 1d
        echo "100000 join"
        echo "200000 leave main"
        outside "thread 0" "$3"
    } | "$top_builddir/tests/trace/make_trace" /dev/stdin "$1"
}
outside_trace outside 60000 80000
is "$(predicted outside --threads 1)" 300000 "one thread does the work of two threads, outside of the loop, too"
like "$(cat stderr)" '70 % of the work in the changed parallel regions is outside of loops. The threads are taken to divide it' "... which is said"
is "$(predicted outside --threads count=1,outside=each)" 220000 "... or only its own work before the loop, and all of the loop"
is "$(grep -c 'outside of loops' stderr)" 0 "... then nothing is said"
outside_trace alike 80000 80000
is "$(predicted alike --threads 4)" "$((100000 + 40000 + 10000))" "four threads: half of the work each"
is "$(predicted alike --threads count=4,outside=each)" "$((100000 + 80000 + 10000))" "... or as much as before"
outside_trace short 4000 4000
is "$(predicted short --threads 1)" "$((100000 + 4000 + 2 * 96000))" "short code before a loop is what each thread does"
like "$(predicted outside --threads schedule=static,outside=each)" 'outside needs a number of threads' "without a number of threads it is refused"
# A critical section that each thread executes once is not divided; more of them are.
sections() { # THREAD-OR-RANK SECTIONS FIRST
    printf '%s\n' "$1" "0 team_begin" "0 enter !\$omp_parallel"
    awk -v n="$2" -v t="$3" 'BEGIN {
        for (i = 0; i < n; i++) {
            t += 40000; print t, "enter !$omp_critical"; print t, "acquire 7"; print t, "enter !$omp_critical_sblock"
            t += 10000; print t, "leave !$omp_critical_sblock"; print t, "release 7"; print t, "leave !$omp_critical"
        }
        print t, "enter !$omp_implicit_barrier"
    }'
    printf '%s\n' "200000 leave !\$omp_implicit_barrier" "200000 leave !\$omp_parallel" "200000 team_end"
}
for n in 1 2; do
    {
        printf '%s\n' "ranks 1" "rank 0" "0 enter main" "0 fork 2"
        sections "" $n 0 | sed 1d
        echo "200000 join"
        echo "200000 leave main"
        sections "thread 0" $n 10000
    } | "$top_builddir/tests/trace/make_trace" /dev/stdin sections-$n
done
is "$(predicted sections-1 --threads 1)" "$((40000 + 50000 + 10000))" "one thread: the work of two, and one critical section"
is "$(predicted sections-2 --threads 1)" "$((40000 + 50000 + 40000 + 40000 + 4 * 10000))" "... the work and the sections of two"
# One iteration for each recorded thread: one for each new thread.
tile() { # THREAD-OR-RANK
    printf '%s\n' "$1" "0 team_begin" "0 enter !\$omp_parallel" "0 enter !\$omp_for" "0 enter tile" "1000 leave tile" "1000 leave !\$omp_for" \
        "1000 enter !\$omp_implicit_barrier" "1000 leave !\$omp_implicit_barrier" "1000 leave !\$omp_parallel" "1000 team_end"
}
{
    printf '%s\n' "ranks 1" "rank 0" "0 enter main" "0 fork 2"
    tile "" | sed 1d
    echo "1000 join"
    echo "2000 leave main"
    tile "thread 0"
} | "$top_builddir/tests/trace/make_trace" /dev/stdin tiles
is "$(predicted tiles --threads 4)" 1500 "two iterations of two threads become four of four"
like "$(cat stderr)" '1 of 1 loops were recorded with one iteration for each thread' "... which is said"
is "$(predicted tiles --threads 1)" 3000 "one thread does both"
is "$(predicted tiles --threads count=4,iterations=2)" 2000 "two iterations gain nothing from four threads"
# Parallel regions that never end, and that other ones contain, are named.
printf '%s\n' "ranks 1" "rank 0" "0 enter main" "10 fork 2" "10 team_begin" "12 fork 2" "20 join" "90 team_end" "90 join" "91 fork 2" \
    "100 leave main" "thread 0" "20 team_begin" "20 enter work" "40 leave work" "90 team_end" |
    "$top_builddir/tests/trace/make_trace" /dev/stdin broken
is "$(predicted broken --scale main=2)" 200 "nested and unjoined regions: as a serial program"
like "$(cat stderr)" '1 parallel region is inside of others' "nested regions are named"
like "$(cat stderr)" '1 parallel region does not end in the recording' "unjoined regions are named"
printf '[trace]\npath = blocks\n[output]\nformats = tsv\n[threads]\ncount = {2, 4, 8}\n' >sweep.ini
timeout -k 5 100 "$top_builddir/silas-sweep" --set replay.engine=model sweep.ini >stdout 2>&1
is "$?" 0 "a sweep over numbers of threads"
done_testing
