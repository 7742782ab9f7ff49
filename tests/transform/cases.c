/* Runs tests/transform/cases/NAME.case: a trace, a configuration, and the changed trace or the
 * error.
 *
 *   [[config]]      hypotheses, as in a configuration file; messages call it what-if.ini
 *   [[rank N]]      the trace, in the notation of built_trace.h; [[carried N]] next to it
 *   [[becomes N]]   rank N of the changed trace; [[carried becomes N]]
 *   [[error]]       or the message (the first lines of it)
 *   [[says]]        the descriptions of the hypotheses afterwards, one line each
 *   [[warns]]       everything printed in the meantime
 *
 * Runs with one, two and three processes; the results must be the same. */
#include "built_trace.h"
#include "base/mpi/handles.h"
#include "tests/mpi_check.h"

#include "base/log.h"
#include "trace/match/match.h"
#include "transform/hypothesis.h"

#include <ctype.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4, CASE_SIZE = 16384, HYPOTHESES = 10 };

struct test_case {
    char text[CASE_SIZE];
    const char *config, *error, *says, *warns;
    const char *ranks[RANKS], *becomes[RANKS], *carried[RANKS], *carried_becomes[RANKS];
    uint32_t rank_count;
};

/* Where the text of a section belongs; NULL if there is no such section. */
static const char **slot(struct test_case *c, const char *name)
{
    unsigned n;
    if (strcmp(name, "config") == 0)
        return &c->config;
    if (strcmp(name, "error") == 0)
        return &c->error;
    if (strcmp(name, "says") == 0)
        return &c->says;
    if (strcmp(name, "warns") == 0)
        return &c->warns;
    if (sscanf(name, "rank %u", &n) == 1 && n < RANKS) {
        if (n >= c->rank_count)
            c->rank_count = n + 1;
        return &c->ranks[n];
    }
    if (sscanf(name, "becomes %u", &n) == 1 && n < RANKS)
        return &c->becomes[n];
    if (sscanf(name, "carried becomes %u", &n) == 1 && n < RANKS)
        return &c->carried_becomes[n];
    if (sscanf(name, "carried %u", &n) == 1 && n < RANKS)
        return &c->carried[n];
    return NULL;
}

static bool read_case(struct test_case *c, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t size = fread(c->text, 1, CASE_SIZE - 1, file);
    fclose(file);
    c->text[size] = '\0';
    char *mark = strstr(c->text, "[[");
    while (mark) {
        char *end = strstr(mark, "]]\n");
        const char **place;
        if (!end)
            return false;
        *mark = *end = '\0';
        place = slot(c, mark + 2);
        if (!place)
            return false;
        *place = end + 3;
        mark = strstr(end + 3, "[[");
    }
    return c->config && c->rank_count > 0;
}

/* Equal but for the amount of blanks; `whole` false: `got` may be longer. */
static bool same_words(const char *got, const char *expected, bool whole)
{
    for (;;) {
        while (isspace((unsigned char)*got))
            got++;
        while (isspace((unsigned char)*expected))
            expected++;
        if (*expected == '\0')
            return !whole || *got == '\0';
        do {
            if (*got++ != *expected++)
                return false;
        } while (*expected && !isspace((unsigned char)*expected));
        if (whole && *got && !isspace((unsigned char)*got))
            return false;
    }
}

static bool check_stream(const struct trace *trace, const struct stream *stream,
                         const char *expected, const char *what)
{
    char *got = built_trace_text(trace, stream);
    bool same = expected && same_words(got, expected, true);
    if (!same)
        fprintf(stderr, "# %s %u became: %s\n", what, stream->rank, got);
    free(got);
    return same;
}

static bool row_is_about(const struct stream *stream, uint32_t row, uint32_t arg)
{
    return row == INDEX_NONE || (row < stream->count && stream->arg[row] == arg);
}

/* The tables refer to rows that are about their entries. */
static bool check_tables(const struct trace *trace)
{
    bool right = true;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        for (uint32_t m = 0; m < stream->message_count; m++)
            right &= row_is_about(stream, stream->messages[m].post, m) &&
                     row_is_about(stream, stream->messages[m].completion, m);
        for (uint32_t c = 0; c < stream->collective_count; c++)
            right &= row_is_about(stream, stream->collectives[c].begin, c) &&
                     row_is_about(stream, stream->collectives[c].end, c);
    }
    return right;
}

/* The owned streams and the carried ones as text. */
struct texts {
    char *streams[RANKS], *carried[RANKS];
};

static struct texts take_texts(const struct trace *trace)
{
    struct texts texts = {0};
    for (uint32_t s = 0; s < trace->owned_count; s++)
        texts.streams[s] = built_trace_text(trace, &trace->streams[s]);
    for (uint32_t s = 0; s < trace->carried_count; s++)
        texts.carried[s] = built_trace_text(trace, &trace->carried[s]);
    return texts;
}

