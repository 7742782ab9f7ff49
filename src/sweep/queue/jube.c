/* A benchmark file for JUBE, a benchmarking environment of supercomputing centres. JUBE submits a
 * job for each part and waits for its done file. Format: YAML of JUBE 2.2 or newer; "_" is the
 * content of an element, $name a parameter, $$ a dollar sign. */
#include "base/launcher.h"
#include "sweep/queue/command.h"
#include "sweep/queue/queue.h"
#include "sweep/queue/submit.h"

#include <stdlib.h>
#include <string.h>

struct jube {
    const struct sweep_folder *folder;
    const struct queue_plan *plan;
    FILE *stream;
    struct error *error;
};

/* Writes a text as a scalar of YAML, in which JUBE replaces parameters. */
static void write_scalar(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', stream);
        fputc(*text, stream);
    }
    fputc('\'', stream);
}

static uint32_t shape_option(const struct shape *shape, enum script_option option)
{
    return option == OPTION_TIME     ? shape->minutes
           : option == OPTION_NODES  ? (shape->nodes > 0 ? shape->nodes : 1)
           : option == OPTION_NTASKS ? shape->ranks
           : shape->per_node > 0     ? shape->per_node
                                     : shape->ranks;
}

/* Writes a parameter that depends on the part; JUBE looks it up with Python if it differs. */
static void write_part_parameter(const struct jube *jube, const char *name,
                                 enum script_option option)
{
    const struct shapes *shapes = &jube->plan->shapes;
    bool same = true;
    for (size_t s = 1; s < shapes->count; s++)
        same &= shape_option(&shapes->items[s], option) == shape_option(&shapes->items[0], option);
    fprintf(jube->stream, "      - {name: %s, type: int, ", name);
    if (same) {
        fprintf(jube->stream, "_: %u}\n", shape_option(&shapes->items[0], option));
        return;
    }
    fprintf(jube->stream, "mode: python, _: '[");
    for (size_t i = 0; i < jube->folder->part_count; i++)
        fprintf(jube->stream, "%s%u", i > 0 ? "," : "",
                shape_option(&shapes->items[shapes->of_part[i]], option));
    fprintf(jube->stream, "][$part-1]'}\n");
}

/* Appends words in which JUBE shall not replace parameters. */
static bool put_fixed(struct bytes *line, const struct bytes *words)
{
    bool good = true;
    for (size_t i = 0; i < words->size && good; i++)
        good = bytes_put(line, words->data + i, 1) &&
               (words->data[i] != '$' || bytes_put(line, "$", 1));
    return good;
}

/* "sbatch --nodes=$nodes --ntasks=$ranks ... job" */
static enum status sbatch_line(const struct jube *jube, struct bytes *line)
{
    const struct queue_launcher *launcher = &jube->plan->launcher;
    const struct shape *shape = &jube->plan->shapes.items[0];
    struct bytes words = {0};
    static const char *const own[SCRIPT_OPTIONS] = {"$minutes", "$nodes", "$ranks", "$per_node",
                                                    ""};
    bool good = shell_put(line, "sbatch");
    for (int i = 0; i < SCRIPT_OPTIONS && good; i++) {
        const char *name = script_option_name((enum script_option)i);
        char value[200];
        if (launcher_option(launcher, name) ||
            !script_option_value(launcher, shape, (enum script_option)i, value, sizeof value))
            continue;
        good = shell_put(line, " --%s%s%s", name, *own[i] ? "=" : "", own[i]);
    }
    for (size_t i = 0; launcher->slurm && i < launcher->slurm->entry_count && good; i++)
        good = shell_put(&words, " ") && script_put_option(&words, launcher->slurm->entries[i].key,
                                                           launcher->slurm->entries[i].value);
    good = good && put_fixed(line, &words) && bytes_put(line, " job", sizeof " job");
    bytes_clear(&words);
    return good ? STATUS_OK : error_memory(jube->error, "the benchmark file");
}

