#include "base/options.h"

#include "base/installation.h"
#include "base/log.h"
#include "base/names.h"
#include "base/progress.h"
#include "config.h"

#include <assert.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_MAX = 48, LONG_BASE = 256 }; /* the values of long options are above all letters */

enum common_option { COMMON_HELP, COMMON_VERSION, COMMON_QUIET, COMMON_PROGRESS };
static const struct option_spec common[] = {
    [COMMON_HELP] = {'h', "help", NULL, "print this and exit", NULL, NULL},
    [COMMON_VERSION] = {'V', "version", NULL, "print the version and exit", NULL, NULL},
    [COMMON_QUIET] = {0, "quiet", NULL, "no progress and no notes; warnings and errors only", NULL,
                      NULL},
    [COMMON_PROGRESS] = {0, "progress", NULL,
                         "show progress, also if standard error is not a terminal", NULL, NULL},
};
enum { COMMON_COUNT = sizeof common / sizeof *common };

/* The program's own options followed by the common ones. */
struct option_table {
    const struct option_spec *specs[OPTION_MAX];
    int count;
    char letters[2 + 2 * OPTION_MAX + 1];
    struct option longs[OPTION_MAX + 1];
};

/* True if no option of the table has the letter or the name. */
static bool is_new_option(const struct option_table *table, const struct option_spec *spec)
{
    for (int i = 0; i < table->count; i++)
        if ((spec->letter && spec->letter == table->specs[i]->letter) ||
            strcmp(spec->name, table->specs[i]->name) == 0)
            return false;
    return true;
}

static bool argument_is_optional(const struct option_spec *spec)
{
    return spec->argument && *spec->argument == '[';
}

static void add_option(struct option_table *table, const struct option_spec *spec, char **letters)
{
    assert(table->count < OPTION_MAX);
    assert(spec->help && is_new_option(table, spec));
    table->longs[table->count] = (struct option){spec->name,
                                                 argument_is_optional(spec) ? optional_argument
                                                 : spec->argument           ? required_argument
                                                                            : no_argument,
                                                 NULL, LONG_BASE + table->count};
    table->specs[table->count++] = spec;
    if (spec->letter) {
        *(*letters)++ = spec->letter;
        if (spec->argument && !argument_is_optional(spec))
            *(*letters)++ = ':';
    }
}

static void fill_table(struct option_table *table, const struct program *program)
{
    char *letters = table->letters;
    memset(table, 0, sizeof *table);
    if (program->command)
        *letters++ = '+'; /* getopt: stop at the first operand */
    *letters++ = ':';     /* getopt: distinguish a missing argument from an unknown option */
    for (const struct option_spec *spec = program->options; spec && spec->name; spec++) {
        assert(spec->argument ? spec->value || program->uses : spec->flag && !spec->value);
        add_option(table, spec, &letters);
    }
    for (int i = 0; i < COMMON_COUNT; i++)
        add_option(table, &common[i], &letters);
}

static const struct option_spec *find_option(const struct option_table *table, int value)
{
    if (value >= LONG_BASE)
        return table->specs[value - LONG_BASE];
    for (int i = 0; i < table->count; i++)
        if (table->specs[i]->letter == value)
            return table->specs[i];
    return NULL;
}

