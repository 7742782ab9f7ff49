/* Calibration finds the parameters of a known machine from the times that it would give, even if
 * some of the times are disturbed. A machine file that is written and read again has the same
 * parameters. */
#include "replay/calibrate/doubts.h"
#include "replay/calibrate/parameters.h"
#include "replay/costs/transfer.h"
#include "tests/check_tap.h"

#include <string.h>
#include <unistd.h>

static const struct loggps known = {.known = true,
                                    .latency = 900e-9,
                                    .send_overhead = 300e-9,
                                    .send_per_byte = 0.05e-9,
                                    .receive_overhead = 200e-9,
                                    .receive_per_byte = 0.1e-9,
                                    .gap = 400e-9,
                                    .per_byte = 0.4e-9,
                                    .synchronous_overhead = 3e-6,
                                    .synchronous_per_byte = 0.6e-9};

static void sweep_known(struct size_sweep *sweep)
{
    memset(sweep, 0, sizeof *sweep);
    sweep->asynchronous = 15; /* 0, 1, 2, 4, ... 8192 */
    sweep->count = 20;
    for (int i = 0; i < sweep->count; i++) {
        double k = i == 0 ? 0 : (double)(1 << (i - 1)), behind_first = k > 0 ? k - 1 : 0;
        sweep->bytes[i] = (uint64_t)k;
        sweep->send[i] = 300e-9 + k * 0.05e-9;
        sweep->receive[i] = 200e-9 + k * 0.1e-9;
        sweep->gap[i] = 400e-9 + k * 0.4e-9;
        sweep->half[i] = i < sweep->asynchronous
                             ? sweep->send[i] + 900e-9 + behind_first * 0.4e-9 + sweep->receive[i]
                             : 300e-9 + 900e-9 + 3e-6 + k * 0.6e-9;
    }
}

static void assert_known(struct loggps found, double tolerance)
{
    struct loggps expected = known;
    for (int p = 0; p < LOGGPS_PARAMETERS; p++) {
        double value = *loggps_at(&found, p), right = *loggps_at(&expected, p);
        ck_assert_msg(value >= right * (1 - tolerance) && value <= right * (1 + tolerance),
                      "%s: %g instead of %g", loggps_parameters[p].key, value, right);
    }
}

START_TEST(parameters_are_found)
{
    struct size_sweep sweep;
    sweep_known(&sweep);
    struct loggps found = sweep_parameters(&sweep);
    assert_known(found, 1e-6);
    ck_assert_double_lt(parameters_misfit(&found, &sweep), 1e-6);
    ck_assert_double_eq_tol(predicted_half(&found, 1024, false), sweep.half[11], 1e-12);
    ck_assert_double_eq_tol(predicted_half(&found, 16384, true), sweep.half[15], 1e-12);
}
END_TEST

START_TEST(disturbed_sizes_do_not_matter)
{
    struct size_sweep sweep;
    sweep_known(&sweep);
    sweep.half[3] *= 20;
    sweep.half[17] *= 20;
    sweep.send[5] *= 30;
    sweep.receive[9] *= 30;
    sweep.gap[7] *= 10;
    assert_known(sweep_parameters(&sweep), 1e-6);
}
END_TEST

START_TEST(lines_do_not_fall)
{
    struct weighted_point falling[] = {{0, 10, 1}, {1, 9, 1}, {2, 8, 1}, {3, 7, 1}, {4, 6, 1}};
    struct fitted_line line = line_fit(falling, 5);
    ck_assert_double_eq(line.slope, 0);
    ck_assert_double_eq(line.at_zero, 8);
    struct weighted_point below[] = {{1, -1, 1}, {2, 1, 1}, {3, 3, 1}};
    line = line_fit(below, 3);
    ck_assert_double_eq(line.at_zero, 0);
    ck_assert_double_gt(line.slope, 0);
    line = line_fit(NULL, 0);
    ck_assert_double_eq(line.at_zero + line.slope, 0);
}
END_TEST

START_TEST(machine_files_hold_what_was_printed)
{
    char path[] = "calibrate-XXXXXX";
    struct machine written = {0}, read;
    struct error error;
    written.distances[DISTANCE_SOCKET] = known;
    written.distances[DISTANCE_SOCKET].synchronous_from = 8193;
    FILE *file = fdopen(mkstemp(path), "w");
    machine_print_distance(&written, DISTANCE_SOCKET, file);
    fprintf(file, "confidence = good\n");
    fclose(file);
    enum status status = machine_load_known(path, &read, &error);
    ck_assert_msg(status == STATUS_OK, "%s", error.text);
    ck_assert_uint_eq(read.distances[DISTANCE_SOCKET].synchronous_from, 8193);
    ck_assert_uint_eq(machine_synchronous_from(&read), 8193);
    assert_known(read.distances[DISTANCE_SOCKET], 1e-4);
    ck_assert(read.distances[DISTANCE_SOCKET].known);
    ck_assert(!read.distances[DISTANCE_NODE].known);
    ck_assert_int_eq(machine_load(path, &read, &error), STATUS_OK);
    assert_known(read.distances[DISTANCE_NETWORK], 1e-4);
    unlink(path);
}
END_TEST

