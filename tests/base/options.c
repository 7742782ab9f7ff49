/* Command lines: what the header promises. */
#include "base/options.h"

#include "base/log.h"
#include "tests/check_abort.h"
#include "tests/check_tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *output, *format;
static bool force, formatted, verbose;

static const struct option_spec options[] = {
    {'o', "output", "DIR", "where to write", &output, NULL},
    {0, "format", "NAME", "what to write", &format, &formatted},
    {'f', "force", NULL, "overwrite", NULL, &force},
    {'v', "verbose", NULL, "say more", NULL, &verbose},
    {0, NULL, NULL, NULL, NULL, NULL},
};

static struct option_spec none[] = {{0, NULL, NULL, NULL, NULL, NULL}};

static const struct program tool = {
    .name = "silas-tool",
    .summary = "Does something.",
    .usage = "silas-tool [options] TRACE...\nsilas-tool --list",
    .details = "And that is all.",
    .options = options,
    .least = 1,
    .most = 2,
};

/* The result and the exit code of one parse; its output of both streams is in `printed`. */
static char printed[4000];
static char *words[20];
static int exit_code;

/* Words of the command line after the program's name, separated by blanks. */
static int parse(const struct program *program, const char *line)
{
    static char text[500];
    int argc = 0, saved[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    snprintf(text, sizeof text, "silas-tool %s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[argc++] = word;
    words[argc] = NULL;
    output = format = NULL;
    force = formatted = verbose = false;
    FILE *file = tmpfile();
    fflush(NULL);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    int first = options_parse(program, argc, words, &exit_code);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(saved[i], i == 0 ? STDOUT_FILENO : STDERR_FILENO);
        close(saved[i]);
    }
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
    fclose(file);
    return first;
}

START_TEST(options_and_operands_may_be_mixed)
{
    int first = parse(&tool, "-f one --output=here two");
    ck_assert_int_eq(exit_code, STATUS_OK);
    ck_assert_str_eq(words[first], "one"); /* operands come last */
    ck_assert_str_eq(words[first + 1], "two");
    ck_assert_ptr_null(words[first + 2]);
    ck_assert_str_eq(output, "here");
    ck_assert(force && !verbose && !formatted);
    ck_assert_str_eq(printed, "");
}
END_TEST

START_TEST(arguments_come_in_all_ways_of_getopt)
{
    static const char *const lines[] = {"-o here x",         "-ohere x",     "--output here x",
                                        "--output=here x",   "--out here x", "-fo here x",
                                        "-o there -o here x"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ck_assert_int_gt(parse(&tool, lines[i]), 0);
        ck_assert_str_eq(output, "here");
    }
    ck_assert_int_gt(parse(&tool, "--format text -- -f"), 0);
    ck_assert_str_eq(format, "text");
    ck_assert(formatted); /* told apart from an absent one */
    ck_assert(!force);    /* an operand */
}
END_TEST

START_TEST(uses_keep_the_order_of_different_options)
{
    static const struct option_spec changes[] = {
        {0, "scale", "REGION", "faster", NULL, NULL},
        {0, "balance", "REGION", "even", NULL, NULL},
        {0, NULL, NULL, NULL, NULL, NULL},
    };
    struct option_uses uses = {.count = 0};
    struct program changer = tool;
    changer.options = changes;
    changer.uses = &uses;
    ck_assert_int_eq(parse(&changer, "--scale a=1 t --balance b --scale=c"), 6);
    ck_assert_uint_eq(uses.count, 3);
    ck_assert_str_eq(uses.items[0].name, "scale");
    ck_assert_str_eq(uses.items[0].value, "a=1");
    ck_assert_str_eq(uses.items[1].name, "balance");
    ck_assert_str_eq(uses.items[1].value, "b");
    ck_assert_str_eq(uses.items[2].value, "c");
    uses.count = sizeof uses.items / sizeof *uses.items;
    ck_assert_int_eq(parse(&changer, "--scale d t"), -1);
    ck_assert_ptr_nonnull(strstr(printed, "--scale is given too often"));
}
END_TEST

START_TEST(a_command_ends_the_options)
{
    struct program program = tool;
    program.command = true;
    program.most = -1;
    int first = parse(&program, "-f run -v -o x");
    ck_assert_str_eq(words[first], "run");
    ck_assert_str_eq(words[first + 1], "-v");
    ck_assert(force && !verbose && !output);
}
END_TEST

/* Command line and message. */
static const char *const errors[][2] = {
    {"", "silas-tool: an argument is missing: silas-tool [options] TRACE... (try: silas-tool "
         "--help)\n"},
    {"a b c",
     "silas-tool: too many arguments: silas-tool [options] TRACE... (try: silas-tool --help)\n"},
    {"-x a", "silas-tool: unknown option \"-x\" (try: silas-tool --help)\n"},
    {"-fx a", "silas-tool: unknown option \"-x\" (try: silas-tool --help)\n"},
    {"--outptu=x a",
     "silas-tool: unknown option \"--outptu\"; did you mean \"--output\"? (try: silas-tool "
     "--help)\n"},
    {"--qqqqqqqqq a", "silas-tool: unknown option \"--qqqqqqqqq\" (try: silas-tool --help)\n"},
    {"--force=yes a",
     "silas-tool: option \"--force\" takes no argument (try: silas-tool --help)\n"},
    {"a -o", "silas-tool: option \"--output\" needs an argument: DIR (try: silas-tool --help)\n"},
    {"a --format",
     "silas-tool: option \"--format\" needs an argument: NAME (try: silas-tool --help)\n"},
};

START_TEST(errors_say_what_is_wrong)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        ck_assert_int_eq(parse(&tool, errors[i][0]), -1);
        ck_assert_int_eq(exit_code, STATUS_USAGE);
        ck_assert_str_eq(printed, errors[i][1]);
    }
}
END_TEST

