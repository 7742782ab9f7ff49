#include "programs/reduce_output.h"

#include "report/utf8.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void write_line(FILE *stream, const char *name, int64_t before, int64_t after)
{
    double share = before > 0 ? 100 * (double)after / (double)before : 100;
    fprintf(stream, "  %-24s %14" PRId64 " %14" PRId64 " %8.1f %%\n", name, before, after, share);
}

static double bits_each(const struct loops_outcome *loops)
{
    return loops->durations ? (double)loops->entropy / (double)loops->durations : 0;
}

static void write_loops(const struct reduce_result *result, FILE *stream)
{
    const struct loops_outcome *loops = result->loops;
    if (loops)
        fprintf(stream,
                "\n%" PRId64 " durations are not alike in all iterations; their noise is %.1f bits "
                "each, %" PRId64 " bytes in all\n",
                loops->durations, bits_each(loops), loops->entropy / 8);
    if (loops && result->error_of_t > 0)
        fprintf(stream,
                "predictions change by less than %g %% of T: no time stamp may move by more than "
                "%.3g us, and none has by more than %.3g us\n",
                100 * result->error_of_t, 1e6 * result->tick_s * (double)result->quantum,
                1e6 * result->tick_s * (double)loops->furthest);
}

bool reduce_write_text(const void *data, FILE *stream)
{
    const struct reduce_result *result = data;
    const bool is_reduced = *result->assumptions != '\0';
    fprintf(stream, "%s%s%s\n\n  %-24s %14s %14s %10s\n", result->path,
            is_reduced ? ", reduced for: " : "", result->assumptions, "", "whole", "reduced",
            "left");
    write_line(stream, "events", result->events_before, result->events_after);
    if (is_reduced) {
        write_line(stream, "messages", result->messages_before, result->messages_after);
        write_line(stream, "parts of operations", result->operations_before,
                   result->operations_after);
    }
    write_line(stream, "bytes", result->bytes_before, result->bytes_after);
    write_loops(result, stream);
    fprintf(stream, "\nwritten to %s\n", result->directory);
    return true;
}

/* The assumptions one by one. */
static json_t *assumptions_json(const char *text)
{
    json_t *list = json_array();
    char *copy = utf8_clean(text), *rest = copy;
    bool quoted = false;
    for (char *c = copy; c && list; c++) {
        quoted ^= *c == '"' && (c == copy || c[-1] != '\\');
        if (*c != '\0' && (quoted || *c != ';'))
            continue;
        bool last = *c == '\0';
        *c = '\0';
        if (*rest)
            json_array_append_new(list, json_string(rest));
        if (last)
            break;
        rest = c + 1 + (c[1] == ' ');
    }
    free(copy);
    return list;
}

bool reduce_write_json(const void *data, FILE *stream)
{
    const struct reduce_result *r = data;
    char *path = utf8_clean(r->path), *directory = utf8_clean(r->directory);
    json_t *root =
        path && directory
            ? json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "trace", path,
                        "output", directory, "assumptions", assumptions_json(r->assumptions),
                        "events_before", (json_int_t)r->events_before, "events_after",
                        (json_int_t)r->events_after, "messages_before",
                        (json_int_t)r->messages_before, "messages_after",
                        (json_int_t)r->messages_after, "operations_before",
                        (json_int_t)r->operations_before, "operations_after",
                        (json_int_t)r->operations_after, "bytes_before",
                        (json_int_t)r->bytes_before, "bytes_after", (json_int_t)r->bytes_after)
            : NULL;
    if (root && r->loops)
        json_object_set_new(root, "loops",
                            json_pack("{s:I, s:f, s:f, s:f, s:f}", "durations",
                                      (json_int_t)r->loops->durations, "bits_each",
                                      bits_each(r->loops), "error", r->error_of_t, "quantum_s",
                                      r->tick_s * (double)r->quantum, "furthest_s",
                                      r->tick_s * (double)r->loops->furthest));
    bool written = root && json_dumpf(root, stream, JSON_INDENT(1)) == 0;
    json_decref(root);
    free(path);
    free(directory);
    return written && fputc('\n', stream) != EOF;
}
