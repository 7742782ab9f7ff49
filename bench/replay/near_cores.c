/* near_cores [--move]: how far apart the first two cores of this machine are, in nanoseconds that a
 * cache line needs from one to the other; the least of many.
 *
 * A virtual machine's cores are threads of its host. Where they run decides whether they share a
 * cache and the bandwidth behind it, and the host moves them. With --move, the two cores first wake
 * each other up for a second: the host then tends to run them side by side. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20, HANDOVERS = 300 };

/* Each on a separate cache line. */
struct shared {
    _Alignas(128) _Atomic int turn;
    _Alignas(128) _Atomic int round[2];
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* Binds this process to the n-th core that it may use. */
static void bind_to(int n, const cpu_set_t *allowed)
{
    cpu_set_t one;
    int core = 0;
    while (core < CPU_SETSIZE && !(CPU_ISSET(core, allowed) && n-- == 0))
        core++;
    if (core == CPU_SETSIZE) {
        fprintf(stderr, "near_cores: needs two cores\n");
        exit(1);
    }
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        fail("near_cores: sched_setaffinity");
}

/* Both processes: the least time of a handover in any round. */
static double hand_over(struct shared *shared, int me)
{
    double least = 1;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_store(&shared->round[me], round + 1);
        while (atomic_load(&shared->round[!me]) < round + 1)
            ;
        double begin = seconds();
        for (int i = 0; i < HANDOVERS; i++) {
            int mine = 2 * (round * HANDOVERS + i) + me;
            while (atomic_load_explicit(&shared->turn, memory_order_acquire) != mine)
                ;
            atomic_store_explicit(&shared->turn, mine + 1, memory_order_release);
        }
        double each = (seconds() - begin) / (2 * HANDOVERS);
        least = each < least ? each : least;
    }
    return least;
}

/* The two processes wake each other up for a second. */
static void wake_up(int in, int out, bool first)
{
    double end = seconds() + 1;
    char byte = 0;
    if (first && write(out, &byte, 1) != 1)
        fail("near_cores: write");
    while (read(in, &byte, 1) == 1 && byte == 0) {
        byte = first && seconds() > end;
        if (write(out, &byte, 1) != 1 || byte)
            break;
    }
}

int main(int argc, char **argv)
{
    bool move = argc == 2 && strcmp(argv[1], "--move") == 0;
    cpu_set_t allowed;
    int there[2], back[2];
    if (argc > 1 + move) {
        fprintf(stderr, "Usage: near_cores [--move]\n");
        return 2;
    }
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || pipe(there) != 0 || pipe(back) != 0 ||
        sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        fail("near_cores");
    pid_t child = fork();
    if (child < 0)
        fail("near_cores: fork");
    int me = child == 0;
    bind_to(me, &allowed);
    if (move)
        wake_up(me ? there[0] : back[0], me ? back[1] : there[1], !me);
    double least = hand_over(shared, me);
    if (me)
        _exit(0);
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        return 1;
    printf("%.0f\n", 1e9 * least);
    return 0;
}