static void free_texts(struct texts *texts)
{
    for (int i = 0; i < RANKS; i++) {
        free(texts->streams[i]);
        free(texts->carried[i]);
    }
}

/* A rank without expectation (`c` NULL: every rank) must be as it was. */
static bool check_trace(const struct test_case *c, const struct trace *trace,
                        const struct texts *before)
{
    bool same = true;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const char *expected = c ? c->becomes[trace->streams[s].rank] : NULL;
        same &= check_stream(trace, &trace->streams[s], expected ? expected : before->streams[s],
                             "rank");
    }
    for (uint32_t s = 0; s < trace->carried_count; s++) {
        const char *expected = c ? c->carried_becomes[trace->carried[s].rank] : NULL;
        same &= check_stream(trace, &trace->carried[s], expected ? expected : before->carried[s],
                             "carried location of rank");
    }
    return same;
}

static bool check_says(const char *expected, const struct hypothesis *hypotheses,
                       const struct hypothesis_outcome *outcomes, size_t count)
{
    char text[4000] = "";
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        hypothesis_describe(&hypotheses[i], &outcomes[i], text + length, sizeof text - length - 1);
        length += strlen(text + length);
        text[length++] = '\n';
        text[length] = '\0';
    }
    bool same = !expected || same_words(text, expected, true);
    if (!same)
        fprintf(stderr, "# it says: %s\n", text);
    return same;
}

/* Standard error goes into a file meanwhile. */
static FILE *capture_begin(int *saved)
{
    FILE *file = tmpfile();
    fflush(stderr);
    *saved = dup(STDERR_FILENO);
    if (file)
        dup2(fileno(file), STDERR_FILENO);
    return file;
}

/* Only one process speaks. */
static bool check_warnings(const char *expected, FILE *file, int saved)
{
    char text[2000];
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    if (!file)
        return false;
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    bool same = same_words(text, expected && log_speaks() ? expected : "", true);
    if (!same)
        fprintf(stderr, "# it warns: %s\n", text);
    return same;
}

static bool check_error(const char *expected, const struct error *error)
{
    bool same = expected && same_words(error->text, expected, false);
    if (!same)
        fprintf(stderr, "# error: %s\n", error->text);
    return same && error->status == STATUS_INPUT;
}

static void run_case(struct processes *processes, const char *path)
{
    static struct test_case c;
    struct ini *ini = NULL;
    struct hypothesis *hypotheses = NULL;
    struct hypothesis_outcome outcomes[HYPOTHESES];
    size_t count = 0;
    struct error error = {0};
    struct trace *changed = NULL;
    const char *name = strrchr(path, '/') + 1;
    memset(&c, 0, sizeof c);
    mpi_check(read_case(&c, path), name);
    struct trace *trace = built_trace(processes, c.ranks, c.carried, c.rank_count);
    struct texts before = take_texts(trace);
    enum status status = trace_match(trace, &error);
    if (status == STATUS_OK)
        status = ini_parse_text("what-if.ini", c.config, strlen(c.config), &ini, &error);
    if (status == STATUS_OK)
        status = hypotheses_parse(ini, &hypotheses, &count, &error);
    int saved;
    FILE *warnings = capture_begin(&saved);
    if (status == STATUS_OK)
        status = hypotheses_apply(hypotheses, count, trace, &changed, outcomes, &error);
    mpi_check(check_warnings(c.warns, warnings, saved), "warnings");
    if (status == STATUS_OK) {
        mpi_check(!c.error && check_trace(&c, changed, &before), "the changed trace");
        mpi_check(check_says(c.says, hypotheses, outcomes, count), "what the hypotheses say");
        mpi_check(check_tables(changed), "its tables refer to the right rows");
        mpi_check(changed->matched, "the changed trace is matched");
        trace_destroy(changed);
    } else {
        mpi_check(check_error(c.error, &error), "the error message");
    }
    mpi_check(check_trace(NULL, trace, &before), "the original is as before");
    free_texts(&before);
    hypotheses_destroy(hypotheses, count);
    ini_destroy(ini);
    trace_destroy(trace);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    char pattern[4096];
    glob_t found;
    mpi_check_begin(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        return log_error(&error);
    log_open("cases", processes.rank == 0);
    snprintf(pattern, sizeof pattern, "%s/tests/transform/cases/%s.case", getenv("top_srcdir"),
             argc > 1 ? argv[1] : "*");
    mpi_check(glob(pattern, 0, NULL, &found) == 0, "there are cases");
    for (size_t i = 0; i < found.gl_pathc; i++)
        run_case(&processes, found.gl_pathv[i]);
    globfree(&found);
    processes_close(&processes);
    return mpi_check_end();
}