START_TEST(help_comes_from_the_table)
{
    static const char *const help =
        "Usage: silas-tool [options] TRACE...\n"
        "       silas-tool --list\n"
        "\nDoes something.\n\nOptions:\n"
        "  -o, --output=DIR           where to write\n"
        "      --format=NAME          what to write\n"
        "  -f, --force                overwrite\n"
        "  -v, --verbose              say more\n"
        "  -h, --help                 print this and exit\n"
        "  -V, --version              print the version and exit\n"
        "      --quiet                no progress and no notes; warnings "
        "and errors only\n"
        "      --progress             show progress, also if standard "
        "error is not a terminal\n"
        "\nAnd that is all.\n";
    static const char *const lines[] = {"-h", "--help", "--help a b c", "a -fh"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ck_assert_int_eq(parse(&tool, lines[i]), -1);
        ck_assert_int_eq(exit_code, STATUS_OK);
        ck_assert_str_eq(printed, help);
    }
    ck_assert_int_eq(parse(&tool, "-V"), -1);
    ck_assert_int_eq(exit_code, STATUS_OK);
    ck_assert_int_eq(strncmp(printed, "silas-tool (SILAS) ", 19), 0);
}
END_TEST

START_TEST(only_one_process_speaks)
{
    log_open("silas-tool", false);
    ck_assert_int_eq(parse(&tool, "--help"), -1);
    ck_assert_int_eq(exit_code, STATUS_OK);
    ck_assert_str_eq(printed, "");
    ck_assert_int_eq(parse(&tool, "-x"), -1);
    ck_assert_int_eq(exit_code, STATUS_USAGE);
    ck_assert_str_eq(printed, "");
    log_open("silas-tool", true);
}
END_TEST

static const char *tool_choices(const char *option)
{
    return !option ? "one two" : strcmp(option, "format") == 0 ? "json text" : NULL;
}

START_TEST(shells_can_list_the_options)
{
    struct program program = tool;
    char *line[] = {"silas-tool", "--list-options", NULL}, text[1000];
    program.choices = tool_choices;
    FILE *file = tmpfile();
    int saved = dup(STDOUT_FILENO);
    fflush(NULL);
    dup2(fileno(file), STDOUT_FILENO);
    bool listed = options_list(&program, 2, line), again = options_list(&program, 1, line);
    fflush(NULL);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    ck_assert(listed);
    ck_assert(!again);
    ck_assert_str_eq(
        text, "option\to\toutput\tDIR\t\twhere to write\n"
              "option\t\tformat\tNAME\tjson text\twhat to write\n"
              "option\tf\tforce\t\t\toverwrite\n"
              "option\tv\tverbose\t\t\tsay more\n"
              "option\th\thelp\t\t\tprint this and exit\n"
              "option\tV\tversion\t\t\tprint the version and exit\n"
              "option\t\tquiet\t\t\tno progress and no notes; warnings and errors only\n"
              "option\t\tprogress\t\t\tshow progress, also if standard error is not a terminal\n"
              "operand\tone two\n");
}
END_TEST

START_TEST(wrong_tables_abort)
{
    struct program program = tool;
    const struct option_spec bad[][2] = {
        {{'h', "huge", NULL, "takes help's letter", NULL, &force}, none[0]},
        {{0, "version", NULL, "takes version's name", NULL, &force}, none[0]},
        {{'x', "x", "ARG", "has an argument that is not stored", NULL, &force}, none[0]},
        {{'x', "x", NULL, "has no argument but a place for it", &output, NULL}, none[0]},
        {{'x', "x", NULL, "goes nowhere", NULL, NULL}, none[0]},
        {{'x', "x", NULL, NULL, NULL, &force}, none[0]}, /* does not say what for */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        program.options = bad[i];
        ck_assert_aborts(parse(&program, "a"));
    }
    program.options = none;
    ck_assert_int_eq(parse(&program, "a"), 1);
    program.least = 3;
    ck_assert_aborts(parse(&program, "a"));
}
END_TEST

int main(void)
{
    log_open("silas-tool", true);
    Suite *suite = suite_create("options");
    TCase *tests = tcase_create("options");
    tcase_add_test(tests, options_and_operands_may_be_mixed);
    tcase_add_test(tests, arguments_come_in_all_ways_of_getopt);
    tcase_add_test(tests, uses_keep_the_order_of_different_options);
    tcase_add_test(tests, a_command_ends_the_options);
    tcase_add_test(tests, errors_say_what_is_wrong);
    tcase_add_test(tests, help_comes_from_the_table);
    tcase_add_test(tests, only_one_process_speaks);
    tcase_add_test(tests, shells_can_list_the_options);
    tcase_add_test(tests, wrong_tables_abort);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
