/* Jobs done by forked workers: answers, workers that die, an end from outside. */
#include "sweep/workers.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "tests/check_tap.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 40 };

struct test {
    int shared;       /* set before the fork */
    size_t killed;    /* the job whose worker is killed, */
    size_t exits;     /* the one whose worker ends, */
    size_t exhausted; /* and the one for which memory is out */
    size_t refused;   /* the answer that ends all */
    int answered[JOBS], failed[JOBS];
    char message[200];
    pid_t processes[JOBS];
};

static struct test no_trouble(void)
{
    return (struct test){
        .shared = 42, .killed = JOBS, .exits = JOBS, .exhausted = JOBS, .refused = JOBS};
}

struct sent {
    size_t job;
    int shared;
    pid_t process;
};

static bool work(void *data, size_t job, struct bytes *answer)
{
    const struct test *test = data;
    struct sent sent = {job, test->shared, getpid()};
    if (job == test->killed)
        raise(SIGKILL);
    if (job == test->exits)
        _exit(7);
    if (job == test->exhausted)
        return false;
    if (job % 10 == 0)
        log_warning("the same in all workers");
    char large[100000]; /* more than a socket holds is sent in parts */
    memset(large, (int)job, sizeof large);
    return bytes_put(answer, &sent, sizeof sent) && bytes_put(answer, large, sizeof large);
}

static enum status answered(void *data, size_t job, const struct bytes *answer, struct error *error)
{
    struct test *test = data;
    struct sent sent;
    memcpy(&sent, answer->data, sizeof sent);
    ck_assert_uint_eq(sent.job, job);
    ck_assert_int_eq(sent.shared, 42);
    ck_assert_uint_eq(answer->size, sizeof sent + 100000);
    ck_assert_int_eq(answer->data[answer->size - 1], (char)job);
    test->answered[job]++;
    test->processes[job] = sent.process;
    if (job == test->refused)
        return error_set(error, STATUS_INPUT, "enough");
    return STATUS_OK;
}

static enum status failed(void *data, size_t job, const char *message, struct error *error)
{
    struct test *test = data;
    (void)error;
    test->failed[job]++;
    snprintf(test->message, sizeof test->message, "%s", message);
    return STATUS_OK;
}

static enum status do_jobs(struct test *test, int workers, struct error *error)
{
    const struct workers_input input = {.jobs = JOBS,
                                        .workers = workers,
                                        .what = "counts",
                                        .data = test,
                                        .work = work,
                                        .answered = answered,
                                        .failed = failed};
    return workers_run(&input, error);
}

/* Each job but one is answered once; the one has failed once. */
static void check_all_but(const struct test *test, size_t lost)
{
    for (size_t job = 0; job < JOBS; job++) {
        ck_assert_int_eq(test->answered[job], job != lost);
        ck_assert_int_eq(test->failed[job], job == lost);
    }
}

static void check_no_children(void)
{
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
    ck_assert_int_eq(errno, ECHILD);
}

START_TEST(all_jobs_are_answered_once)
{
    for (int workers = 0; workers <= 3; workers++) {
        struct test test = no_trouble();
        ck_assert_int_eq(do_jobs(&test, workers, NULL), STATUS_OK);
        check_all_but(&test, JOBS);
        check_no_children();
        for (size_t job = 0; job < JOBS; job++)
            ck_assert_int_ne(test.processes[job], getpid());
    }
}
END_TEST

START_TEST(warnings_are_given_by_the_parent)
{
    struct test test = no_trouble();
    size_t count, same = 0;
    ck_assert_int_eq(do_jobs(&test, 2, NULL), STATUS_OK);
    const char *const *warnings = log_warnings(&count);
    for (size_t i = 0; i < count; i++)
        same += strcmp(warnings[i], "the same in all workers") == 0;
    ck_assert_uint_eq(same, 1);
}
END_TEST

START_TEST(a_killed_worker_costs_its_job)
{
    for (int workers = 1; workers <= 2; workers++) {
        struct test test = no_trouble();
        test.killed = 3;
        ck_assert_int_eq(do_jobs(&test, workers, NULL), STATUS_OK);
        check_all_but(&test, 3);
        ck_assert_ptr_nonnull(strstr(test.message, "counts was killed"));
        check_no_children();
    }
}
END_TEST

START_TEST(workers_that_end_are_replaced)
{
    struct test test = no_trouble();
    test.exits = JOBS - 1;
    ck_assert_int_eq(do_jobs(&test, 2, NULL), STATUS_OK);
    check_all_but(&test, JOBS - 1);
    ck_assert_ptr_nonnull(strstr(test.message, "exit code 7"));
    test = no_trouble();
    test.exhausted = 0;
    ck_assert_int_eq(do_jobs(&test, 2, NULL), STATUS_OK);
    check_all_but(&test, 0);
    ck_assert_ptr_nonnull(strstr(test.message, "not enough memory"));
}
END_TEST

START_TEST(an_error_of_the_caller_ends_all)
{
    struct test test = no_trouble();
    struct error error;
    test.refused = 5;
    ck_assert_int_eq(do_jobs(&test, 2, &error), STATUS_INPUT);
    ck_assert_str_eq(error.text, "enough");
    check_no_children();
}
END_TEST

static int held; /* a pipe's end that each worker has open as long as it lives */

static bool work_for_long(void *data, size_t job, struct bytes *answer)
{
    (void)data;
    (void)job;
    (void)answer;
    if (write(held, "w", 1) != 1)
        return false;
    for (;;)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

/* Runs two workers that never end in a process of its own, which gets the signal. */
static void end_by(int signal, int expected_code)
{
    int ends[2], code;
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        const struct workers_input input = {.jobs = 2,
                                            .workers = 2,
                                            .what = "waits",
                                            .work = work_for_long,
                                            .answered = answered,
                                            .failed = failed};
        close(ends[0]);
        held = ends[1];
        interrupt_install();
        _exit(workers_run(&input, NULL) == STATUS_OK ? 0 : 1);
    }
    close(ends[1]);
    for (int begun = 0; begun < 2; begun++)
        ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    kill(process, signal);
    ck_assert_int_eq(waitpid(process, &code, 0), process);
    ck_assert_int_eq(WIFSIGNALED(code) ? WTERMSIG(code) : WEXITSTATUS(code), expected_code);
    ck_assert_int_eq(read(ends[0], &byte, 1), 0); /* returns when the last worker is gone */
    close(ends[0]);
}

START_TEST(no_worker_outlives_its_parent)
{
    end_by(SIGINT, 130);
    end_by(SIGTERM, 143);
    end_by(SIGKILL, SIGKILL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workers");
    TCase *cases = tcase_create("workers");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, all_jobs_are_answered_once);
    tcase_add_test(cases, warnings_are_given_by_the_parent);
    tcase_add_test(cases, a_killed_worker_costs_its_job);
    tcase_add_test(cases, workers_that_end_are_replaced);
    tcase_add_test(cases, an_error_of_the_caller_ends_all);
    tcase_add_test(cases, no_worker_outlives_its_parent);
    suite_add_tcase(suite, cases);
    return check_tap(suite);
}
