/* Processes that are forked, without MPI: reductions, broadcasts, exchanges and mail of all sizes,
 * and what happens if one crashes. */
#include "base/mpi/exchange.h"
#include "base/mpi/mail.h"
#include "base/mpi/part.h"

#include "tests/check_tap.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 300001 }; /* more than a slot of int64_t, or several rings of bytes */

static uint64_t scatter(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

/* Exit codes of the processes tell what has failed. */
#define MUST(condition)                \
    do {                               \
        if (!(condition))              \
            return __LINE__ % 250 + 1; \
    } while (0)

static int try_reductions(const struct processes *processes)
{
    int64_t *values = malloc(LARGE * sizeof *values);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < LARGE; i++)
            values[i] =
                (int64_t)(scatter(i) % 1000) * (processes->rank + 1) * (round == 1 ? -1 : 1);
        (round == 0   ? processes_max
         : round == 1 ? processes_min
                      : processes_sum)(processes, values, LARGE);
        const int64_t n = processes->size;
        for (size_t i = 0; i < LARGE; i++)
            MUST(values[i] == (int64_t)(scatter(i) % 1000) * (round == 0   ? n
                                                              : round == 1 ? -n
                                                                           : n * (n + 1) / 2));
    }
    free(values);
    return 0;
}

static int try_broadcast_and_share(const struct processes *processes)
{
    struct {
        int64_t *items;
        size_t count, capacity;
    } list = {0};
    char *text = malloc(LARGE * 8);
    struct error error;
    memset(text, processes->rank == 0 ? 'x' : 'y', LARGE * 8);
    processes_broadcast(processes, text, LARGE * 8);
    MUST(text[0] == 'x' && text[LARGE * 8 - 1] == 'x');
    free(text);
    const size_t own = processes->rank == 1 ? LARGE : (size_t)processes->rank;
    for (size_t i = 0; i < own; i++)
        MUST(array_push(&list, processes->rank * 1000000 + (int64_t)i));
    MUST(processes_share(processes, &list, "the test", &error) == STATUS_OK);
    size_t at = 0;
    for (int p = 0; p < processes->size; p++)
        for (size_t i = 0; i < (p == 1 ? LARGE : (size_t)p); i++)
            MUST(list.items[at++] == p * 1000000 + (int64_t)i);
    MUST(at == list.count);
    free(list.items);
    error.status = STATUS_INPUT;
    strcpy(error.text, "of process 1");
    MUST(processes_agree(processes, processes->rank == 1 ? STATUS_INPUT : STATUS_OK, &error) ==
         STATUS_INPUT);
    MUST(strcmp(error.text, "of process 1") == 0);
    return 0;
}

static size_t exchanged(int from, int to, int round)
{
    uint64_t random = scatter((uint64_t)(from * 100 + to * 10 + round) + 1);
    return random % 4 == 0 ? 0 : random % 4 == 1 ? random % 7 : (size_t)(random % (LARGE / 4));
}

static int try_exchanges(const struct processes *processes)
{
    for (int round = 0; round < 8; round++) {
        struct exchange exchange = exchange_open(processes, sizeof(int64_t), "the test");
        struct received received;
        struct error error;
        for (int to = 0; to < processes->size; to++)
            for (size_t i = 0; i < exchanged(processes->rank, to, round); i++) {
                int64_t value = processes->rank * 10000000 + to * 1000000 + (int64_t)i;
                exchange_put(&exchange, to, &value);
            }
        MUST(exchange_run(&exchange, &received, &error) == STATUS_OK);
        size_t at = 0;
        for (int from = 0; from < processes->size; from++)
            for (size_t i = 0; i < exchanged(from, processes->rank, round); i++)
                MUST(((int64_t *)received.items)[at++] ==
                     from * 10000000 + processes->rank * 1000000 + (int64_t)i);
        MUST(at == received.count);
        free(received.items);
    }
    return 0;
}

/* Everybody sends 40 messages of different sizes to everybody, and takes them in between. */
static int try_mail(const struct processes *processes)
{
    enum { MESSAGES = 40, TAG = 5 };
    char *buffer = malloc(LARGE);
    char *data = malloc(LARGE);
    struct mail_sending sending = {0};
    int64_t taken = 0, bytes = 0, expected = 0;
    memset(data, 'm', LARGE);
    for (int m = 0; m < MESSAGES; m++)
        for (int to = 0; to < processes->size; to++) {
            if (to == processes->rank)
                continue;
            mail_start(processes, &sending, to, TAG, data, exchanged(processes->rank, to, m));
            while (!mail_is_sent(processes, &sending)) {
                int64_t size = mail_take(processes, MAIL_FROM_ANY, TAG, buffer, LARGE);
                taken += size >= 0;
                bytes += size > 0 ? size : 0;
            }
        }
    for (int from = 0; from < processes->size; from++)
        for (int m = 0; m < MESSAGES && from != processes->rank; m++)
            expected += (int64_t)exchanged(from, processes->rank, m);
    for (; taken < MESSAGES * (processes->size - 1); taken++)
        bytes += (int64_t)mail_wait(processes, MAIL_FROM_ANY, TAG, buffer, LARGE);
    MUST(bytes == expected);
    MUST(mail_take(processes, MAIL_FROM_ANY, TAG, buffer, LARGE) < 0);
    processes_barrier(processes);
    for (int p = 1; p < processes->size; p++) /* pieces to process 0, one process after another */
        if (processes->rank == p) {
            part_send(processes, data, LARGE);
            part_send(processes, data, 0);
        } else if (processes->rank == 0) {
            char *piece = malloc(PART_PIECE);
            MUST(part_receive(processes, p, piece) == LARGE && piece[LARGE - 1] == 'm');
            MUST(part_receive(processes, p, piece) == 0);
            free(piece);
        }
    free(buffer);
    free(data);
    return 0;
}

