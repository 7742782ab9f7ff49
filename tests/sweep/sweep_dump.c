/* Prints what a sweep's file says, or its error: sweep_dump [-t | -w FILE] FILE [SET...].
 * A line for each run: name, base, settings, the runs that it combines. -t: the text of each run's
 * configuration as well, after a line "--- NAME". -w: writes ini_text of the file into another. */
#include "job/replay_config.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_options(const struct sweep_options *options)
{
    printf("mode %d, engine %d, objective %s, keep %d, limit %d, budget %g s, seed %lld, reports "
           "%d, repeat %d\n",
           options->mode, options->engine, options->objective, (int)options->keep,
           (int)options->limit, options->budget_s, (long long)options->seed, (int)options->reports,
           (int)options->repeat);
}

static void print_run(const struct sweep_plan *sweep, const struct sweep_run *run)
{
    printf("%s base %zu:", run->name, run->base);
    for (size_t i = 0; i < run->setting_count; i++)
        printf("%s %s = %s", i == 0 ? "" : ";", run->settings[i].key, run->settings[i].value);
    for (size_t i = 0; i < run->part_count; i++)
        printf("%s %s", i == 0 ? " combines" : ",", sweep->runs[run->parts[i]].name);
    if (run->part_count > 0 && run->rest)
        printf(" over %s", run->rest->name);
    putchar('\n');
}

static bool print_text(const struct sweep_run *run)
{
    char *text = ini_text(run->ini);
    struct ini *again = NULL;
    struct error error;
    printf("--- %s\n%s", run->name, text ? text : "no memory");
    bool sound = text && ini_parse_text("again", text, strlen(text), &again, &error) == STATUS_OK;
    ini_destroy(again);
    free(text);
    return sound;
}

static void write_text(const struct sweep_plan *sweep, const char *path)
{
    char *text = ini_text(sweep->ini);
    FILE *file = fopen(path, "w");
    if (file && text)
        fputs(text, file);
    if (file)
        fclose(file);
    free(text);
}

int main(int argc, char **argv)
{
    struct sweep_plan *sweep = NULL;
    struct error error;
    bool texts = argc > 1 && strcmp(argv[1], "-t") == 0;
    bool writes = argc > 1 && strcmp(argv[1], "-w") == 0;
    int file = texts ? 2 : writes ? 3 : 1;
    if (argc <= file)
        return STATUS_USAGE;
    const char *const *sets = (const char *const *)argv + file + 1;
    struct ini *ini = NULL;
    enum status status =
        sweep_read_file(argv[file], sets, &ini, &error) ?: sweep_load(ini, &sweep, &error);
    if (status != STATUS_OK) {
        puts(error.text);
        return (int)status;
    }
    if (writes)
        write_text(sweep, argv[2]);
    print_options(&sweep->options);
    bool sound = true;
    for (size_t r = 0; r < sweep->run_count; r++)
        print_run(sweep, &sweep->runs[r]);
    for (size_t r = 0; r < sweep->run_count && texts; r++)
        sound &= print_text(&sweep->runs[r]);
    sweep_destroy(sweep);
    return sound ? 0 : STATUS_ENVIRONMENT;
}