static enum status template_line(const struct jube *jube, struct bytes *line)
{
    const struct command_value values[] = {
        {.name = "script", .value = "./job"},
        {.name = "part", .value = "$part", .is_line = true},
        {.name = "ranks", .value = "$ranks", .is_line = true},
        {.name = "nodes", .value = "$nodes", .is_line = true},
        {.name = "per_node", .value = "$per_node", .is_line = true},
        {.name = "minutes", .value = "$minutes", .is_line = true},
        {.name = "seconds", .value = "$$((60 * $minutes))", .is_line = true},
        {.name = "name", .value = "job"},
        {.name = "folder", .value = jube->folder->path},
        {.name = NULL},
    };
    char *text = NULL;
    enum status status = command_expand("[launcher] submit", jube->plan->launcher.submit, values,
                                        &text, jube->error);
    if (status == STATUS_OK && !bytes_put(line, text, strlen(text) + 1))
        status = error_memory(jube->error, "the benchmark file");
    free(text);
    return status;
}

static void write_file_head(const struct jube *jube, const char *outpath)
{
    FILE *stream = jube->stream;
    const char *slash = strrchr(jube->folder->path, '/');
    fprintf(stream,
            "# The sweep in %s for JUBE: a job for each part.\n"
            "#   jube run FILE                 submits the jobs (FILE: this one)\n"
            "#   jube continue %s/jube\n"
            "#                                 checks whether they are done\n"
            "#   silas-sweep collect %s\n"
            "#                                 makes the table\n"
            "name: ",
            jube->folder->path, jube->folder->path, jube->folder->path);
    write_scalar(stream, slash ? slash + 1 : jube->folder->path);
    fprintf(stream, "\noutpath: ");
    write_scalar(stream, outpath);
    fputc('\n', stream);
}

static void write_parameters(const struct jube *jube, const char *submit)
{
    FILE *stream = jube->stream;
    fprintf(stream, "\nparameterset:\n  - name: parts\n    parameter:\n"
                    "      - {name: part, type: int, _: '");
    for (size_t i = 0; i < jube->folder->part_count; i++)
        fprintf(stream, "%s%zu", i > 0 ? "," : "", i + 1);
    fprintf(stream, "'}\n  - name: job\n    parameter:\n");
    write_part_parameter(jube, "ranks", OPTION_NTASKS);
    write_part_parameter(jube, "nodes", OPTION_NODES);
    write_part_parameter(jube, "per_node", OPTION_PER_NODE);
    write_part_parameter(jube, "minutes", OPTION_TIME);
    fprintf(stream, "      - {name: submit, _: ");
    write_scalar(stream, submit);
    fprintf(stream, "}\n");
}

/* The job of JUBE runs the script of the sweep as a program, so sbatch gets its options from the
 * command line. The text is a here-document of the shell, in which JUBE replaces parameters first.
 */
static enum status write_step(const struct jube *jube)
{
    struct bytes script = {0};
    FILE *stream = jube->stream;
    const struct folder_path path =
        sweep_folder_path(jube->folder, "%s", launcher_script(jube->plan->launcher.kind));
    const bool good = shell_put_word(&script, path.text) && bytes_put(&script, "", 1);
    if (good) {
        fprintf(stream, "\nstep:\n  name: work\n  use: [parts, job]\n  do:\n    - |\n"
                        "      cat >job <<END\n"
                        "      #!/bin/bash\n"
                        "      cd \"$$PWD\"\n"
                        "      if bash ");
        for (const char *c = script.data; *c; c++)
            fprintf(stream, *c == '$' ? "\\$$" : *c == '`' ? "\\`" : "%c", *c);
        fprintf(stream, " $part; then touch done; else touch failed; fi\n"
                        "      END\n"
                        "      chmod +x job\n"
                        "    - {done_file: done, error_file: failed, _: $submit}\n");
    }
    bytes_clear(&script);
    return good ? STATUS_OK : error_memory(jube->error, "the benchmark file");
}

enum status queue_write_jube(struct sweep_folder *folder, enum queue_kind kind,
                             const char *const *options, FILE *stream, struct error *error)
{
    struct queue_plan plan;
    struct bytes submit = {0};
    enum status status = queue_plan_make(folder, kind, false, true, &plan, error);
    const struct jube jube = {folder, &plan, stream, error};
    const struct folder_path outpath = sweep_folder_path(folder, "jube");
    status = status ?: queue_plan_write(folder, &plan, options, NULL, error)
                 ?: (kind == QUEUE_SLURM ? sbatch_line(&jube, &submit)
                                         : template_line(&jube, &submit));
    if (status == STATUS_OK) {
        write_file_head(&jube, outpath.text);
        write_parameters(&jube, submit.data);
        status = write_step(&jube);
    }
    queue_plan_clear(&plan);
    bytes_clear(&submit);
    return status;
}