/* Runs a program of several processes. Returns its exit code. */
static int run(int size, int (*program)(const struct processes *processes))
{
    struct processes processes;
    struct error error;
    const pid_t child = fork();
    int result;
    if (child == 0) {
        alarm(100); /* nothing may hang */
        if (processes_fork(&processes, size, &error) != STATUS_OK)
            _exit(99);
        int64_t failed = program(&processes);
        processes_max(&processes, &failed, 1);
        processes_join(&processes, (int)failed);
        _exit((int)failed);
    }
    ck_assert(waitpid(child, &result, 0) == child && WIFEXITED(result));
    return WEXITSTATUS(result);
}

static const int sizes[] = {1, 2, 3, 5};

START_TEST(processes_work_together)
{
    ck_assert_int_eq(run(sizes[_i], try_reductions), 0);
    if (sizes[_i] > 1)
        ck_assert_int_eq(run(sizes[_i], try_broadcast_and_share), 0);
    ck_assert_int_eq(run(sizes[_i], try_exchanges), 0);
    ck_assert_int_eq(run(sizes[_i], try_mail), 0);
}
END_TEST

enum { TAG_WAKE = 7, WAKES = 20, MS = 1000000 };

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * (int64_t)1000000000 + time.tv_nsec;
}

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * (long)MS}, NULL);
}

/* Process 0 waits for mail of process 1, which comes late: it must not use its core for that, and
 * must continue soon. Of the waits, the shortest counts, because other programs may use the cores.
 */
static int wait_for_late_mail(const struct processes *processes)
{
    int64_t shortest = INT64_MAX;
    struct mail_sending sending = {0};
    for (int i = 0; i < WAKES; i++) {
        int64_t sent = 0;
        processes_barrier(processes);
        if (processes->rank == 1) {
            sleep_ms(20);
            sent = nanoseconds(CLOCK_MONOTONIC);
            mail_start(processes, &sending, 0, TAG_WAKE, &sent, sizeof sent);
            mail_finish(processes, &sending);
            continue;
        }
        const int64_t used = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        MUST(mail_wait(processes, 1, TAG_WAKE, &sent, sizeof sent) == sizeof sent);
        MUST(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - used < 10 * MS);
        const int64_t late = nanoseconds(CLOCK_MONOTONIC) - sent;
        shortest = late < shortest ? late : shortest;
    }
    MUST(processes->rank == 1 || shortest < 40 * MS);
    return 0;
}

/* The same at barriers and transfers, where each process waits for the slower one. */
static int wait_for_late_steps(const struct processes *processes)
{
    int64_t shortest = INT64_MAX;
    char *text = malloc(LARGE);
    memset(text, processes->rank == 0 ? 'x' : 'y', LARGE);
    for (int i = 0; i < WAKES; i++) {
        processes_barrier(processes);
        const int64_t begun = nanoseconds(CLOCK_MONOTONIC);
        if (processes->rank == i % 2)
            sleep_ms(20);
        processes_broadcast(processes, text, LARGE);
        const int64_t taken = nanoseconds(CLOCK_MONOTONIC) - begun;
        shortest = taken < shortest ? taken : shortest;
    }
    MUST(text[0] == 'x' && text[LARGE - 1] == 'x');
    MUST(shortest < 80 * MS);
    free(text);
    return 0;
}

START_TEST(a_process_that_waits_sleeps_and_is_woken)
{
    ck_assert_int_eq(run(2, wait_for_late_mail), 0);
    ck_assert_int_eq(run(2, wait_for_late_steps), 0);
    setenv("SILAS_SHARED_CORES", "1", 1);
    ck_assert_int_eq(run(2, wait_for_late_mail), 0);
    ck_assert_int_eq(run(2, wait_for_late_steps), 0);
}
END_TEST

static int crash(const struct processes *processes)
{
    if (processes->rank == 1)
        raise(SIGKILL);
    processes_barrier(processes);
    return 0;
}

static int leave(const struct processes *processes)
{
    if (processes->rank == 2)
        _exit(0);
    processes_barrier(processes);
    return 0;
}

/* The other process gets Ctrl-C first; its handler ends it with this exit code. Process 0 blocks
 * the signal, as it does while it handles the signal itself. */
static int interrupted(const struct processes *processes)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    if (processes->rank == 0)
        sigprocmask(SIG_BLOCK, &blocked, NULL);
    processes_barrier(processes);
    if (processes->rank == 1)
        _exit(128 + SIGINT);
    processes_barrier(processes);
    return 0;
}

START_TEST(a_process_that_ends_early_ends_all)
{
    ck_assert_int_eq(run(3, interrupted), 128 + SIGINT);
    ck_assert_int_eq(run(3, crash), STATUS_ENVIRONMENT);
    ck_assert_int_eq(run(3, leave), STATUS_ENVIRONMENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("forked");
    TCase *cases = tcase_create("processes");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, processes_work_together, 0, 4);
    tcase_add_test(cases, a_process_that_waits_sleeps_and_is_woken);
    tcase_add_test(cases, a_process_that_ends_early_ends_all);
    suite_add_tcase(suite, cases);
    return check_tap(suite);
}
