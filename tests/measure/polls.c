/* Polling loops in the recorder: what is left of them, and that the records can be read whenever
 * the process is killed or a signal handler records. */
#include "config.h" /* REG_EFL */

#include "measure/recorder/polls.h"
#include "measure/recorder/records.h"

#include "tests/check_tap.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { SLOTS = 8192, GAP = 1000 };

static struct record_slot slots[SLOTS];
static struct buffer buffer;
static struct recorder *const recorder = &buffer.recorder;
static uint64_t now;

static void begin(void)
{
    memset(slots, 0, sizeof slots);
    memset(&buffer, 0, sizeof buffer);
    recorder->next = slots;
    recorder->end = slots + SLOTS;
    recorder->buffer = &buffer;
    measurement_settings.poll_gap = GAP;
    now = 1000000;
}

/* The records of a call in vain that takes `length` ticks and tests `requests` requests from number
 * `request` on. Returns its Enter. */
static struct record_slot *record_poll(uint32_t region, unsigned requests, uint64_t request,
                                       uint64_t length)
{
    struct record_slot *enter = recorder->next;
    record_enter(recorder, now, region);
    now += length;
    for (unsigned i = 0; i < requests; i++)
        record_request(recorder, now, RECORD_REQUEST_TEST, request + i, 0);
    record_leave(recorder, now, region);
    return enter;
}

static void poll_once(uint32_t region, unsigned requests, uint64_t request, uint64_t length)
{
    polls_add(recorder, record_poll(region, requests, request, length), request);
    now += 10;
}

static const struct record_slot *find(enum record_kind kind, unsigned number)
{
    for (size_t at = 0; at < SLOTS;) {
        const enum record_kind here = (enum record_kind)(slots[at].second & 0xff);
        if (here == kind && number-- == 0)
            return &slots[at];
        at += slots[at].second ? record_slots(here) : 1;
    }
    return NULL;
}

static unsigned number_of(enum record_kind kind)
{
    unsigned number = 0;
    while (find(kind, number))
        number++;
    return number;
}

START_TEST(a_loop_is_two_rounds_and_a_count)
{
    for (unsigned requests = 0; requests < 4; requests++) {
        uint64_t left_out = 0, last = 0;
        begin();
        for (unsigned i = 0; i < 1000; i++) {
            last = now;
            poll_once(5, requests, 7, 100 + i % 13);
            left_out += i > 0 && i < 999 ? 100 + i % 13 : 0;
        }
        ck_assert_uint_eq(number_of(RECORD_ENTER), 2);
        ck_assert_uint_eq(number_of(RECORD_LEAVE), 2);
        ck_assert_uint_eq(number_of(RECORD_REQUEST_TEST), 2 * requests);
        ck_assert_uint_eq(number_of(RECORD_POLLS), 1);
        ck_assert_uint_eq(find(RECORD_ENTER, 0)->first, 1000000);
        ck_assert_uint_eq(find(RECORD_ENTER, 1)->first, last);
        ck_assert_uint_eq(find(RECORD_LEAVE, 1)->first, now - 10);
        ck_assert_uint_eq(find(RECORD_POLLS, 0)[1].first, 998);
        ck_assert_uint_eq(find(RECORD_POLLS, 0)[1].second, left_out);
        ck_assert_ptr_eq(find(RECORD_POLLS, 0) + 2, find(RECORD_ENTER, 1));
        ck_assert_ptr_eq(recorder->next, slots + 2 * (2 + 2 * requests) + 2);
        if (requests)
            ck_assert_uint_eq(find(RECORD_REQUEST_TEST, 2 * requests - 1)[1].first,
                              7 + requests - 1);
    }
}
END_TEST

START_TEST(rounds_of_several_calls)
{
    for (unsigned period = 2; period <= POLLS_PERIOD; period++) {
        uint64_t left_out[POLLS_PERIOD] = {0};
        begin();
        for (unsigned i = 0; i < 100 * period; i++) {
            poll_once(i % period, i % period, 50 + i % period, 20 + i % 7);
            if (i >= period && i < 99 * period)
                left_out[i % period] += 20 + i % 7;
        }
        ck_assert_uint_eq(number_of(RECORD_ENTER), 2 * period);
        ck_assert_uint_eq(number_of(RECORD_POLLS), period);
        for (unsigned i = 0; i < period; i++) {
            const struct record_slot *count = find(RECORD_POLLS, i);
            ck_assert_uint_eq(count[1].first, 98);
            ck_assert_uint_eq(count[1].second, left_out[i]);
            ck_assert_uint_eq(count[2].second >> 32, i); /* the Enter of the region */
        }
    }
}
END_TEST

