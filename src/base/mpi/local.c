/* Each process has a slot in the shared memory, in which it puts what the others read between two
 * barriers. A process that waits sleeps until a process that has changed something wakes it. Each
 * ordered pair of processes has two rings of bytes, one for mail and one for transfers, with one
 * writer and one reader. Untouched pages take no memory. */
#include "base/mpi/local.h"

#include "base/interrupt.h"
#include "base/log.h"
#include "base/mpi/processes.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE = 64,         /* bytes of a cache line */
    RING = 1 << 16,    /* bytes */
    SLOT = 1 << 18,    /* bytes */
    INTERRUPTED = 128, /* exit codes above it: that signal (base/interrupt.h) */
    RING_MAIL = 0,
    RING_TRANSFER = 1,
    RING_KINDS = 2,
    LEAST_SPINS = 500,           /* a few microseconds */
    LONGEST_SLEEP_NS = 100000000 /* then it tests again, even if no process has woken it */
};

struct ring {
    _Alignas(LINE) _Atomic uint64_t written; /* bytes, in all */
    _Alignas(LINE) _Atomic uint64_t read;
    _Alignas(LINE) char data[RING];
};

struct slot {
    _Alignas(LINE) char data[SLOT];
    /* 1: the process sleeps, or will if its next test fails */
    _Alignas(LINE) _Atomic uint32_t asleep;
    _Atomic uint32_t wakes; /* a futex: how often others have woken it */
};

struct shared_memory {
    _Alignas(LINE) _Atomic uint32_t arrived; /* at the barrier */
    _Alignas(LINE) _Atomic uint32_t barriers;
    _Atomic uint32_t finished; /* processes that have done their work */
    struct slot slots[];       /* [size], then the rings */
};

/* Mail that comes: the frame before its bytes. */
struct frame {
    int64_t tag;
    uint64_t size;
};

struct local_job {
    int rank, size;
    bool yields;    /* processes share cores: each spin yields the core */
    unsigned spins; /* of the current wait */
    bool slept;     /* in the current wait, or the last one */
    uint32_t wakes_seen;
    struct shared_memory *shared;
    size_t shared_size;
    struct ring *rings;            /* [kind][from][to] */
    struct mail_sending **sending; /* [to]: the mail that is not yet sent, in its order */
    pid_t *processes;              /* [size], of process 0 */
};

/* Process 0, for the signal handler. */
static struct local_job *started;

static struct ring *ring_of(const struct local_job *job, int kind, int from, int to)
{
    return &job->rings[((size_t)kind * (size_t)job->size + (size_t)from) * (size_t)job->size +
                       (size_t)to];
}

/* Writes as much as there is room for. */
static size_t ring_write(struct ring *ring, const char *data, size_t size)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t room = RING - (written - atomic_load_explicit(&ring->read, memory_order_acquire));
    size_t count = size < room ? size : (size_t)room, at = written % RING;
    size_t first = count < RING - at ? count : RING - at;
    memcpy(ring->data + at, data, first);
    memcpy(ring->data, data + first, count - first);
    atomic_store_explicit(&ring->written, written + count, memory_order_release);
    return count;
}

static size_t ring_filled(const struct ring *ring)
{
    return (size_t)(atomic_load_explicit(&ring->written, memory_order_acquire) -
                    atomic_load_explicit(&ring->read, memory_order_relaxed));
}

/* Copies bytes that are there. */
static void ring_peek(const struct ring *ring, char *data, size_t size)
{
    size_t at = atomic_load_explicit(&ring->read, memory_order_relaxed) % RING;
    size_t first = size < RING - at ? size : RING - at;
    memcpy(data, ring->data + at, first);
    memcpy(data + first, ring->data, size - first);
}

static void ring_skip(struct ring *ring, size_t size)
{
    atomic_store_explicit(&ring->read,
                          atomic_load_explicit(&ring->read, memory_order_relaxed) + size,
                          memory_order_release);
}

/* Reads as much as is there. */
static size_t ring_read(struct ring *ring, char *data, size_t size)
{
    size_t filled = ring_filled(ring), count = size < filled ? size : filled;
    ring_peek(ring, data, count);
    ring_skip(ring, count);
    return count;
}

