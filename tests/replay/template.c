/* The template of an engine works when it is run alone: it reads its options, and predicts. */
#include "base/mpi/handles.h"
#include "replay/repeat.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"

#include <string.h>

extern const struct engine engine_template;

/* What the template reads of a section [template] with this line. */
static enum status read_options(const char *line, void *options, struct error *error)
{
    struct ini *ini;
    char text[100];
    int length = snprintf(text, sizeof text, "[template]\n%s\n", line);
    enum status status = ini_parse_text("a.ini", text, (size_t)length, &ini, error);
    if (status != STATUS_OK)
        return status;
    memcpy(options, engine_template.default_options, engine_template.options_size);
    status = ini_read(ini_find_section(ini, engine_template.section), engine_template.section_keys,
                      options, error);
    ini_destroy(ini);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const ranks[] = {"10:<app 20:+foo 50:-foo 110:>",
                                        "12:<app 20:+foo 70:-foo 100:>"};
    static const char *const stretched[] = {"10:<app 35:+foo 110:-foo 260:>app",
                                            "15:<app 35:+foo 160:-foo 235:>app"};
    struct processes processes;
    struct error error = {STATUS_OK, ""};
    struct repeat_result result;
    mpi_check_begin(&argc, &argv);
    processes_open(&processes, MPI_COMM_WORLD, &error);
    struct trace *trace = built_trace(&processes, ranks, (const char *const[]){NULL, NULL}, 2);
    void *options = malloc(engine_template.options_size);

    mpi_check(read_options("factor = 0", options, &error) == STATUS_INPUT &&
                  strstr(error.text, "a.ini:2: factor"),
              "a value that cannot be is refused with its line");
    mpi_check(read_options("facter = 2", options, &error) == STATUS_INPUT &&
                  strstr(error.text, "did you mean \"factor\"?"),
              "so is a key that is not its own");
    mpi_check(read_options("factor = 2.5", options, &error) == STATUS_OK, "its option is read");

    struct repeat_input input = {
        .engine = &engine_template, .setup = {.options = options}, .original = trace, .count = 2};
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK, "it runs");
    bool as_expected = result.identity.median != NULL;
    for (uint32_t s = 0; as_expected && s < trace->owned_count; s++) {
        const struct stream *stream = &result.identity.median->streams[s];
        char *text = built_trace_text(result.identity.median, stream);
        as_expected = strcmp(text, stretched[stream->rank]) == 0;
        free(text);
    }
    mpi_check(as_expected, "all times are stretched from the beginning of the trace");
    mpi_check(!result.corrected && result.facts.trustworthy &&
                  strstr(result.facts.approximations, "stretched"),
              "its facts are passed on");
    repeat_result_clear(&result);

    input.setup.options = NULL;
    mpi_check(repeat_run(&input, &result, &error) == STATUS_OK &&
                  result.estimates.total_error.median == 0,
              "by default the outcome is the recording");
    repeat_result_clear(&result);
    free(options);
    trace_destroy(trace);
    processes_close(&processes);
    return mpi_check_end();
}