static void print_indented(const char *text, const char *first, const char *others)
{
    for (const char *indent = first; *text; indent = others) {
        int length = (int)strcspn(text, "\n");
        printf("%s%.*s\n", indent, length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_help(const struct program *program, const struct option_table *table)
{
    print_indented(program->usage, "Usage: ", "       ");
    printf("\n%s\n\nOptions:\n", program->summary);
    for (int i = 0; i < table->count; i++) {
        const struct option_spec *spec = table->specs[i];
        char name[64];
        snprintf(name, sizeof name, "--%s%s%s", spec->name,
                 spec->argument && !argument_is_optional(spec) ? "=" : "",
                 spec->argument ? spec->argument : "");
        if (spec->letter)
            printf("  -%c, %-22s %s\n", spec->letter, name, spec->help);
        else
            printf("      %-22s %s\n", name, spec->help);
    }
    if (program->details)
        printf("\n%s\n", program->details);
    if (program->print_more)
        program->print_more();
}

static const char *choices_for(const struct program *program, const char *option)
{
    const char *words = program->choices ? program->choices(option) : NULL;
    return words ? words : "";
}

bool options_list(const struct program *program, int argc, char **argv)
{
    struct option_table table;
    if (argc != 2 || strcmp(argv[1], "--list-options") != 0)
        return false;
    fill_table(&table, program);
    for (int i = 0; i < table.count; i++) {
        const struct option_spec *spec = table.specs[i];
        const char letter[] = {spec->letter, '\0'};
        printf("option\t%s\t%s\t%s\t%s\t%.*s\n", letter, spec->name,
               spec->argument && !argument_is_optional(spec) ? spec->argument : "",
               choices_for(program, spec->name), (int)strcspn(spec->help, "\n"), spec->help);
    }
    printf("operand\t%s\n", choices_for(program, NULL));
    return true;
}

int options_usage_error(const struct program *program, const char *format, ...)
{
    struct error error;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(&error, STATUS_USAGE, "%s (try: %s --help)", text, program->name);
    return log_error(&error);
}

static int unknown_option(const struct program *program, const struct option_table *table,
                          const char *word, int letter)
{
    if (letter)
        return options_usage_error(program, "unknown option \"-%c\"", letter);
    char name[64];
    const char *names[OPTION_MAX];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (int i = 0; i < table->count; i++)
        names[i] = table->specs[i]->name;
    int nearest = nearest_name(name, names, (size_t)table->count);
    if (nearest < 0)
        return options_usage_error(program, "unknown option \"--%s\"", name);
    return options_usage_error(program, "unknown option \"--%s\"; did you mean \"--%s\"?", name,
                               names[nearest]);
}

static int bad_option(const struct program *program, const struct option_table *table, int code,
                      const char *word)
{
    const struct option_spec *spec = find_option(table, optopt);
    if (code == '?' && optopt < LONG_BASE)
        return unknown_option(program, table, word, optopt);
    if (code == '?')
        return options_usage_error(program, "option \"--%s\" takes no argument", spec->name);
    return options_usage_error(program, "option \"--%s\" needs an argument: %s", spec->name,
                               spec->argument);
}

static int check_operands(const struct program *program, int count)
{
    const bool few = count < program->least;
    if (!few && (program->most < 0 || count <= program->most))
        return STATUS_OK;
    return options_usage_error(program, "%s: %.*s",
                               !few         ? "too many arguments"
                               : count == 0 ? "an argument is missing"
                                            : "more arguments are needed",
                               (int)strcspn(program->usage, "\n"), program->usage);
}

static bool add_use(struct option_uses *uses, const char *name, const char *value)
{
    if (uses->count == sizeof uses->items / sizeof *uses->items)
        return false;
    uses->items[uses->count++] = (struct option_use){name, value};
    return true;
}

/* False if the option is given too often. */
static bool set_value(const struct program *program, const struct option_spec *spec,
                      const char *value)
{
    bool repeats = spec->argument && strstr(spec->argument, " ...");
    int i = 0;
    if (!value && argument_is_optional(spec))
        return true;
    if (!spec->value)
        return !spec->argument || add_use(program->uses, spec->name, value);
    while (repeats && i < OPTION_REPEATS && spec->value[i])
        i++;
    if (i == OPTION_REPEATS)
        return false;
    spec->value[i] = value;
    return true;
}

static void set_progress(bool quiet)
{
    progress_set_mode(quiet ? PROGRESS_NEVER : PROGRESS_ALWAYS);
    if (quiet)
        log_be_quiet();
}

static void print_version(const struct program *program)
{
    const char *titles = installation_titles();
    printf("%s (SILAS) %s, %s%s\n", program->name, PACKAGE_VERSION,
           titles ? "built for " : "without a tracer of any MPI", titles ? titles : "");
}

int options_parse(const struct program *program, int argc, char **argv, int *exit_code)
{
    struct option_table table;
    bool help = false; /* wanted; later options are read, but mistakes in them do not matter */
    assert(program->name && program->usage && program->summary);
    assert(program->most < 0 || program->least <= program->most);
    fill_table(&table, program);
    opterr = 0;
    optind = 0; /* glibc: start anew */
    *exit_code = STATUS_OK;
    for (;;) {
        int word = optind ? optind : 1;
        int code = getopt_long(argc, argv, table.letters, table.longs, NULL);
        if (code == -1)
            break;
        if (code == '?' || code == ':') {
            /* getopt has moved past a bad long option, but not past a bad letter in a cluster;
             * optopt is the bad letter. */
            if (help)
                continue;
            *exit_code = bad_option(program, &table, code, argv[optind > word ? optind - 1 : word]);
            return -1;
        }
        const struct option_spec *spec = find_option(&table, code);
        if (spec == &common[COMMON_QUIET] || spec == &common[COMMON_PROGRESS]) {
            set_progress(spec == &common[COMMON_QUIET]);
            continue;
        }
        if (spec == &common[COMMON_HELP]) {
            help = true;
            continue;
        }
        if (spec == &common[COMMON_VERSION]) {
            if (log_speaks())
                print_version(program);
            return -1;
        }
        if (!set_value(program, spec, optarg)) {
            *exit_code = options_usage_error(program, "--%s is given too often", spec->name);
            return -1;
        }
        if (spec->flag)
            *spec->flag = true;
    }
    if (program->prepare)
        *exit_code = program->prepare(program);
    if (*exit_code == STATUS_OK && help && log_speaks())
        print_help(program, &table);
    if (*exit_code != STATUS_OK || help)
        return -1;
    *exit_code = check_operands(program, argc - optind);
    return *exit_code == STATUS_OK ? optind : -1;
}
