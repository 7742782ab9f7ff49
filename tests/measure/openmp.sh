# silas-trace --openmp: constructs of OpenMP as regions of each thread, teams, locks and tasks, in programs of two compilers.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-openmp.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cat >program.c <<'END_OF_PROGRAM'
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int flag;
static void busy(double ms)
{
    for (double end = omp_get_wtime() + ms * 1e-3; omp_get_wtime() < end;)
        ;
}
static void end_child(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}
static void *region_of_a_thread(void *unused)
{
#pragma omp parallel num_threads(2)
    busy(1);
    return unused;
}
static void constructs(int leave_at)
{
    int sum = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
        {
            busy(omp_get_thread_num() ? 4 : 1);
#pragma omp critical
            {
                busy(0.5);
                sum++;
            }
            if (i == leave_at)
                exit(0);
#pragma omp single
            busy(1);
#pragma omp for schedule(dynamic)
            for (int k = 0; k < 4; k++)
                busy(0.1);
#pragma omp barrier
            if (i == 9 && omp_get_thread_num() == 0) /* the worker waits in the last barrier of all */
                busy(30);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (sum != 20)
        abort();
}
static void locks(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nested;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num()) {
            omp_set_lock(&lock);
            flag = 1;
            while (flag != 2) /* until the other thread is at the lock */
                ;
            busy(60);
        } else {
            while (!flag)
                ;
            for (int i = 0; i < 5; i++) /* in vain */
                if (omp_test_lock(&lock))
                    abort();
            flag = 2;
            omp_set_lock(&lock);
        }
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 4; i++) {
#pragma omp ordered
            busy(0.1);
        }
    }
}
static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 6; i++) {
#pragma omp task untied
            {
                busy(2);
#pragma omp task if (i % 2)
                busy(1);
#pragma omp taskwait
            }
        }
