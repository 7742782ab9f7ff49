/* What the cases do not cover: the template, which is in no list; sets of numbers; lists of names;
 * a trace whose matching is broken. One process. */
#include "built_trace.h"

#include "base/log.h"
#include "base/mpi/handles.h"
#include "tests/check_tap.h"
#include "trace/match/match.h"
#include "transform/kinds.h"
#include "transform/pace.h"
#include "base/names.h"

#include <silas/plugin.h>
#include <stdio.h>
#include <string.h>

static struct processes processes;

static struct ini *parse(const char *text)
{
    struct ini *ini;
    struct error error;
    if (ini_parse_text("what-if.ini", text, strlen(text), &ini, &error) != STATUS_OK)
        ck_abort_msg("%s", error.text);
    return ini;
}

/* Applies one hypothesis of a kind to a copy of the trace. */
static enum status apply(const struct hypothesis_kind *kind, const struct ini *ini,
                         const struct trace *trace, struct trace **changed, struct error *error)
{
    struct hypothesis hypothesis;
    enum status status = hypothesis_read(kind, &ini->sections[0], &hypothesis, error);
    if (status == STATUS_OK)
        status = hypotheses_apply(&hypothesis, 1, trace, changed, NULL, error);
    hypothesis_clear(&hypothesis);
    return status;
}

START_TEST(template_makes_visits_longer)
{
    const char *ranks[] = {"0:+main 1:+foo 2:+foo 3:-foo 4:-foo 5:+foo 6:-foo 7:-main"};
    const char *carried[] = {NULL};
    struct trace *trace = built_trace(&processes, ranks, carried, 1), *changed;
    struct ini *ini = parse("[template x]\nregion = foo\nextra = 10us\n");
    struct error error;
    ck_assert_int_eq(trace_match(trace, &error), STATUS_OK);
    ck_assert_int_eq(apply(silas_plugin.hypotheses[0], ini, trace, &changed, &error), STATUS_OK);
    char *text = built_trace_text(changed, &changed->streams[0]);
    ck_assert_str_eq(text, "0:+main 1:+foo 2:+foo 3:-foo 14:-foo 15:+foo 26:-foo 27:-main");
    free(text);
    trace_destroy(changed);
    trace_destroy(trace);
    ini_destroy(ini);
    for (size_t i = 0; hypothesis_list()[i]; i++)
        ck_assert_ptr_ne(hypothesis_list()[i], silas_plugin.hypotheses[0]);
}
END_TEST

/* Lengths of all sizes: each changed sum is that of factor_ticks, to the tick. */
static void check_paced_lengths(struct exact_factor factor)
{
    ck_assert(paced_lengths_take(factor));
    struct paced_lengths paced = paced_lengths_begin(factor);
    uint64_t measured = 0, given = 0, random = 1;
    for (int i = 0; i < 2000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t length = random >> (21 + random % 43);
        if (factor_ticks(factor, measured + length) > PACE_TICKS_MOST)
            continue;
        measured += length;
        given += paced_lengths_next(&paced, length);
        ck_assert_uint_eq(given, factor_ticks(factor, measured));
    }
    ck_assert_uint_gt(measured, (uint64_t)1 << 32);
}

START_TEST(paced_lengths_are_exact)
{
    const double factors[] = {0,   1e-12, 1e-6, 0.1,  0.3, 1 / 3.0, 0.5,
                              0.7, 1,     1.01, 1.29, 2,   1000,    1e6};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        check_paced_lengths(factor_of(factors[i]));
        if (factors[i] >= 1e-6)
            check_paced_lengths(factor_inverse(factors[i]));
    }
    ck_assert(!paced_lengths_take(factor_of(1e-14)));
    ck_assert(!paced_lengths_take(factor_of(1e7)));
}
END_TEST

START_TEST(template_refuses)
{
    struct error error;
    struct trace *changed;
    struct ini *ini = parse("[template x]\nregion = foo\n");
    ck_assert_int_eq(apply(silas_plugin.hypotheses[0], ini, NULL, &changed, &error), STATUS_INPUT);
    ck_assert_str_eq(error.text, "what-if.ini:1: [template x]: \"extra\" is missing");
    ini_destroy(ini);
    ini = parse("[template x]\nextra = 1\n");
    ck_assert_int_eq(apply(silas_plugin.hypotheses[0], ini, NULL, &changed, &error), STATUS_INPUT);
    ini_destroy(ini);
}
END_TEST

