/* Data of pages, without a browser: packed numbers, shares of time, the verdict. */
#include "tests/check_tap.h"

#include "report/packing.h"
#include "report/shares.h"
#include "report/verdict.h"
#include "tests/report/report_case.h"

#include <stdlib.h>
#include <zlib.h>

/* The text that was written to a stream; the caller frees it. */
struct written {
    char *text;
    size_t size;
};

static struct written in_base64(const void *data, size_t size, bool packed,
                                enum packing_level level)
{
    struct written out;
    FILE *stream = open_memstream(&out.text, &out.size);
    ck_assert_ptr_nonnull(stream);
    ck_assert(packed ? packing_write(data, size, level, stream) : base64_write(data, size, stream));
    ck_assert_int_eq(fclose(stream), 0);
    return out;
}

/* Test vectors of RFC 4648, section 10. */
START_TEST(base64_is_that_of_the_standard)
{
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct written out = in_base64(cases[i][0], strlen(cases[i][0]), false, PACKING_FAST);
        ck_assert_str_eq(out.text, cases[i][1]);
        free(out.text);
    }
}
END_TEST

START_TEST(numbers_take_a_byte_for_seven_bits)
{
    struct bytes column = {0};
    const uint64_t numbers[] = {0, 127, 128, 300, UINT64_MAX};
    const unsigned char expected[] = {0,    0x7f, 0x80, 1,    0xac, 2,    0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ck_assert(packing_put(&column, numbers[i]));
    ck_assert_uint_eq(column.size, sizeof expected);
    ck_assert_mem_eq(column.data, expected, sizeof expected);
    bytes_clear(&column);
}
END_TEST

static int digit_of(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = strchr(digits, digit);
    ck_assert(digit && place);
    return (int)(place - digits);
}

/* Returns the number of bytes. */
static size_t from_base64(const char *text, unsigned char *bytes)
{
    size_t size = 0, length = strlen(text);
    ck_assert_uint_eq(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        const int fill = (text[i + 2] == '=') + (text[i + 3] == '=');
        unsigned three = (unsigned)digit_of(text[i]) << 18 | (unsigned)digit_of(text[i + 1]) << 12;
        three |= fill < 2 ? (unsigned)digit_of(text[i + 2]) << 6 : 0;
        three |= fill < 1 ? (unsigned)digit_of(text[i + 3]) : 0;
        for (int k = 0; k < 3 - fill; k++)
            bytes[size++] = (unsigned char)(three >> (16 - 8 * k));
    }
    return size;
}

/* Random bytes cannot be packed, so there are several steps of each length. */
START_TEST(packed_bytes_come_back)
{
    const size_t sizes[] = {0, 1, 2, 49151, 49152, 49153, 300001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int fast = 0; fast < 2; fast++) {
            unsigned char *data = malloc(sizes[i] + 1), *back = malloc(sizes[i] + 1);
            ck_assert(data && back);
            srand(42);
            for (size_t k = 0; k < sizes[i]; k++)
                data[k] = (unsigned char)(rand() >> 8);
            const struct written out =
                in_base64(data, sizes[i], true, fast ? PACKING_FAST : PACKING_SMALL);
            unsigned char *packed = malloc(out.size + 1);
            ck_assert_ptr_nonnull(packed);
            uLongf size = (uLongf)sizes[i] + 1;
            ck_assert_int_eq(uncompress(back, &size, packed, (uLong)from_base64(out.text, packed)),
                             Z_OK);
            ck_assert_uint_eq(size, sizes[i]);
            ck_assert_mem_eq(back, data, sizes[i]);
            free(packed);
            free(out.text);
            free(back);
            free(data);
        }
}
END_TEST

START_TEST(shares_add_up_to_the_time)
{
    struct severity *run =
        report_case_run((double[]){1, 3}, (double[]){2, 0.5}, (double[]){0.25, 0}, 3.5);
    struct time_shares shares;
    ck_assert_ptr_nonnull(run);
    /* rank 1 is in MPI_Barrier for 0.125 s without waiting: completion is no wait */
    ck_assert(severity_add(run, METRIC_TIME, CASE_BARRIER, 1, 0.125));
    ck_assert(severity_add(run, METRIC_MPI_BARRIER_COMPLETION, CASE_BARRIER, 1, 0.0625));
    ck_assert(time_shares_find(run, &shares));
    ck_assert_uint_eq(shares.count, 2);
    ck_assert_double_eq(shares.computation[0], 1);
    ck_assert_double_eq(shares.mpi[0], 0);
    ck_assert_double_eq(shares.waiting[0], 2.25);
    ck_assert_double_eq(shares.computation[1], 3);
    ck_assert_double_eq(shares.mpi[1], 0.125);
    ck_assert_double_eq(shares.waiting[1], 0.5);
    const struct time_share_sums sums = time_shares_sum(&shares);
    ck_assert_double_eq(sums.computation + sums.mpi + sums.waiting,
                        severity_total(run, METRIC_TIME));
    time_shares_clear(&shares);
    severity_destroy(run);
}
END_TEST

/* Waits for other threads are waiting, too, in the shares and in the sentence. */
START_TEST(threads_wait_outside_of_mpi)
{
    static const struct severity_path paths[] = {
        {.parent = SEVERITY_NONE, .name = "app"},
        {.parent = 0, .name = "!$omp implicit barrier @app.c:7"}};
    static const struct severity_location locations[] = {{0, 0, "host"}, {0, 1, "host"}};
    struct severity *run = severity_create(paths, 2, locations, 2);
    struct time_shares shares;
    struct verdict verdict;
    ck_assert_ptr_nonnull(run);
    run->total_seconds = 4;
    for (uint32_t thread = 0; thread < 2; thread++) {
        ck_assert(severity_add(run, METRIC_TIME, 0, thread, thread == 0 ? 4 : 1));
        ck_assert(severity_add(run, METRIC_TIME, 1, thread, thread == 0 ? 0 : 3));
    }
    ck_assert(severity_add(run, METRIC_OMP_IBARRIER_WAIT, 1, 1, 2));
    ck_assert(time_shares_find(run, &shares));
    ck_assert_double_eq(shares.computation[0], 4);
    ck_assert_double_eq(shares.computation[1], 2);
    ck_assert_double_eq(shares.mpi[1], 0);
    ck_assert_double_eq(shares.waiting[1], 2);
    time_shares_clear(&shares);
    ck_assert(verdict_find(&(struct report){.run = run}, NULL, &verdict));
    ck_assert_str_eq(verdict.sentence,
                     "T is 4.000 s. The ranks and their threads spend 75.0 % of their time in "
                     "computation, 0.0 % in MPI and 25.0 % waiting, most of it Wait at Implicit "
                     "OpenMP Barrier (25.0 %).");
    severity_destroy(run);
}
END_TEST

static struct verdict verdict_of(const struct replay_report *replay)
{
    struct verdict verdict;
    ck_assert(verdict_find(&(struct report){.replay = replay}, NULL, &verdict));
    return verdict;
}

START_TEST(a_saving_is_said_with_its_interval)
{
    struct replay_report replay = report_case_make();
    struct verdict verdict = verdict_of(&replay);
    ck_assert_int_eq(verdict.kind, VERDICT_SAVING);
    ck_assert_str_eq(verdict.sentence, "The change saves 30.20 % of T (29.70 to 30.80 %): "
                                       "2.100 s instead of 3.010 s.");
    ck_assert(verdict.trustworthy);
    ck_assert_ptr_nonnull(strstr(verdict.trust, "5 replays each of the changed and of the"));
    ck_assert_ptr_nonnull(strstr(verdict.trust, "with 93.8 % confidence"));
    ck_assert_ptr_nonnull(strstr(verdict.trust, "Trustworthy: "));
    replay.warning_count = 1;
    verdict = verdict_of(&replay);
    ck_assert_ptr_null(strstr(verdict.trust, "Trustworthy"));
    ck_assert_ptr_nonnull(strstr(verdict.trust, "read the warning first"));

    replay.saving = (struct estimate){-0.1, -0.12, -0.08, 0.9375};
    replay.predicted = (struct estimate){3.3, 3.2, 3.4, 0.9375};
    verdict = verdict_of(&replay);
    ck_assert_int_eq(verdict.kind, VERDICT_LOSS);
    ck_assert_str_eq(verdict.sentence, "The change costs 10.00 % of T (8.00 to 12.00 %): "
                                       "3.300 s instead of 3.010 s.");
    comparison_destroy(&replay.comparison);
}
END_TEST

START_TEST(chance_and_lost_cores_are_said)
{
    struct replay_report replay = report_case_make();
    replay.significant = false;
    replay.saving = (struct estimate){0.002, -0.01, 0.02, 0.9375};
    replay.trustworthy = false;
    replay.untrustworthy_reason = "30 % of the time was lost";
    struct verdict verdict = verdict_of(&replay);
    ck_assert_int_eq(verdict.kind, VERDICT_NOTHING);
    ck_assert_ptr_nonnull(strstr(verdict.sentence, "no significant effect: the saving is 0.20 %"));
    ck_assert(!verdict.trustworthy);
    ck_assert_ptr_nonnull(strstr(verdict.trust, "Not trustworthy: 30 % of the time was lost."));

    /* A computed saving is significant without an interval. */
    replay.computed = true;
    replay.engine = "model";
    verdict = verdict_of(&replay);
    ck_assert_int_eq(verdict.kind, VERDICT_SAVING);
    ck_assert_ptr_null(strstr(verdict.sentence, " to "));
    ck_assert_ptr_nonnull(strstr(verdict.trust, "Computed by the model engine"));

    replay.identity = true;
    verdict = verdict_of(&replay);
    ck_assert_int_eq(verdict.kind, VERDICT_STATE);
    ck_assert_str_eq(verdict.sentence,
                     "Replayed unchanged, the program takes 2.100 s, 0.33 % from the recorded "
                     "3.000 s.");
    comparison_destroy(&replay.comparison);
}
END_TEST

START_TEST(one_run_and_two_runs_have_a_sentence)
{
    struct severity *before = report_case_before(), *after = report_case_after();
    struct comparison comparison;
    struct verdict verdict;
    struct error error;
    ck_assert(verdict_find(&(struct report){.run = before}, NULL, &verdict));
    ck_assert_int_eq(verdict.kind, VERDICT_STATE);
    ck_assert_str_eq(verdict.sentence,
                     "T is 3.000 s. The ranks spend 66.7 % of their time in computation, 0.0 % in "
                     "MPI and 33.3 % waiting, most of it Wait at N x N (33.3 %).");
    ck_assert_int_eq(comparison_create(before, after, &comparison, &error), STATUS_OK);
    ck_assert(
        verdict_find(&(struct report){.before = before, .after = after}, &comparison, &verdict));
    ck_assert_int_eq(verdict.kind, VERDICT_SAVING);
    ck_assert_str_eq(verdict.sentence,
                     "The second run takes 30.00 % less time: 2.100 s after 3.000 s.");
    comparison_destroy(&comparison);
    severity_destroy(before);
    severity_destroy(after);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pages");
    TCase *cases = tcase_create("pages");
    tcase_add_test(cases, base64_is_that_of_the_standard);
    tcase_add_test(cases, numbers_take_a_byte_for_seven_bits);
    tcase_add_test(cases, packed_bytes_come_back);
    tcase_add_test(cases, shares_add_up_to_the_time);
    tcase_add_test(cases, threads_wait_outside_of_mpi);
    tcase_add_test(cases, a_saving_is_said_with_its_interval);
    tcase_add_test(cases, chance_and_lost_cores_are_said);
    tcase_add_test(cases, one_run_and_two_runs_have_a_sentence);
    suite_add_tcase(suite, cases);
    return check_tap(suite);
}