#pragma omp taskgroup
        {
#pragma omp task
            busy(1);
        }
    }
}
static void static_loops(void)
{
    for (int i = 0; i < 5; i++) {
        int sum = 0, count = 0;
#pragma omp parallel num_threads(2)
        {
#pragma omp for schedule(static)
            for (int k = 0; k < 4; k++)
                busy(k < 2 ? 1 : 2);
#pragma omp for schedule(dynamic)
            for (int k = 0; k < 4; k++)
                busy(0.1);
#pragma omp for schedule(static) reduction(+ : sum)
            for (int k = 0; k < 4; k++) {
                busy(1);
                sum += k;
            }
#pragma omp single
            {
                count = omp_get_num_threads() + omp_get_thread_num();
                busy(3);
            }
#pragma omp sections
            {
#pragma omp section
                busy(0.5);
#pragma omp section
                busy(0.5);
#pragma omp section
                busy(0.5);
            }
        }
#pragma omp parallel sections num_threads(2)
        {
#pragma omp section
            busy(0.5);
#pragma omp section
            busy(0.5);
        }
        if (sum != 6 || count < 2 || count > 3 || omp_get_num_threads() != 1 || omp_get_thread_num() != 0)
            abort();
    }
}
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "constructs";
    pthread_t thread;
    MPI_Init(&argc, &argv);
    if (strcmp(how, "constructs") == 0)
        constructs(-1);
    else if (strcmp(how, "exit") == 0)
        constructs(5);
    else if (strcmp(how, "locks") == 0)
        locks();
    else if (strcmp(how, "tasks") == 0)
        tasks();
    else if (strcmp(how, "static") == 0)
        static_loops();
    else if (strncmp(how, "nested", 6) == 0) {
        omp_set_max_active_levels(strcmp(how, "nested") == 0 ? 3 : 1);
        for (int i = 0; i < 20; i++) { /* teams begin and end at the same time in several threads */
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
            {
#pragma omp parallel num_threads(2)
                usleep(50);
            }
        }
    } else if (strcmp(how, "sizes") == 0) {
        omp_set_dynamic(0);
        for (int i = 0; i < 12; i++) {
#pragma omp parallel num_threads(1 + i % 4)
            busy(0.1);
        }
    } else if (strcmp(how, "fork") == 0) {
        for (int i = 0; i < 3; i++) {
            end_child();
#pragma omp parallel num_threads(2)
            {
                busy(0.1);
#pragma omp master
                end_child();
            }
        }
    } else if (strcmp(how, "thread") == 0) {
        constructs(-1);
        pthread_create(&thread, NULL, region_of_a_thread, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
END_OF_PROGRAM
line_of() { grep -n "$1" program.c | sed -n "${2:-1}s/:.*//p"; }
record() { # HOW [OPTION...]: records the program and analyses the recording
    how=$1
    shift
    expected=0
    # Open MPI's launcher fails if a program ends without MPI_Finalize.
    is_mpich || [ "$how" != exit ] || expected=1
    rm -rf run
    launch 1 "$top_builddir/silas-trace" --openmp "$@" -o run ./program $how >out 2>&1
    is $? "$expected" "$compiler: a program with $how is recorded ($(tail -1 out))"
    otf2-print run/traces.otf2 >events
    timeout 60 "$top_builddir/silas-analyze" -f tsv run >values 2>said
    is $? 0 "... and analysed"
}
read_directly() { # the reader of event files understands all records
    is "$(timeout -k 5 100 "$top_builddir/tests/trace/same_events" run/traces.otf2 2>&1)" "2 locations read directly" \
        "$compiler: ... both threads are read without OTF2's reader"
}
events() { grep -c "^$1 " events; }
metric() { # METRIC CALL-PATH-PATTERN [LOCATION]: the sum over all locations
    awk -F '\t' -v metric="$1" -v path="$2" -v location="${3:-.}" '$1 == metric && $2 ~ path && $3 ~ location { sum += $4 }
        END { print sum + 0 }' values
}
at_least() { # METRIC CALL-PATH-PATTERN SECONDS TEXT: also not more than the time of the whole run
    # One percent less is right, too: a recording's clock is not the one by which the program sleeps.
    awk -v value="$(metric "$1" "$2")" -v least="$3" -v most="$(metric time .)" \
        'BEGIN { exit !(value >= 0.99 * least && value <= most) }'
    ok $? "$compiler: $4 ($(metric "$1" "$2") s)"
}
compiled=0
for compiler in clang gcc; do
    command -v $compiler >/dev/null || continue
    env MPICH_CC=$compiler OMPI_CC=$compiler "$MPICC" -g -O1 -fopenmp -o program program.c -pthread 2>/dev/null || continue
    rm -rf run
    launch 1 "$top_builddir/silas-trace" --openmp -o run ./program >out 2>&1
    code=$?
    [ $code -ne 3 ] || ! grep -q 'needs LLVM' out || skip_all "no libomp"
    compiled=$((compiled + 1))
    OMP_NUM_THREADS=3 record constructs
    like "$(otf2-print --show-info run/traces.otf2 | grep -A1 SILAS::OMP_THREADS)" 'value +3$' "$compiler: how many threads a region has that asks for no number"
    is "$(metric visits "parallel @program.c:$(line_of 'omp parallel num_threads(2)' 2)\$")" 20 "$compiler: each thread visits the parallel region ten times"
    is "$(metric visits 'critical @program.c:[0-9]*$') $(metric visits 'critical sblock @program.c:[0-9]*$')" "20 20" \
        "$compiler: ... the critical section and its block"
    is "$(metric visits 'single @program.c:[0-9]*$') $(metric visits 'single sblock @program.c:[0-9]*$')" "20 10" \
        "$compiler: ... the single region, of which one thread runs the block"
    is "$(metric visits 'for @program.c:[0-9]*$')" 20 "$compiler: ... and the loop"
    is "$(events THREAD_FORK) $(events THREAD_JOIN) $(events THREAD_TEAM_BEGIN) $(events THREAD_TEAM_END)" "10 10 20 20" \
        "$compiler: a fork, a join and a team for each region"
    is "$(events THREAD_ACQUIRE_LOCK) $(events THREAD_RELEASE_LOCK)" "20 20" "$compiler: the critical sections as locks"
    is "$(otf2-print -G run/traces.otf2 | grep -c '^GROUP .*COMM_GROUP, Paradigm: "OpenMP".* 2 Members: 0 ("Master thread" <0>), 1 ')" 1 \
        "$compiler: one team of two threads"
    is "$(awk '$2 == 0 && /THREAD_|omp (parallel|critical)/ { print $1 }' events | head -9 | tr '\n' ' ')" \
        "THREAD_FORK THREAD_TEAM_BEGIN ENTER ENTER THREAD_ACQUIRE_LOCK ENTER LEAVE THREAD_RELEASE_LOCK LEAVE " \
        "$compiler: in Score-P's order"
    at_least time 'critical sblock' 0.010 "time in the critical sections"
    at_least time 'single sblock' 0.010 "time in the single regions"
    at_least time 'for @' 0.004 "time in the loops"
    at_least omp_ibarrier_wait . 0.03 "the fast thread waits for the slow one, the worker also in the last barrier"
    at_least time 'parallel' 0.1 "all time in the region"
    [ "$(metric omp_ibarrier_wait 'implicit barrier' '0\.1')" != 0 ]
    ok $? "$compiler: ... which ends with the region ($(metric omp_ibarrier_wait . '0\.1') s)"
    "$top_builddir/silas-model" run --threads count=4 -o predicted >out 2>&1
    is $? 0 "$compiler: another number of threads ($(tail -1 out))"
    rm -rf predicted

    printf '%s\n' '!$omp critical*' '!$omp single sblock @program.c:1' 'omp_*' '!!$omp critical sblock*' >filter
    record constructs --filter filter
    is "$(metric visits 'critical @') $(metric visits 'critical sblock @') $(metric visits 'single sblock @') $(events THREAD_ACQUIRE_LOCK)" \
        "0 20 10 20" "$compiler: a filter excludes constructs by their names"
    record static # GCC asks for the number of threads once for both static loops
    at_least time 'for @' 0.052 "time in static loops and in one between them"
    awk -v loops="$(metric time 'for @')" -v own="$(metric time 'parallel @program.c:[0-9]*$')" 'BEGIN { exit !(own < loops) }'
    ok $? "$compiler: ... which is not the time of the parallel region ($(metric time 'parallel @program.c:[0-9]*$') s)"
    is "$(metric visits 'sections @program.c:[0-9]*$')" "$([ $compiler = gcc ] && echo 10 || echo 20)" \
        "$compiler: ... sections; GCC's regions of sections are reported as loops"
    at_least time 'sections @' 0.0075 "... time in them"
    is "$(metric visits 'barrier @[^p]')" 0 "$compiler: ... barriers are in the program"
    is "$(metric time '(single|single sblock|master) @.*for @')" 0 "$compiler: ... questions for numbers of threads elsewhere begin no loop"
    "$top_builddir/silas-model" run --threads count=4 -o predicted >out 2>&1
    is $? 0 "$compiler: ... predicted for four threads"
    is "$(grep -c 'did not run the same loops' out)" 0 "$compiler: ... whose threads run the same loops"
    rm -rf predicted
    record locks
    is "$(metric visits 'omp_set_lock @program.c:')" 2 "$compiler: locks are set twice, tests in vain do not count"
    is "$(metric visits 'omp_set_nest_lock @program.c:')" 4 "$compiler: a nested lock is set four times"
    is "$(events THREAD_ACQUIRE_LOCK) $(events THREAD_RELEASE_LOCK)" "4 4" "$compiler: locks that are acquired and released"
    is "$(metric visits 'ordered sblock @program.c:')" 4 "$compiler: ordered sections"
    read_directly
    at_least omp_lock_contention_api omp_set_lock 0.02 "the thread waits for the lock that the other one holds"

    record tasks
    is "$(events THREAD_TASK_CREATE) $(events THREAD_TASK_COMPLETE)" "13 13" "$compiler: all tasks are created and complete"
    is "$(metric visits 'create task @program.c:[0-9]*$')" 13 "$compiler: ... at their places"
    read_directly
    at_least time '[^e] task @' 0.019 "time of tasks"
    is "$(metric visits 'taskgroup @program.c:[0-9]*$')" 1 "$compiler: the end of a taskgroup is a wait"

    record constructs --reduce
    is "$(metric visits 'implicit barrier' '0\.0') $(events THREAD_TEAM_BEGIN)" "$(metric visits 'implicit barrier' '0\.1') 20" \
        "$compiler: a reduced recording keeps the constructs of all threads"

    record sizes
    is "$(events THREAD_FORK) $(events THREAD_TEAM_BEGIN)" "12 30" "$compiler: regions of 1 to 4 threads"
    is "$(otf2-print -G run/traces.otf2 | grep -c '^GROUP .*COMM_GROUP, Paradigm: "OpenMP"')" 4 "$compiler: are four teams"
    "$top_builddir/silas-model" run --threads count=2 -o predicted >out 2>&1
    is $? 0 "$compiler: ... predicted for two threads"
    rm -rf predicted

    record nested
    is "$(events THREAD_FORK) $(events THREAD_JOIN) $(events THREAD_TEAM_BEGIN)" "140 140 280" "$compiler: all nested regions"
    at_least time . 0.001 "... in the time of the program"
    "$top_builddir/silas-model" run --threads count=1 -o predicted >out 2>&1
    like "$(cat out)" '120 parallel regions are inside of others' "$compiler: ... that they are not simulated is said"
    rm -rf predicted
    record nested_inactive
    "$top_builddir/silas-model" run --threads count=1 -o predicted >out 2>&1
    is "$(events THREAD_FORK) $(grep -c 'inside of others' out)" "100 0" "$compiler: nested regions of one thread are simulated"
    rm -rf predicted
    record fork
    is "$(events THREAD_FORK) $(events THREAD_TEAM_END)" "3 6" "$compiler: regions of the parent only"
    record exit
    is "$(events THREAD_FORK) $(events THREAD_JOIN)" "6 5" "$compiler: a region without a join"
    "$top_builddir/silas-model" run --threads count=1 -o predicted >out 2>&1
    is "$(grep -c 'warning.*end in the recording' out)" 1 "$compiler: ... which is said once"
    rm -rf predicted
    record thread
    is "$(events THREAD_FORK) $(events THREAD_JOIN)" "11 11" "$compiler: a region of a thread that is no rank"
    for program in pop structure; do
        timeout 60 "$top_builddir/silas-$program" run >out 2>&1
        is $? 0 "$compiler: ... silas-$program ($(tail -1 out))"
    done

    OMP_TOOL=disabled record constructs
    like "$(cat out)" '--openmp has recorded nothing of OpenMP' "$compiler: a runtime that reports nothing is named"
    rm -rf run
    launch 1 "$top_builddir/silas-trace" -o run ./program >out 2>&1
    is "$("$top_builddir/silas-analyze" -f tsv run | grep -c omp)" 0 "$compiler: nothing of it without the option"
done
[ $compiled -gt 0 ] || skip_all "no compiler with OpenMP"
done_testing