START_TEST(cut_names_both_events_of_a_dangling_end)
{
    const char *ranks[] = {"0:+main 1:+MPI_Send 2:S1,7,4 3:-MPI_Send 4:-main",
                           "0:+main 1:+MPI_Recv 2:R0,7,4 3:-MPI_Recv 4:-main"};
    const char *carried[] = {NULL, NULL};
    struct trace *trace = built_trace(&processes, ranks, carried, 2), *changed;
    struct ini *ini = parse("[cut x]\ntag = 7\n");
    struct error error;
    ck_assert_int_eq(trace_match(trace, &error), STATUS_OK);
    trace->streams[1].messages[0].partner = 5;
    ck_assert_int_eq(apply(&hypothesis_cut, ini, trace, &changed, &error), STATUS_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "rank 0, event 2"));
    ck_assert_ptr_nonnull(strstr(error.text, "rank 1, event 2 (MpiRecv)"));
    ck_assert_ptr_nonnull(strstr(error.text, "main/MPI_Recv"));
    trace_destroy(trace);
    ini_destroy(ini);
}
END_TEST

START_TEST(identity_shares_what_it_does_not_change)
{
    const char *ranks[] = {"0:+main 4:-main"}, *carried[] = {NULL};
    struct trace *trace = built_trace(&processes, ranks, carried, 1), *changed;
    struct error error;
    ck_assert_int_eq(hypotheses_apply(NULL, 0, trace, &changed, NULL, &error), STATUS_OK);
    ck_assert_ptr_eq(changed->streams[0].kind, trace->streams[0].kind);
    ck_assert_ptr_ne(changed->streams[0].time, trace->streams[0].time);
    trace_destroy(changed);
    trace_destroy(trace);
}
END_TEST

/* One hypothesis is applied to several recordings: each has its counts. */
START_TEST(counts_belong_to_the_application)
{
    const char *send = "0:+main 1:+MPI_Send 2:S1,7,4 3:-MPI_Send 4:-main";
    const char *recv = "0:+main 1:+MPI_Recv 2:R0,7,4 3:-MPI_Recv 4:-main";
    const char *sends = "0:+main 1:+MPI_Send 2:S1,7,4 3:-MPI_Send 4:+MPI_Send 5:S1,8,4 6:-MPI_Send "
                        "7:+MPI_Send 8:S1,7,4 9:-MPI_Send 10:-main";
    const char *recvs = "0:+main 1:+MPI_Recv 2:R0,7,4 3:-MPI_Recv 4:+MPI_Recv 5:R0,8,4 6:-MPI_Recv "
                        "7:+MPI_Recv 8:R0,7,4 9:-MPI_Recv 10:-main";
    static const char *const configs[] = {"[cut]\ntag = 7\n", "[resize]\ntag = 7\nbytes = 9\n"};
    static const char *const said[][3] = {
        {"cut: tag 7", "cut: tag 7 (1 of 1 messages)", "cut: tag 7 (2 of 3 messages)"},
        {"resize: tag 7, bytes 9", "resize: tag 7, bytes 9 (1 of 1 messages)",
         "resize: tag 7, bytes 9 (2 of 3 messages)"},
    };
    const char *ranks[][2] = {{send, recv}, {sends, recvs}}, *carried[] = {NULL, NULL};
    for (int c = 0; c < 2; c++) {
        struct ini *ini = parse(configs[c]);
        struct hypothesis *hypothesis;
        struct hypothesis_outcome outcomes[2];
        struct error error;
        size_t count;
        char text[100];
        ck_assert_int_eq(hypotheses_parse(ini, &hypothesis, &count, &error), STATUS_OK);
        for (int t = 0; t < 2; t++) {
            struct trace *trace = built_trace(&processes, ranks[t], carried, 2), *changed;
            ck_assert_int_eq(trace_match(trace, &error), STATUS_OK);
            ck_assert_int_eq(
                hypotheses_apply(hypothesis, count, trace, &changed, &outcomes[t], &error),
                STATUS_OK);
            trace_destroy(changed);
            trace_destroy(trace);
        }
        hypothesis_describe(hypothesis, NULL, text, sizeof text);
        ck_assert_str_eq(text, said[c][0]);
        for (int t = 0; t < 2; t++) {
            hypothesis_describe(hypothesis, &outcomes[t], text, sizeof text);
            ck_assert_str_eq(text, said[c][1 + t]);
        }
        hypothesis_describe(hypothesis, &outcomes[1], text, 25); /* the counts always fit */
        ck_assert_str_eq(text, c ? "resize (2 of 3 messages)" : "cut: t (2 of 3 messages)");
        hypotheses_destroy(hypothesis, count);
        ini_destroy(ini);
    }
}
END_TEST

/* A set of numbers, numbers in it and numbers not in it. */
static const struct {
    const char *set;
    uint64_t in[4], out[4];
} sets[] = {
    {"0", {0, 0, 0, 0}, {1, 2, 3, UINT64_MAX}},
    {"0..1024", {0, 1, 1023, 1024}, {1025, 2000, 5000, UINT64_MAX}},
    {"16 .. 1k", {16, 17, 1023, 1024}, {0, 1, 15, 1025}},
    {">64k", {65537, 1 << 20, 1 << 30, UINT64_MAX}, {0, 1, 65535, 65536}},
    {">= 64k", {65536, 65537, 1 << 30, UINT64_MAX}, {0, 1, 65534, 65535}},
    {"<2", {0, 1, 1, 0}, {2, 3, 4, UINT64_MAX}},
    {"<=2", {0, 1, 2, 0}, {3, 4, 5, UINT64_MAX}},
    {"1, 3,5..6 , >1G", {1, 3, 6, (1 << 30) + 1}, {0, 2, 4, 1 << 30}},
};