/* Wakes a process that sleeps, after something has changed that it may wait for. */
static void wake_process(const struct local_job *job, int process)
{
    struct slot *slot = &job->shared->slots[process];
    atomic_thread_fence(memory_order_seq_cst); /* with that of local_pause: one sees the other */
    if (atomic_load_explicit(&slot->asleep, memory_order_relaxed) == 0)
        return;
    atomic_store(&slot->asleep, 0);
    atomic_fetch_add(&slot->wakes, 1);
    syscall(SYS_futex, &slot->wakes, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* A process that has a core spins before it sleeps. How long depends on the waits before: where
 * they ended while it slept, the process that it waits for had no core, because other programs run
 * on the host, and spinning only keeps a core from it. */
static void choose_spins(struct local_job *job)
{
    if (job->slept)
        job->spins = job->spins / 2 > LEAST_SPINS ? job->spins / 2 : LEAST_SPINS;
    else
        job->spins = job->spins * 2 < WAIT_SPINS ? job->spins * 2 : WAIT_SPINS;
    job->slept = false;
}

void local_pause(struct local_job *job, unsigned *tests)
{
    struct slot *own = &job->shared->slots[job->rank];
    local_mail_advance(job);
    if (*tests == 0 && !job->yields)
        choose_spins(job);
    const unsigned number = (*tests)++;
    if (number < job->spins) {
        if (job->yields)
            sched_yield();
        return;
    }
    if (number > job->spins)
        syscall(SYS_futex, &own->wakes, FUTEX_WAIT, job->wakes_seen,
                &(struct timespec){.tv_nsec = LONGEST_SLEEP_NS}, NULL, 0);
    /* The caller tests once more before the process sleeps. */
    job->slept = true;
    atomic_store(&own->asleep, 1);
    job->wakes_seen = atomic_load(&own->wakes);
    atomic_thread_fence(memory_order_seq_cst);
}

/* Process 0: another process has ended. If it has not finished, the others cannot continue. */
static void note_end(int signal_number)
{
    const int error = errno;
    struct local_job *job = started;
    uint32_t ended = 0;
    int ending = 0;
    (void)signal_number;
    for (int p = 1; job && p < job->size; p++) {
        int result;
        if (job->processes[p] > 0 && waitpid(job->processes[p], &result, WNOHANG) > 0) {
            job->processes[p] = 0;
            ending = WIFSIGNALED(result) ? WTERMSIG(result) : WEXITSTATUS(result) - INTERRUPTED;
        }
        ended += job->processes[p] == 0;
    }
    if (job && ended > atomic_load(&job->shared->finished)) {
        static const char text[] = ": one of its processes has ended early (a crash, or not enough "
                                   "memory); --jobs 1 uses one process\n";
        for (int p = 1; p < job->size; p++)
            if (job->processes[p] > 0)
                kill(job->processes[p], SIGKILL);
        if (ending == SIGINT || ending == SIGTERM || ending == SIGHUP)
            interrupt_end(ending); /* this process has got the signal, too, or soon will */
        if (write(STDERR_FILENO, log_program(), strlen(log_program())) > 0)
            (void)!write(STDERR_FILENO, text, sizeof text - 1);
        interrupt_clean_up();
        _exit(STATUS_ENVIRONMENT);
    }
    errno = error;
}

/* NULL: no memory. */
static struct local_job *make_job(int size)
{
    struct local_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    const size_t count = (size_t)size, slots = sizeof *job->shared + count * sizeof(struct slot);
    job->size = size;
    job->shared_size = slots + RING_KINDS * count * count * sizeof(struct ring);
    job->sending = calloc(count, sizeof(struct mail_sending *));
    job->processes = calloc(count, sizeof *job->processes);
    job->shared = mmap(NULL, job->shared_size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (job->sending && job->processes && job->shared != MAP_FAILED) {
        job->rings = (struct ring *)((char *)job->shared + slots);
        return job;
    }
    if (job->shared != MAP_FAILED)
        munmap(job->shared, job->shared_size);
    free(job->sending);
    free(job->processes);
    free(job);
    return NULL;
}

static void free_job(struct local_job *job)
{
    munmap(job->shared, job->shared_size);
    free(job->sending);
    free(job->processes);
    free(job);
}

enum status local_job_start(int size, bool naps, struct local_job **result, int *rank,
                            struct error *error)
{
    assert(size > 1);
    struct local_job *job = make_job(size);
    const pid_t parent = getpid();
    *rank = 0;
    *result = job;
    if (!job)
        return error_memory(error, "the processes");
    job->yields = naps;
    job->spins = naps ? WAIT_YIELDS : WAIT_SPINS;
    started = job;
    fflush(NULL); /* so that no process writes it again */
    signal(SIGCHLD, note_end);
    for (int p = 1; p < size; p++) {
        const pid_t process = fork();
        if (process < 0) {
            const int reason = errno;
            signal(SIGCHLD, SIG_DFL);
            started = NULL;
            for (int other = 1; other < p; other++) {
                kill(job->processes[other], SIGKILL);
                waitpid(job->processes[other], NULL, 0);
            }
            free_job(job);
            *result = NULL;
            return error_set(error, STATUS_ENVIRONMENT, "a process cannot be started: %s",
                             strerror(reason));
        }
        if (process == 0) {
            signal(SIGCHLD, SIG_DFL);
            started = NULL;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent)
                _exit(STATUS_ENVIRONMENT);
            job->rank = *rank = p;
            return STATUS_OK;
        }
        job->processes[p] = process;
    }
    return STATUS_OK;
}

void local_job_end(struct local_job *job, int exit_code)
{
    if (job->rank > 0) {
        atomic_fetch_add(&job->shared->finished, 1);
        exit(exit_code);
    }
    signal(SIGCHLD, SIG_DFL);
    started = NULL;
    for (int p = 1; p < job->size; p++)
        if (job->processes[p] > 0)
            while (waitpid(job->processes[p], NULL, 0) < 0 && errno == EINTR) {
            }
    free_job(job);
}

void local_barrier(struct local_job *job)
{
    struct shared_memory *shared = job->shared;
    const uint32_t before = atomic_load_explicit(&shared->barriers, memory_order_acquire);
    unsigned tests = 0;
    if (atomic_fetch_add_explicit(&shared->arrived, 1, memory_order_acq_rel) + 1 ==
        (uint32_t)job->size) {
        atomic_store_explicit(&shared->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&shared->barriers, before + 1, memory_order_release);
        for (int p = 0; p < job->size; p++)
            wake_process(job, p);
        return;
    }
    while (atomic_load_explicit(&shared->barriers, memory_order_acquire) == before)
        local_pause(job, &tests);
}

static char *slot_of(const struct local_job *job, int process)
{
    return job->shared->slots[process].data;
}

static int64_t reduced(int64_t a, int64_t b, enum local_reduction reduction)
{
    if (reduction == LOCAL_SUM)
        return a + b;
    return (reduction == LOCAL_MAX) == (a > b) ? a : b;
}

void local_reduce(struct local_job *job, int64_t *values, size_t count,
                  enum local_reduction reduction)
{
    const size_t most = SLOT / sizeof *values;
    for (size_t done = 0; done < count; done += most) {
        const size_t part = count - done < most ? count - done : most;
        memcpy(slot_of(job, job->rank), values + done, part * sizeof *values);
        local_barrier(job);
        for (int p = 0; p < job->size; p++) {
            const int64_t *other = (const int64_t *)slot_of(job, p);
            for (size_t i = 0; i < part && p != job->rank; i++)
                values[done + i] = reduced(values[done + i], other[i], reduction);
        }
        local_barrier(job);
    }
}

void local_broadcast(struct local_job *job, void *data, size_t size, int root)
{
    for (size_t done = 0; done < size; done += SLOT) {
        const size_t part = size - done < SLOT ? size - done : SLOT;
        if (job->rank == root)
            memcpy(slot_of(job, root), (char *)data + done, part);
        local_barrier(job);
        if (job->rank != root)
            memcpy((char *)data + done, slot_of(job, root), part);
        local_barrier(job);
    }
}

/* The piece of a process's bytes that begins after `done` of them. */
static size_t piece_after(const size_t *first, int process, size_t done)
{
    const size_t size = first[process + 1] - first[process];
    const size_t left = size > done ? size - done : 0;
    return left < SLOT ? left : SLOT;
}

void local_share(struct local_job *job, char *all, const size_t *first)
{
    size_t most = 0;
    for (int p = 0; p < job->size; p++)
        most = first[p + 1] - first[p] > most ? first[p + 1] - first[p] : most;
    for (size_t done = 0; done < most; done += SLOT) {
        const size_t own = piece_after(first, job->rank, done);
        if (own > 0)
            memcpy(slot_of(job, job->rank), all + first[job->rank] + done, own);
        local_barrier(job);
        for (int p = 0; p < job->size; p++) {
            const size_t part = p == job->rank ? 0 : piece_after(first, p, done);
            if (part > 0)
                memcpy(all + first[p] + done, slot_of(job, p), part);
        }
        local_barrier(job);
    }
}

/* Moves what the rings allow. Returns the number of parts that are not complete. */
static size_t move_parts(struct local_job *job, struct local_part *parts, size_t count, bool send,
                         bool *moved)
{
    size_t open = 0;
    for (size_t i = 0; i < count; i++) {
        struct local_part *part = &parts[i];
        size_t done = send ? ring_write(ring_of(job, RING_TRANSFER, job->rank, part->process),
                                        part->data, part->size)
                           : ring_read(ring_of(job, RING_TRANSFER, part->process, job->rank),
                                       part->data, part->size);
        if (done > 0)
            wake_process(job, part->process);
        part->data += done;
        part->size -= done;
        *moved |= done > 0;
        open += part->size > 0;
    }
    return open;
}

void local_transfer(struct local_job *job, struct local_part *to, size_t to_count,
                    struct local_part *from, size_t from_count)
{
    unsigned tests = 0;
    for (;;) {
        bool moved = false;
        size_t open = move_parts(job, to, to_count, true, &moved);
        open += move_parts(job, from, from_count, false, &moved);
        if (open == 0)
            return;
        if (moved)
            tests = 0;
        else
            local_pause(job, &tests);
    }
}

void local_mail_start(struct local_job *job, struct mail_sending *sending)
{
    struct mail_sending **last = &job->sending[sending->to];
    while (*last)
        last = &(*last)->next;
    *last = sending;
    local_mail_advance(job);
}

/* Sends as much of the first mail as there is room for. True if it is sent. */
static bool advance_first(struct local_job *job, int to, struct mail_sending *sending)
{
    struct ring *ring = ring_of(job, RING_MAIL, job->rank, to);
    if (!sending->framed) {
        const struct frame frame = {sending->tag, sending->size};
        if (RING - ring_filled(ring) < sizeof frame) /* no less: only the reader makes room */
            return false;
        ring_write(ring, (const char *)&frame, sizeof frame);
        sending->framed = true;
    }
    sending->done += ring_write(ring, sending->data + sending->done, sending->size - sending->done);
    wake_process(job, to);
    return sending->done == sending->size;
}

void local_mail_advance(struct local_job *job)
{
    for (int to = 0; to < job->size; to++)
        while (job->sending[to] && advance_first(job, to, job->sending[to])) {
            struct mail_sending *sent = job->sending[to];
            job->sending[to] = sent->next;
            sent->active = false;
        }
}

/* Mail with another tag belongs to a later step of its sender, and stays. */
static bool has_mail(const struct ring *ring, int tag, struct frame *frame)
{
    if (ring_filled(ring) < sizeof *frame)
        return false;
    ring_peek(ring, (char *)frame, sizeof *frame);
    return frame->tag == tag;
}

int64_t local_mail_take(struct local_job *job, int from, int tag, void *buffer, size_t room)
{
    local_mail_advance(job);
    for (int p = 0; p < job->size; p++) {
        struct ring *ring = ring_of(job, RING_MAIL, p, job->rank);
        struct frame frame;
        if ((from >= 0 && p != from) || !has_mail(ring, tag, &frame))
            continue;
        assert(frame.size <= room);
        ring_skip(ring, sizeof frame);
        wake_process(job, p);
        unsigned tests = 0;
        for (size_t done = 0; done < frame.size;) {
            size_t more = ring_read(ring, (char *)buffer + done, frame.size - done);
            done += more;
            if (more == 0)
                local_pause(job, &tests);
            else
                wake_process(job, p);
        }
        return (int64_t)frame.size;
    }
    return -1;
}
