/* A signal handler that records wherever it interrupts its thread loses nothing and spoils nothing.
 */
#include "config.h" /* mkdtemp, REG_EFL */

#include "measure/recorder/records.h"

#include "tests/check_tap.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { OUTER = 1000000, SLOTS = 4096 };

static struct recorder *recorder;
static volatile sig_atomic_t interruptions;

static void record_inner(int signal)
{
    (void)signal;
    record_enter(recorder, record_now(), (uint32_t)interruptions);
    interruptions++;
}

/* A record of three slots, of which the handler's must spare all. */
static void record_outer(uint32_t number)
{
    const struct record_message message = {
        .bytes = 9, .request = 11, .peer = OUTER + number, .comm = 7, .tag = 8, .type_size = 10};
    record_message(recorder, record_now(), RECORD_ISEND, &message);
}

static int seen_inner[4 * OUTER], seen_outer[4 * OUTER];

/* Counts the records of a block; returns false if it holds anything else. */
static bool count_records(const struct record_slot *slot, size_t slots)
{
    for (size_t at = 0, length; at < slots; at += length) {
        const uint32_t id = (uint32_t)(slot[at].second >> 32);
        const enum record_kind kind = (enum record_kind)(slot[at].second & 0xff);
        length = slot[at].second || slot[at].first ? record_slots(kind) : 1;
        if (length == 0 || at + length > slots)
            return false;
        if (kind == RECORD_ENTER)
            seen_inner[id]++;
        else if (kind == RECORD_ISEND && slot[at + 1].first == 9 && slot[at + 2].first == 11)
            seen_outer[id - OUTER]++;
        else if (slot[at].first && kind != RECORD_FLUSH)
            return false;
    }
    return true;
}

static bool all_once(const int *seen, int count)
{
    for (int i = 0; i < count; i++)
        if (seen[i] != 1)
            return false;
    return true;
}

static void begin_interruptions(void (*handler)(int), int signal)
{
    struct sigaction action = {.sa_handler = handler};
    interruptions = 0;
    memset(seen_inner, 0, sizeof seen_inner);
    memset(seen_outer, 0, sizeof seen_outer);
    sigaction(signal, &action, NULL);
}

#if defined(__x86_64__)
static volatile sig_atomic_t steps, step_wanted;

/* Records at the step that is wanted, and runs on without steps. */
static void record_at_step(int signal, siginfo_t *info, void *context)
{
    (void)info;
    if (++steps == step_wanted) {
        record_inner(signal);
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    }
}
#endif

START_TEST(after_each_instruction)
{
#if defined(__x86_64__)
    measurement_state = MEASUREMENT_STAGING;
    struct recorder *own = recorder = recorder_make();
    ck_assert_ptr_nonnull(own);
    const struct record_slot *first = own->next;
    begin_interruptions(NULL, SIGTRAP);
    struct sigaction action = {.sa_sigaction = record_at_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    uint32_t records = 0;
    do {
        steps = 0;
        step_wanted = (sig_atomic_t)records + 1;
        /* The processor's trap flag: SIGTRAP after each instruction. */
        __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
        record_outer(records);
        __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
        records++;
    } while (steps >= step_wanted && records < SLOTS / 8);
    ck_assert_int_gt(interruptions, 10);
    ck_assert_int_lt(records, SLOTS / 8);
    ck_assert(count_records(first, SLOTS));
    ck_assert(all_once(seen_outer, (int)records));
    ck_assert(all_once(seen_inner, interruptions));
    recorder_own = NULL;
#endif
}
END_TEST

/* Blocks are exchanged many times meanwhile. */
START_TEST(at_any_time)
{
    enum { RECORDS = 400000, SEGMENT = 64 * 1024 };
    char directory[] = "/tmp/silas-signals.XXXXXX", path[256];
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/records", directory);
    mkdir(path, 0777);
    measurement_settings.directory = directory;
    measurement_settings.segment_size = SEGMENT;
    measurement_rank = 0;
    measurement_state = MEASUREMENT_FILES;
    recorder = recorder_make();
    ck_assert_ptr_nonnull(recorder);

    begin_interruptions(record_inner, SIGALRM);
    const struct itimerval often = {{0, 20}, {0, 20}}, never = {0};
    setitimer(ITIMER_REAL, &often, NULL);
    for (uint32_t i = 0; i < RECORDS; i++)
        record_outer(i);
    setitimer(ITIMER_REAL, &never, NULL);

    static struct record_slot segment[SEGMENT / sizeof(struct record_slot)];
    snprintf(path, sizeof path, "%s/records/rank-0.%u.events", directory, recorder->buffer->thread);
    FILE *file = fopen(path, "rbe");
    ck_assert_ptr_nonnull(file);
    fseek(file, RECORD_HEADER_SIZE, SEEK_SET);
    bool good = true;
    int segments = 0;
    for (; fread(segment, sizeof segment, 1, file) == 1; segments++)
        good = good && count_records(segment, sizeof segment / sizeof segment[0]);
    fclose(file);
    unlink(path);
    snprintf(path, sizeof path, "%s/records", directory);
    rmdir(path);
    rmdir(directory);
    ck_assert(good);
    ck_assert_int_gt(segments, 100);
    ck_assert_int_gt(interruptions, 0);
    ck_assert(all_once(seen_outer, RECORDS));
    ck_assert(all_once(seen_inner, interruptions));
}
END_TEST

int main(void)
{
    tracer_clock_open();
    Suite *suite = suite_create("signals");
    TCase *tests = tcase_create("record");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, after_each_instruction);
    tcase_add_test(tests, at_any_time);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
