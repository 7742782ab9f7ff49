/* Configurations that are copied, set key by key, and written as text that reads the same. */
#include "base/ini.h"

#include "tests/check_tap.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ini *ini;
static struct error error;

static struct ini *parse(const char *group, const char *text)
{
    struct ini *parsed = NULL;
    enum status status =
        ini_parse_groups("dir/file.ini", text, strlen(text), group, &parsed, &error);
    ck_assert_msg(status == STATUS_OK, "%s", error.text);
    return parsed;
}

static void set_text(const char *text)
{
    ini = parse(NULL, text);
}

static void clear(void)
{
    ini_destroy(ini);
    ini = NULL;
}

/* The text after one --set; `set` NULL: none. */
static void check_text(const char *set, const char *expected)
{
    if (set)
        ck_assert_msg(ini_set(ini, set, &error) == STATUS_OK, "%s", error.text);
    char *text = ini_text(ini);
    ck_assert_str_eq(text, expected);
    free(text);
}

static void check_refused(const char *set, const char *part)
{
    ck_assert_int_eq(ini_set(ini, set, &error), STATUS_USAGE);
    ck_assert_msg(strstr(error.text, part), "%s", error.text);
}

START_TEST(sets_a_key)
{
    set_text("[scale kernel]\nfactor = 1\n[replay]\nrepeat = 3\n");
    check_text("scale kernel.factor=0.5", "[scale kernel]\nfactor = 0.5\n\n[replay]\nrepeat = 3\n");
    check_text(" scale  kernel . factor =  0.25 ",
               "[scale kernel]\nfactor = 0.25\n\n[replay]\nrepeat = 3\n");
    check_text("replay.repeat=", "[scale kernel]\nfactor = 0.25\n\n[replay]\nrepeat = \n");
    ck_assert_int_eq(ini_line_of(ini_find_section(ini, "replay"), "repeat"), INI_SET);
    ck_assert_int_eq(ini_find_section(ini, "replay")->line, 3);
    section_error(&error, ini_find_section(ini, "replay"), "repeat", "wrong");
    ck_assert_str_eq(error.text, "dir/file.ini, --set: [replay]: wrong");
    clear();
}
END_TEST

START_TEST(adds_keys_and_sections)
{
    set_text("[trace]\npath = a\n");
    check_text("trace.correct_clocks=yes", "[trace]\npath = a\ncorrect_clocks = yes\n");
    check_text("scale foo.c:1.factor=2",
               "[trace]\npath = a\ncorrect_clocks = yes\n\n[scale foo.c:1]\nfactor = 2\n");
    clear();
    set_text("");
    check_text("trace.path=../a=b.c", "[trace]\npath = ../a=b.c\n");
    clear();
}
END_TEST

START_TEST(a_kind_means_its_only_section)
{
    set_text("[scale a b]\n[cut x]\n[cut y]\n[cpu]\n[cpu old]\n");
    check_text("scale.factor=2",
               "[scale a b]\nfactor = 2\n\n[cut x]\n\n[cut y]\n\n[cpu]\n\n[cpu old]\n");
    check_text("cpu.speed=2",
               "[scale a b]\nfactor = 2\n\n[cut x]\n\n[cut y]\n\n[cpu]\nspeed = 2\n\n[cpu old]\n");
    check_refused("cut.size=0", "2 sections of dir/file.ini may be meant");
    clear();
}
END_TEST

START_TEST(points_and_equals_signs_in_labels)
{
    set_text("[scale x=1.k=2]\n[scale x]\n");
    check_text("scale x=1.k=2.factor=3", "[scale x=1.k=2]\nfactor = 3\n\n[scale x]\n");
    clear();
    set_text("[scale x]\n[scale x.region=a]\n");
    check_refused("scale x.region=a.b=c", "2 sections");
    clear();
}
END_TEST

START_TEST(malformed_settings)
{
    set_text("[replay]\n");
    check_refused("replay.repeat", "\"=\" is missing");
    check_refused("repeat=3", "section and key before the");
    check_refused(".repeat=3", "section and key before the");
    check_refused("replay.=3", "section and key before the");
    check_refused("re[play.repeat=3", "section and key before the");
    check_refused("scale a].factor=3", "section and key before the");
    check_refused("replay.re;peat=3", "section and key before the");
    check_refused("=", "section and key before the");
    check_refused("", "\"=\" is missing");
    check_refused("replay.repeat=3\n[x]", "one line");
    check_text(NULL, "[replay]\n");
    clear();
}
END_TEST

/* Names of C++ templates have any length. */
START_TEST(long_settings)
{
    enum { VALUE = 4088, LABEL = 300 };
    char value[VALUE + 20] = "replay.repeat=", label[LABEL + 20] = "scale ";
    memset(value + strlen(value), 'x', VALUE);
    memset(label + strlen(label), 'l', LABEL);
    strcat(label, ".factor=1");
    set_text("[replay]\n");
    ck_assert_int_eq(ini_set(ini, value, &error), STATUS_OK);
    ck_assert_int_eq(ini_set(ini, label, &error), STATUS_OK);
    size_t lengths = 0;
    for (size_t i = 0; i < ini->section_count; i++) {
        const struct ini_section *section = &ini->sections[i];
        lengths += strcmp(section->kind, "scale") == 0 ? strlen(section->label)
                                                       : strlen(section->entries[0].value);
    }
    ck_assert_uint_eq(lengths, VALUE + LABEL);
    clear();
}
END_TEST