START_TEST(a_distance_has_its_own_limit_or_the_machines)
{
    char path[] = "calibrate-XXXXXX";
    struct machine read;
    struct error error;
    FILE *file = fdopen(mkstemp(path), "w");
    fprintf(file, "[distance node]\nlatency = 1 us\nsynchronous_from = 64k\n"
                  "[distance cache]\nsynchronous_from = never\n[distance network]\n"
                  "[machine]\nsynchronous_from = 1k\n");
    fclose(file);
    enum status status = machine_load(path, &read, &error);
    ck_assert_msg(status == STATUS_OK, "%s", error.text);
    ck_assert_uint_eq(read.distances[DISTANCE_NODE].synchronous_from, 65536);
    ck_assert_uint_eq(read.distances[DISTANCE_NETWORK].synchronous_from, 1024);
    ck_assert_uint_eq(read.distances[DISTANCE_CACHE].synchronous_from, UINT64_MAX);
    ck_assert_uint_eq(read.distances[DISTANCE_SOCKET].synchronous_from, UINT64_MAX);
    unlink(path);
}
END_TEST

START_TEST(synchronous_messages_cost_what_was_measured)
{
    struct loggps loggps = known;
    ck_assert_double_eq_tol(transfer_receive_cost(&loggps, 1000, true), 3e-6 + 1000 * 0.6e-9,
                            1e-15);
    loggps.synchronous_overhead = loggps.synchronous_per_byte = 0;
    /* o_r(k) of the receiver, the answer o + L, the data o_s(k) + L + (k - 1) G */
    ck_assert_double_eq_tol(transfer_receive_cost(&loggps, 1000, true),
                            (200 + 100 + 200 + 900 + 300 + 50 + 900 + 999 * 0.4) * 1e-9, 1e-15);
}
END_TEST

static struct calibration plausible(void)
{
    struct calibration calibration = {.rounds = 9};
    calibration.machine.distances[DISTANCE_CACHE].known = true;
    calibration.core_share[DISTANCE_CACHE] = 0.99;
    for (int p = 0; p < LOGGPS_PARAMETERS; p++)
        calibration.estimates[DISTANCE_CACHE][p] = (struct estimate){200e-9, 190e-9, 210e-9, 0.96};
    return calibration;
}

START_TEST(implausible_figures_are_doubted)
{
    char doubts[DOUBTS_MAX][DOUBT_SIZE];
    struct calibration calibration = plausible();
    ck_assert_int_eq(calibration_doubts(&calibration, DISTANCE_CACHE, doubts), 0);

    struct estimate *latency = &calibration.estimates[DISTANCE_CACHE][0];
    *latency = (struct estimate){0, 0, 30e-9, 0.96};
    ck_assert_int_eq(calibration_doubts(&calibration, DISTANCE_CACHE, doubts), 1);
    ck_assert_ptr_nonnull(strstr(doubts[0], "latency could not be measured"));
    *latency = (struct estimate){10e-9, 0, 30e-9, 0.96};
    ck_assert_int_eq(calibration_doubts(&calibration, DISTANCE_CACHE, doubts), 1);
    ck_assert_ptr_nonnull(strstr(doubts[0], "latency is uncertain: its interval, 0 .. 30 ns"));

    calibration = plausible();
    calibration.core_share[DISTANCE_CACHE] = 0.62;
    ck_assert_int_eq(calibration_doubts(&calibration, DISTANCE_CACHE, doubts), 1);
    ck_assert_ptr_nonnull(strstr(doubts[0], "only 62 % of the time"));

    /* All at once; the comments of a machine file end at a line's end. */
    calibration.estimates[DISTANCE_CACHE][1].high = 400e-9;
    for (int p = 0; p < LOGGPS_PARAMETERS; p++)
        calibration.estimates[DISTANCE_CACHE][p].median =
            calibration.estimates[DISTANCE_CACHE][p].low = 0;
    int count = calibration_doubts(&calibration, DISTANCE_CACHE, doubts);
    ck_assert_int_eq(count, 6);
    for (int i = 0; i < count; i++) {
        ck_assert_uint_lt(strlen(doubts[i]), DOUBT_SIZE - 1);
        ck_assert_ptr_null(strpbrk(doubts[i], ";\n"));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("calibration");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, parameters_are_found);
    tcase_add_test(tests, implausible_figures_are_doubted);
    tcase_add_test(tests, disturbed_sizes_do_not_matter);
    tcase_add_test(tests, lines_do_not_fall);
    tcase_add_test(tests, machine_files_hold_what_was_printed);
    tcase_add_test(tests, a_distance_has_its_own_limit_or_the_machines);
    tcase_add_test(tests, synchronous_messages_cost_what_was_measured);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
