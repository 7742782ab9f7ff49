# silas-trace --pthread: threads that a program creates, as locations, with their creation and the waits for their end.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/tracer.bash"
left_out_of distribution sanitizers
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-pthread.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cat >program.c <<'END_OF_PROGRAM'
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_barrier_t met, together;
void *helper(void *inside)
{
    pthread_barrier_wait(&together); /* all three threads run at the same time */
    if (inside)
        pthread_exit(inside);
    return NULL;
}
static void *meets(void *unused)
{
    pthread_barrier_wait(&met);
    return unused;
}
static void *runs_on(void *unused)
{
    pause();
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[3];
    MPI_Init(&argc, &argv);
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_barrier_init(&together, NULL, 3);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, helper, i ? threads : NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
    }
    if (strcmp(mode, "detached") == 0) {
        pthread_barrier_init(&met, NULL, 2);
        pthread_create(&threads[0], NULL, meets, NULL);
        pthread_detach(threads[0]);
        pthread_barrier_wait(&met);
    }
    if (strcmp(mode, "running") == 0)
        pthread_create(&threads[0], NULL, runs_on, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END_OF_PROGRAM
"$MPICC" -g -pthread -o program program.c || exit 99

run() # NAME OPTIONS... -- ARGUMENTS...
{
    local name=$1 options=()
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    launch 2 "$top_builddir/silas-trace" -o "$name" "${options[@]}" ./program "$@" >"$name.said" 2>&1
}
printed() { timeout -k 5 60 otf2-print "$1/traces.otf2"; }

run joined --pthread -- || cat joined.said
is $? 0 "a program with threads is traced"
printed joined >events
is "$(grep -c '^THREAD_CREATE ' events) $(grep -c '^THREAD_BEGIN ' events) $(grep -c '^THREAD_END ' events) $(grep -c '^THREAD_WAIT ' events)" \
    "12 12 12 12" "each thread is created, begins, ends and is waited for"
is "$(grep -c 'ENTER.*"helper"' events)" 12 "the function that a thread runs is a region of it"
is "$(grep -c 'ENTER.*"pthread_create"' events) $(grep -c 'ENTER.*"pthread_join"' events)" "12 12" "the calls are regions"
timeout -k 5 60 otf2-print -G joined/traces.otf2 >definitions
like "$(grep 'PARADIGM.*PTHREAD' definitions)" THREAD_CREATE_WAIT "the paradigm is defined"
is "$(grep -c '^LOCATION .*CPU_THREAD' definitions)" 8 "later threads use the locations of those that have ended"
timeout -k 5 100 "$top_builddir/silas-analyze" -f tsv joined >values 2>said
is "$? $(cat said)" "0 " "the analysis says nothing of threads that were joined"
waited=$(sed -n 's/^CLOCK_PROPERTIES.*Ticks per Seconds: \([0-9]*\).*/\1/p' definitions | cat - events | awk 'NR == 1 { ticks = $1 }
    { number = $NF }
    /^ENTER/ && /"pthread_join"/ { enter[$2] = $3 }
    /^THREAD_END/ { end[$2 % 4294967296, number] = $3 }
    /^THREAD_WAIT/ { last = end[$2, number] < $3 ? end[$2, number] : $3; sum += last > enter[$2] ? last - enter[$2] : 0 }
    END { printf "%.6f", sum / ticks }')
is "$(awk -F '\t' '$1 == "pthread_join_wait" { sum += $4 } END { printf "%.6f", sum }' values)" "$waited" "the waits in pthread_join last until the threads end"
is "$(awk -F '\t' '$1 == "pthread_management" { sum += $4 } $1 == "time" && $2 ~ /\/pthread_[a-z]*$/ { sum -= $4 } END { printf "%.9f", sum }' values |
    tr -d -)" "0.000000000" "creating and joining is management"

run detached --pthread -- detached
timeout -k 5 100 "$top_builddir/silas-analyze" -f tsv detached >values 2>said
is $? 0 "a thread that is detached does not disturb the analysis"
like "$(cat said)" "2 of 14 threads of pthread_create have not ended with pthread_join" "and is counted in a message"
run running --pthread -- running
is "$(printed running | grep -c '^THREAD_END ')" 14 "the part of a thread that runs to the end of the program is ended"

run without -- || cat without.said
is "$(printed without | grep -c '^THREAD_\|pthread_')" 0 "without the option no thread is recorded"
echo 'pthread_*' >filter
run filtered --pthread --filter filter --
is "$(printed filtered | grep -c 'ENTER.*pthread_') $(printed filtered | grep -c '^THREAD_WAIT ')" "0 12" \
    "a filter leaves the calls out, and the threads stay"
done_testing