START_TEST(semicolons)
{
    static const char *const values[] = {";",       "a ;b",     "a; b",   "a \\;b", "\\;",
                                         "a \\\\;", "\\\\; ;;", "a\t;b",  "# c",    "a # b",
                                         "x = [y]", "{a, ;}",   "\\a ;\\"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char set[100];
        set_text("[a]\n");
        snprintf(set, sizeof set, "a.key=%s", values[i]);
        ck_assert_int_eq(ini_set(ini, set, &error), STATUS_OK);
        char *text = ini_text(ini);
        struct ini *again = parse(NULL, text);
        ck_assert_str_eq(ini_value(&again->sections[0], "key"), values[i]);
        ini_destroy(again);
        free(text);
        clear();
    }
}
END_TEST

START_TEST(text_reads_the_same)
{
    set_text("; comment\n\n[trace]\n path :  a , b  ; comment\nempty =\n[scale  two words]\n"
             "factor=0.5\n");
    check_text(NULL, "[trace]\npath = a , b\nempty = \n\n[scale two words]\nfactor = 0.5\n");
    clear();
}
END_TEST

START_TEST(copies_are_independent)
{
    set_text("[trace]\npath = a\n[scale k]\nfactor = 1\n");
    struct ini *original = ini, *copy = NULL;
    ck_assert_int_eq(ini_copy(original, &copy, &error), STATUS_OK);
    ck_assert_int_eq(copy->sections[1].line, 3);
    ck_assert_int_eq(copy->sections[1].entries[0].line, 4);
    ck_assert_ptr_eq(copy->sections[1].ini, copy);
    ini = copy;
    check_text("scale k.factor=2", "[trace]\npath = a\n\n[scale k]\nfactor = 2\n");
    ini = original;
    check_text(NULL, "[trace]\npath = a\n\n[scale k]\nfactor = 1\n");
    ini_destroy(original);
    ck_assert_str_eq(copy->path, "dir/file.ini");
    ck_assert_str_eq(ini_resolve(copy, "x", 1), "dir/x");
    ini_destroy(copy);
    ini = NULL;
}
END_TEST

START_TEST(groups)
{
    const char *text = "[cut]\n[group A]\n[cpu]\n[cpu x]\n[group B]\n[cpu]\n";
    ini = parse("group", text);
    check_text("trace.path=a", "[cut]\n\n[trace]\npath = a\n\n[group A]\n\n[cpu]\n\n[cpu x]\n\n"
                               "[group B]\n\n[cpu]\n");
    check_refused("cpu.speed=1", "2 sections");
    check_text("cpu x.speed=1",
               "[cut]\n\n[trace]\npath = a\n\n[group A]\n\n[cpu]\n\n[cpu x]\nspeed = 1\n\n"
               "[group B]\n\n[cpu]\n");
    clear();
}
END_TEST

START_TEST(groups_that_repeat_sections)
{
    static const char *const bad[] = {"[cpu]\n[group A]\n[cpu]\n", "[group A]\n[cpu]\n[cpu]\n",
                                      "[group A]\n[group B]\n[group A]\n",
                                      "[cut]\n[group A]\n[x]\n[group B]\n[cut]\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(ini_parse_groups("f", bad[i], strlen(bad[i]), "group", &ini, &error),
                         STATUS_INPUT);
        ck_assert_msg(strstr(error.text, "is already at line"), "%s", error.text);
    }
    ck_assert_int_eq(ini_parse_text("f", "[group]\n[x]\n[group a]\n[x]\n", 26, &ini, &error),
                     STATUS_INPUT);
}
END_TEST

START_TEST(adds_sections_of_options)
{
    struct ini_section *section;
    set_text("[trace]\npath = run\n");
    ck_assert_int_eq(ini_add_section(ini, "scale", "", "--scale \"a=2\"", &section, &error), 0);
    ck_assert_int_eq(ini_add_entry(ini, section, "factor=", 6, "2 or so", 1, &error), 0);
    check_text(NULL, "[trace]\npath = run\n\n[scale]\nfactor = 2\n");
    section_error(&error, section, "factor", "wrong");
    ck_assert_str_eq(error.text, "--scale \"a=2\": [scale]: wrong");
    ck_assert_int_eq(ini_add_entry(ini, section, "factor", 6, "3", 1, &error), STATUS_INPUT);
    ck_assert_str_eq(error.text, "--scale \"a=2\": factor is given twice");
    ck_assert_int_eq(ini_add_entry(ini, section, "mode", 4, "a\nb", 3, &error), STATUS_INPUT);
    ck_assert_int_eq(ini_add_section(ini, "scale", "", "--scale b", &section, &error),
                     STATUS_INPUT);
    ck_assert_str_eq(error.text, "--scale b: section [scale] exists already");
    struct ini *copy = NULL;
    ck_assert_int_eq(ini_copy(ini, &copy, &error), 0);
    clear();
    section_error(&error, ini_find_section(copy, "scale"), NULL, "of the copy");
    ck_assert_str_eq(error.text, "--scale \"a=2\": [scale]: of the copy");
    ini_destroy(copy);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ini_change");
    TCase *cases = tcase_create("changes");
    tcase_add_test(cases, sets_a_key);
    tcase_add_test(cases, adds_sections_of_options);
    tcase_add_test(cases, adds_keys_and_sections);
    tcase_add_test(cases, a_kind_means_its_only_section);
    tcase_add_test(cases, points_and_equals_signs_in_labels);
    tcase_add_test(cases, malformed_settings);
    tcase_add_test(cases, long_settings);
    tcase_add_test(cases, semicolons);
    tcase_add_test(cases, text_reads_the_same);
    tcase_add_test(cases, copies_are_independent);
    tcase_add_test(cases, groups);
    tcase_add_test(cases, groups_that_repeat_sections);
    suite_add_tcase(suite, cases);
    return check_tap(suite);
}
