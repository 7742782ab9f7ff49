#include "live/data.h"

#include "live/pack.h"
#include "live/program.h"
#include "reduce/assumptions.h"
#include "report/packing.h"
#include "report/page/page.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const char live_module[]; /* generated: the module as base64, or "" */

/* A page is opened by mail and on laptops: larger programs are left out. Bytes of packed data. */
enum { LARGEST_PROGRAM = 18 << 20 };

const char *live_module_text(void)
{
    return live_module;
}

/* Collective. Prepares the model of a trace and computes T in ticks. */
static enum status model_ticks(const struct trace *trace, const struct engine_setup *setup,
                               void **state, int64_t *ticks, struct error *error)
{
    struct engine_facts facts = {0};
    assert(trace->matched && !*state);
    struct engine_run run = {0};
    enum status status = engine_model.prepare(trace, setup, state, &facts, error);
    free(facts.approximations);
    if (status != STATUS_OK)
        return status;
    status = engine_model.run(*state, NULL, NULL, &run, error);
    *ticks = llround(run.time_s * (double)trace->definitions->ticks_per_second);
    if (status != STATUS_OK) {
        engine_model.release(*state);
        *state = NULL;
    }
    return status;
}

/* [name of the region, parent or -1, 1 if its time is never changed] of each call path. */
static json_t *live_paths_json(const struct trace *trace)
{
    json_t *list = json_array();
    for (size_t p = 0; p < trace->calltree.paths.count; p++) {
        const struct callpath *path = &trace->calltree.paths.items[p];
        const struct region *region = &trace->definitions->regions[path->region];
        const bool fixed = region->mpi_call != MPI_CALL_NONE || region_waits_for_threads(region);
        json_append(&list,
                    JSON_LIST(json_count(path->region),
                              json_number(path->parent == CALLPATH_NONE ? -1.0 : path->parent),
                              json_count(fixed)));
    }
    return list;
}

static json_t *regions_json(const struct trace *trace)
{
    json_t *list = json_array();
    for (uint32_t r = 0; r < trace->definitions->region_count; r++)
        json_append(&list, json_text(trace->definitions->regions[r].name));
    return list;
}

/* The parameters that panels show next to factors. */
static json_t *network_json(const struct model *model, const struct live_head *head)
{
    const struct loggps *loggps =
        &model->recorded.platform.machine.distances[head->far ? DISTANCE_NETWORK : DISTANCE_NODE];
    return JSON_MEMBERS(
        {"latency_s", json_number(head->latency_s >= 0 ? head->latency_s : loggps->latency)},
        {"latency_factor", json_number(head->latency)},
        {"per_byte_s",
         json_number(head->bandwidth_rate > 0 ? 1 / head->bandwidth_rate : loggps->per_byte)},
        {"bandwidth_factor", json_number(head->bandwidth)}, {"far", json_boolean(head->far)});
}

/* Writes the document. `data`: NULL if there is a reason. */
static bool write_document(const struct model *model, const char *data, size_t size,
                           const char *why, int64_t before, int64_t time, const char *config,
                           FILE *stream)
{
    const struct trace *trace = model->trace;
    if (why)
        return page_value(JSON_MEMBERS({"why", json_text(why)}), stream);
    struct live_head head;
    memcpy(&head, data, sizeof head);
    fputs("{\"program\":\"", stream);
    bool written = packing_write(data, size, PACKING_SMALL, stream);
    fputs("\",\"facts\":", stream);
    written =
        page_value(JSON_MEMBERS({"regions", regions_json(trace)}, {"paths", live_paths_json(trace)},
                                {"network", network_json(model, &head)},
                                {"ranks", json_count(trace->rank_count)},
                                {"ticks_per_second", json_number(head.ticks_per_second)},
                                {"before", json_number((double)before)},
                                {"time", json_number((double)time)}, {"config", json_text(config)}),
                   stream) &&
        written;
    putc('}', stream);
    return written && !ferror(stream);
}

/* Process 0. NULL: the packed program gives the time of the model. */
static const char *check_packed(const char *data, size_t size, int64_t time)
{
    struct live_program *program = live_open((const unsigned char *)data, size);
    const int64_t computed = program ? live_time(program) : -1;
    live_close(program);
    return computed == time ? NULL : "the page would compute another T than silas-model";
}

/* The document of a page that does not compute. False if out of memory. */
static bool make_refusal(const char *why, char **text, size_t *size)
{
    FILE *stream = open_memstream(text, size);
    const bool written = stream && page_value(JSON_MEMBERS({"why", json_text(why)}), stream);
    return stream && fclose(stream) == 0 && written;
}

/* Collective. */
static enum status make_document(const struct model *model, int64_t before, int64_t time,
                                 const char *config, char **text, size_t *size, struct error *error)
{
    char *data = NULL;
    const char *why = NULL;
    size_t data_size = 0;
    const bool root = model->trace->processes->rank == 0;
    struct error reduced;
    enum status status = STATUS_OK;
    if (assumptions_check_request(model->trace, "a page that computes", &reduced) != STATUS_OK)
        why = "the trace is reduced";
    else
        status = live_pack(model, &data, &data_size, &why, error);
    if (status == STATUS_OK && root) {
        if (!why)
            why = check_packed(data, data_size, time);
        FILE *stream = open_memstream(text, size);
        bool written =
            stream && write_document(model, data, data_size, why, before, time, config, stream);
        written = stream && fclose(stream) == 0 && written;
        if (written && *size > LARGEST_PROGRAM) {
            free(*text);
            written = make_refusal("the trace has too many calls for a page", text, size);
        }
        if (!written)
            status = error_memory(error, "the page");
    }
    free(data);
    return processes_agree(model->trace->processes, status, error);
}

enum status live_data_make(const struct trace *original, const struct trace *changed,
                           const struct engine_setup *setup, const char *config, char **text,
                           size_t *size, struct error *error)
{
    assert(original->matched && !setup->original);
    void *state = NULL, *changed_state = NULL;
    int64_t before = 0, time = 0;
    *text = NULL;
    *size = 0;
    if (live_module[0] == '\0')
        return processes_agree_memory(
            original->processes,
            make_refusal("SILAS was built without clang, lld or wasi-libc", text, size), "the page",
            error);
    enum status status = model_ticks(original, setup, &state, &before, error);
    time = before;
    if (status == STATUS_OK && changed)
        status = model_ticks(changed, setup, &changed_state, &time, error);
    if (status == STATUS_OK)
        status =
            make_document(changed ? changed_state : state, before, time, config, text, size, error);
    if (state)
        engine_model.release(state);
    if (changed_state)
        engine_model.release(changed_state);
    if (status != STATUS_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