START_TEST(other_calls_end_a_loop)
{
    begin();
    for (unsigned i = 0; i < 50; i++)
        poll_once(1, 1, i, 30); /* another request each time */
    ck_assert_uint_eq(number_of(RECORD_ENTER), 50);
    ck_assert_uint_eq(number_of(RECORD_POLLS), 0);

    begin();
    for (unsigned i = 0; i < 50; i++)
        poll_once(1, 0, 3, 30);
    poll_once(2, 0, 3, 30);
    for (unsigned i = 0; i < 50; i++)
        poll_once(1, 0, 3, 30);
    ck_assert_uint_eq(number_of(RECORD_ENTER), 5);
    ck_assert_uint_eq(find(RECORD_POLLS, 0)[1].first, 48);
    ck_assert_uint_eq(find(RECORD_POLLS, 1)[1].first, 48);

    begin(); /* a record between two calls, and a pause */
    for (unsigned i = 0; i < 30; i++) {
        poll_once(1, 0, 3, 30);
        if (i == 9)
            record_enter(recorder, now, 9);
        if (i == 19)
            now += GAP;
    }
    ck_assert_uint_eq(number_of(RECORD_ENTER), 2 + 1 + 2 + 2);
    ck_assert_uint_eq(number_of(RECORD_POLLS), 3);
}
END_TEST

#if defined(__x86_64__)
static volatile sig_atomic_t steps, step_wanted, unreadable;

/* Whether the archive's writer can read the records: it skips empty slots, and ends at a slot that
 * has a time only. */
static bool readable(void)
{
    for (size_t at = 0; at < SLOTS;) {
        const uint64_t second = slots[at].second;
        if (!second && slots[at].first)
            return true;
        const unsigned length = second ? record_slots((enum record_kind)(second & 0xff)) : 1;
        if (length == 0 || at + length > SLOTS)
            return false;
        at += length;
    }
    return true;
}

/* At each instruction the process may be killed; at one of them a handler records. */
static void step(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    unreadable += !readable();
    if (++steps == step_wanted) {
        record_enter(recorder, now, 77);
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    }
}
#endif

START_TEST(after_each_instruction)
{
#if defined(__x86_64__)
    const struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    for (unsigned before = 2; before < 4; before++) { /* the first fold, and one more */
        step_wanted = 0;
        do {
            begin();
            for (unsigned i = 0; i < before; i++)
                poll_once(1, 1, 3, 30);
            struct record_slot *enter = record_poll(1, 1, 3, 30);
            steps = 0;
            step_wanted++;
            __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
            polls_add(recorder, enter, 3);
            __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
            now += 10;
            for (unsigned i = 0; i < 20; i++)
                poll_once(1, 1, 3, 30);
            ck_assert_int_eq(unreadable, 0);
            ck_assert(readable());
            unsigned ours = number_of(RECORD_ENTER), handlers = 0, polls = 0;
            for (unsigned i = 0; i < ours; i++)
                handlers += find(RECORD_ENTER, i)->second >> 32 == 77;
            for (unsigned i = 0; i < number_of(RECORD_POLLS); i++)
                polls += (unsigned)find(RECORD_POLLS, i)[1].first;
            ck_assert_uint_eq(handlers, steps >= step_wanted);
            ck_assert_uint_eq(ours - handlers + polls, before + 1 + 20);
        } while (steps >= step_wanted);
        ck_assert_int_gt(step_wanted, 50);
    }
#endif
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("polls");
    TCase *tests = tcase_create("polls");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_loop_is_two_rounds_and_a_count);
    tcase_add_test(tests, rounds_of_several_calls);
    tcase_add_test(tests, other_calls_end_a_loop);
    tcase_add_test(tests, after_each_instruction);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
