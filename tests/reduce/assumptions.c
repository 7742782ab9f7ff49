/* Assumptions: their text form, the hypotheses that they cover, and messages about mistakes. */
#include "../check_tap.h"

#include "reduce/assumptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "kind: text" read and printed again; or the message of the failure. */
static char *round_trip(const char *const *texts, size_t count)
{
    struct assumptions assumptions = {0};
    struct error error = {.status = STATUS_OK};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = assumptions_add(&assumptions, &assumable_hypotheses, texts[i], &error);
    char *text = status == STATUS_OK ? assumptions_text(&assumptions) : strdup(error.text);
    assumptions_clear(&assumptions);
    return text;
}

static void check_round_trip(const char *text, const char *expected)
{
    char *printed = round_trip(&text, 1);
    ck_assert_str_eq(printed, expected);
    free(printed);
}

START_TEST(texts_are_read_and_printed)
{
    check_round_trip("waits", "waits at_least=0");
    check_round_trip("waits at_least=1ms", "waits at_least=0.001");
    check_round_trip(" scale  region=foo factor=2 ", "scale region=foo");
    check_round_trip("balance callpath=main/foo mode=instance", "balance callpath=main/foo");
    check_round_trip("cpu speed=2;cut size=0 region=b", "cpu; cut size=0 region=b");
    check_round_trip("scale region=\"f(int, \\\"x\\\")\"", "scale region=\"f(int, \\\"x\\\")\"");
    const char *const twice[] = {"scale region=a", "balance region=a", "waits at_least=2",
                                 "waits at_least=3", "waits at_least=1"};
    char *printed = round_trip(twice, 5);
    ck_assert_str_eq(printed, "scale region=a; waits at_least=2; waits at_least=1");
    free(printed);
}
END_TEST

START_TEST(mistakes_are_named)
{
    check_round_trip("scle region=foo",
                     "--assume \"scle region=foo\": \"scle\" is neither a kind of "
                     "assumption nor a file; did you mean \"scale\"?");
    check_round_trip(
        "scale regon=foo",
        "--assume \"scale regon=foo\": unknown key \"regon\"; did you mean \"region\"?");
    check_round_trip("scale", "--assume \"scale\": [scale]: \"region\" or \"callpath\" is missing");
    check_round_trip("waits at_least=x",
                     "--assume \"waits at_least=x\": at_least = \"x\": expected a "
                     "duration such as 20us (units: ns, us, ms, s, m, h)");
    check_round_trip("scale foo",
                     "--assume \"scale foo\": expected key=value instead of \"foo\"; put values "
                     "with blanks between double quotes");
    check_round_trip("scale region=a region=b",
                     "--assume \"scale region=a region=b\": key \"region\" is given twice");
    check_round_trip("scale region=\"a",
                     "--assume \"scale region=\"a\": the value of \"region\" is not closed by \"");
    check_round_trip(
        "cut", "--assume \"cut\": [cut]: a condition is missing: size, tag, region, callpath, "
               "sender, receiver, communicator or repeated; \"all = yes\" chooses every message");
    check_round_trip("",
                     "--assume: an assumption such as \"scale region=foo\" or a configuration is "
                     "missing");
}
END_TEST