START_TEST(sets_of_numbers)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char text[100];
        snprintf(text, sizeof text, "[cut x]\nsize = %s\n", sets[i].set);
        struct ini *ini = parse(text);
        const struct ini_section *section = &ini->sections[0];
        struct ranges ranges = {0};
        struct error error;
        ck_assert_int_eq(ranges_read(section, "size", &ranges, &error), STATUS_OK);
        for (int j = 0; j < 4; j++) {
            ck_assert_msg(ranges_contain(&ranges, sets[i].in[j]), "%s, %d", sets[i].set, j);
            ck_assert_msg(!ranges_contain(&ranges, sets[i].out[j]), "%s, %d", sets[i].set, j);
        }
        ranges_clear(&ranges);
        ck_assert_int_eq(ranges_read(section, "tag", &ranges, &error), STATUS_OK);
        ck_assert(ranges_contain(&ranges, 12345)); /* an absent key holds for all */
        ini_destroy(ini);
    }
}
END_TEST

START_TEST(no_sets_of_numbers)
{
    static const char *const bad[] = {"-1",
                                      "1..",
                                      "..1",
                                      "a",
                                      "1 2",
                                      "<0",
                                      "2..1",
                                      "1,,2",
                                      "=5",
                                      ">",
                                      "1.5",
                                      "1x",
                                      ">18446744073709551615",
                                      "> -1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[100];
        snprintf(text, sizeof text, "[cut x]\n\nsize = %s\n", bad[i]);
        struct ini *ini = parse(text);
        const struct ini_section *section = &ini->sections[0];
        struct ranges ranges = {0};
        struct error error;
        ck_assert_msg(ranges_read(section, "size", &ranges, &error) == STATUS_INPUT, "%s", bad[i]);
        ck_assert_ptr_nonnull(strstr(error.text, "what-if.ini:3: [cut x]: size: "));
        ini_destroy(ini);
    }
}
END_TEST

START_TEST(lists_of_names)
{
    static const char *const expected[] = {"f(int, long)", "std::map<a, b>::at", "g", ""};
    const char *list = " f(int, long) , std::map<a, b>::at,g,";
    bool out_of_memory;
    char *item;
    size_t i = 0;
    while ((item = names_next(&list, &out_of_memory))) {
        ck_assert_str_eq(item, expected[i++]);
        free(item);
    }
    ck_assert_uint_eq(i, 4);
    ck_assert(!out_of_memory);
}
END_TEST

START_TEST(names_and_patterns)
{
    ck_assert(name_matches("foo", "foo"));
    ck_assert(!name_matches("foo", "foobar"));
    ck_assert(name_matches("foo*", "foobar"));
    ck_assert(name_matches("f?o", "foo"));
    ck_assert(name_matches("operator[]", "operator[]"));
    ck_assert(name_matches("main/*/foo", "main/a/b/foo"));
    ck_assert(name_matches("*a\\/b", "x/a\\/b"));
    ck_assert(!name_matches("Foo", "foo"));
    bool out_of_memory = false;
    ck_assert(names_match("bar, f*", "foo", &out_of_memory));
    ck_assert(!names_match("bar, foobar", "foo", &out_of_memory));
    ck_assert(!out_of_memory);
}
END_TEST

int main(int argc, char **argv)
{
    struct error error;
    MPI_Init(&argc, &argv);
    log_open("test_transform", false);
    if (processes_open(&processes, MPI_COMM_SELF, &error) != STATUS_OK)
        return log_error(&error);
    Suite *suite = suite_create("transform");
    TCase *tests = tcase_create("transform");
    tcase_add_test(tests, template_makes_visits_longer);
    tcase_add_test(tests, paced_lengths_are_exact);
    tcase_add_test(tests, template_refuses);
    tcase_add_test(tests, cut_names_both_events_of_a_dangling_end);
    tcase_add_test(tests, identity_shares_what_it_does_not_change);
    tcase_add_test(tests, counts_belong_to_the_application);
    tcase_add_test(tests, sets_of_numbers);
    tcase_add_test(tests, no_sets_of_numbers);
    tcase_add_test(tests, lists_of_names);
    tcase_add_test(tests, names_and_patterns);
    suite_add_tcase(suite, tests);
    int code = check_tap(suite);
    processes_close(&processes);
    MPI_Finalize();
    return code;
}
