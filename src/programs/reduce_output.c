#include "programs/reduce_output.h"

#include "base/json.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_reduce_line(FILE *stream, const char *name, int64_t before, int64_t after)
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
                "\n%" PRId64
                " durations vary between iterations; storing this variation takes %.1f "
                "bits each, %" PRId64 " bytes in all\n",
                loops->durations, bits_each(loops), loops->entropy / 8);
    if (loops && result->error_of_t > 0)
        fprintf(stream,
                "predictions change by less than %g %% of T: time stamps may move by %.3g us, and "
                "moved by %.3g us at most\n",
                100 * result->error_of_t, 1e6 * result->tick_s * (double)result->quantum,
                1e6 * result->tick_s * (double)loops->furthest);
}

bool reduce_write_text(const void *data, FILE *stream)
{
    assert(data && stream);
    const struct reduce_result *result = data;
    const bool is_reduced = *result->assumptions != '\0';
    fprintf(stream, "%s%s%s\n\n  %-24s %14s %14s %10s\n", result->path,
            is_reduced ? ", reduced for: " : "", result->assumptions, "", "whole", "reduced",
            "left");
    write_reduce_line(stream, "events", result->events_before, result->events_after);
    if (is_reduced) {
        write_reduce_line(stream, "messages", result->messages_before, result->messages_after);
        write_reduce_line(stream, "collective calls", result->operations_before,
                          result->operations_after);
    }
    write_reduce_line(stream, "bytes", result->bytes_before, result->bytes_after);
    write_loops(result, stream);
    fprintf(stream, "\nwritten to %s\n", result->directory);
    return true;
}

/* A list of the assumptions. */
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
            json_append(&list, json_string(rest));
        if (last)
            break;
        rest = c + 1 + (c[1] == ' ');
    }
    free(copy);
    return list;
}

bool reduce_write_json(const void *data, FILE *stream)
{
    assert(data && stream);
    const struct reduce_result *r = data;
    json_t *root = JSON_MEMBERS({"trace", json_text(r->path)}, {"output", json_text(r->directory)},
                                {"assumptions", assumptions_json(r->assumptions)},
                                {"events_before", json_count(r->events_before)},
                                {"events_after", json_count(r->events_after)},
                                {"messages_before", json_count(r->messages_before)},
                                {"messages_after", json_count(r->messages_after)},
                                {"operations_before", json_count(r->operations_before)},
                                {"operations_after", json_count(r->operations_after)},
                                {"bytes_before", json_count(r->bytes_before)},
                                {"bytes_after", json_count(r->bytes_after)});
    if (r->loops)
        root = json_joined(
            root,
            JSON_MEMBERS(
                {"loops", JSON_MEMBERS({"durations", json_count(r->loops->durations)},
                                       {"bits_each", json_number(bits_each(r->loops))},
                                       {"error", json_number(r->error_of_t)},
                                       {"quantum_s", json_number(r->tick_s * (double)r->quantum)},
                                       {"furthest_s",
                                        json_number(r->tick_s * (double)r->loops->furthest)})}));
    return json_write(root, stream);
}