START_TEST(configurations_are_read)
{
    char path[] = "/tmp/assumptions-XXXXXX";
    int file = mkstemp(path);
    const char text[] = "[trace]\npath = x\n[scale a]\nregion = foo, bar\nfactor = 0\n[waits]\n"
                        "at_least = 20us\n[network]\nlatency = 10\n";
    ck_assert_int_eq(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    check_round_trip(path, "scale region=\"foo, bar\"; waits at_least=2e-05; network latency=10");
    unlink(path);
}
END_TEST

/* Whether assumptions cover a section, given as "[kind]\nkey = value\n". */
static bool covers(const char *assumed, const char *section)
{
    struct assumptions assumptions = {0};
    struct error error;
    struct ini *ini;
    ck_assert_int_eq(assumptions_add(&assumptions, &assumable_hypotheses, assumed, &error),
                     STATUS_OK);
    ck_assert_int_eq(ini_parse_text("test", section, strlen(section), &ini, &error), STATUS_OK);
    bool covered = assumptions_cover(&assumptions, &ini->sections[0]);
    ini_destroy(ini);
    assumptions_clear(&assumptions);
    return covered;
}

START_TEST(what_is_covered)
{
    ck_assert(covers("scale region=a", "[scale x]\nregion = a\nfactor = 3\n"));
    ck_assert(covers("scale region=a", "[balance]\nregion = a\nmode = instance\n"));
    ck_assert(covers("scale region=\"a, b\"", "[scale]\nregion = a,b\nfactor = 3\n"));
    ck_assert(!covers("scale region=a", "[scale]\nregion = b\nfactor = 3\n"));
    ck_assert(!covers("scale region=a", "[scale]\nregion = a\ncallpath = m\nfactor = 3\n"));
    ck_assert(!covers("scale region=a callpath=m", "[scale]\nregion = a\nfactor = 3\n"));
    ck_assert(!covers("scale region=a", "[cut]\nregion = a\n"));
    ck_assert(!covers("waits", "[scale]\nregion = a\nfactor = 3\n"));
    ck_assert(covers("cpu", "[cpu]\nspeed = 2\nrank = 0\n"));
    ck_assert(covers("cpu rank=0", "[cpu]\nspeed = 2\nrank = 0\n"));
    ck_assert(!covers("cpu rank=0", "[cpu]\nspeed = 2\n"));
    ck_assert(!covers("cpu", "[scale]\nregion = a\nfactor = 3\n"));
    ck_assert(covers("cut size=0", "[cut]\nsize = 0\n"));
    ck_assert(!covers("cut size=0", "[cut]\nsize = 0\nregion = a\n"));
    ck_assert(covers("network latency=10", "[network]\nlatency = 10\n"));
    ck_assert(!covers("network latency=10", "[network]\nlatency = 9\n"));
}
END_TEST

/* The message about a hypothesis on a trace with the property. */
static void check_refusal(const char *assumed, const char *config, const char *expected)
{
    struct property property = {SILAS_PROPERTY_ASSUMED, assumed};
    struct definitions definitions = {.properties = &property, .property_count = assumed != NULL};
    char path[] = "small.otf2";
    const struct trace trace = {.path = path, .definitions = &definitions};
    struct error error = {.status = STATUS_OK};
    struct hypothesis *hypotheses;
    struct ini *ini;
    size_t count;
    ck_assert_int_eq(ini_parse_text("test", config, strlen(config), &ini, &error), STATUS_OK);
    ck_assert_int_eq(hypotheses_parse(ini, &hypotheses, &count, &error), STATUS_OK);
    enum status status = assumptions_check(&trace, hypotheses, count, &error);
    ck_assert_str_eq(status == STATUS_OK ? "" : error.text, expected);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
}

START_TEST(other_hypotheses_are_refused)
{
    const char config[] = "[scale a]\nregion = a\nfactor = 0\n[balance b]\nregion = b\n";
    check_refusal(NULL, config, "");
    check_refusal("scale region=a; scale region=b", config, "");
    check_refusal("waits at_least=0.1; scale region=a", config,
                  "small.otf2 was reduced for the assumptions \"waits at_least=0.1; scale "
                  "region=a\", which do not cover [balance b]: use the whole archive, or reduce "
                  "it again with --assume \"balance region=b\"");
    check_refusal("scale region=a", "[scale]\nregion = f(int, int)\nfactor = 0\n",
                  "small.otf2 was reduced for the assumptions \"scale region=a\", which do not "
                  "cover [scale]: use the whole archive, or reduce it again with --assume 'scale "
                  "region=\"f(int, int)\"'");
}
END_TEST

START_TEST(questions_are_refused)
{
    struct property property = {SILAS_PROPERTY_ASSUMED, "waits at_least=0.1"};
    struct definitions definitions = {.properties = &property, .property_count = 1};
    char path[] = "small.otf2";
    const struct trace trace = {.path = path, .definitions = &definitions};
    struct error error = {.status = STATUS_OK};
    ck_assert_int_eq(assumptions_check_waits(&trace, "x", 0.1, &error), STATUS_OK);
    ck_assert_int_eq(assumptions_check_request(&trace, "x", &error), STATUS_INPUT);
    ck_assert_str_eq(error.text, "small.otf2 was reduced for the assumptions \"waits "
                                 "at_least=0.1\", which do not cover x: use the whole archive");
    ck_assert_int_eq(assumptions_check_waits(&trace, "x", 0.01, &error), STATUS_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "again with --assume \"waits at_least=0.01\""));
    definitions.property_count = 0;
    ck_assert_int_eq(assumptions_check_request(&trace, "x", &error), STATUS_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("assumptions");
    TCase *cases = tcase_create("assumptions");
    suite_add_tcase(suite, cases);
    tcase_add_test(cases, texts_are_read_and_printed);
    tcase_add_test(cases, mistakes_are_named);
    tcase_add_test(cases, configurations_are_read);
    tcase_add_test(cases, what_is_covered);
    tcase_add_test(cases, other_hypotheses_are_refused);
    tcase_add_test(cases, questions_are_refused);
    return check_tap(suite);
}
