#include "python/module_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/progress.h"
#include "job/clocks.h"
#include "job/predict.h"
#include "job/replay_session.h"
#include "job/replay_summary.h"
#include "job/report_details.h"
#include "patterns/search.h"
#include "reduce/folded.h"
#include "replay/model/model.h"
#include "report/json/json.h"
#include "results/result.h"
#include "trace/deadlock/preflight.h"
#include "trace/load/load.h"
#include "trace/match/match.h"

#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct trace_handle {
    PyObject ob_base; /* PyObject_HEAD */
    struct trace *trace;
    struct processes processes; /* this process alone */
    /* For what-ifs; set by the first one: */
    struct replay_config *config; /* without hypotheses; NULL: there has been none */
    struct replay_session base;   /* shares the trace */
    void *state;                  /* of the model, for the unchanged trace; NULL: not prepared */
    double unchanged_s;           /* T of the unchanged trace, by the model */
};

static PyTypeObject *trace_type;

/* This process, without MPI. */
static enum status be_alone(struct processes *processes, struct error *error)
{
    return processes_fork(processes, 1, error);
}

static PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

struct opening {
    struct trace_handle *handle;
    const char *path;
    int correct_clocks;
};

static enum status open_trace(void *data, struct error *error)
{
    const struct opening *opening = data;
    struct trace_handle *handle = opening->handle;
    enum status status = be_alone(&handle->processes, error)
                             ?: trace_load(opening->path, &handle->processes, &handle->trace, error)
                             ?: events_join(handle->trace, error);
    if (status == STATUS_OK && opening->correct_clocks)
        status = trace_match(handle->trace, error) ?: clocks_correct(handle->trace, error);
    return status;
}

static PyObject *open_path(PyObject *module, PyObject *arguments)
{
    struct opening opening = {0};
    PyObject *path;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&p", PyUnicode_FSConverter, &path, &opening.correct_clocks))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(trace_type, Py_tp_alloc);
    opening.handle = (struct trace_handle *)allocate(trace_type, 0);
    opening.path = PyBytes_AsString(path);
    const bool done = opening.handle && work_run(open_trace, &opening);
    Py_DECREF(path);
    if (done)
        return (PyObject *)opening.handle;
    Py_XDECREF((PyObject *)opening.handle);
    return NULL;
}

static void trace_dealloc(PyObject *self)
{
    struct trace_handle *handle = (struct trace_handle *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (handle->state)
        engine_model.release(handle->state);
    replay_config_destroy(handle->config);
    trace_destroy(handle->trace);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* A tuple of texts. */
static PyObject *categories_of(const struct name_list *names)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)names->count);
    for (size_t i = 0; tuple && i < names->count; i++) {
        PyObject *text = text_of(names->items[i]);
        if (!text || PyTuple_SetItem(tuple, (Py_ssize_t)i, text) < 0) {
            Py_DECREF(tuple);
            return NULL;
        }
    }
    return tuple;
}

/* {name: column}; clears the table. `owner` keeps borrowed data. */
static PyObject *take_columns(PyObject *owner, struct trace_table *table)
{
    assert(table->column_count > 0);
    PyObject *result = PyDict_New();
    bool done = result != NULL;
    for (size_t c = 0; c < table->column_count && done; c++) {
        struct table_column *column = &table->columns[c];
        const char *colon = strchr(column->name, ':');
        PyObject *categories = column->named ? categories_of(&column->names) : NULL;
        PyObject *name = PyUnicode_FromStringAndSize(column->name, colon - column->name);
        PyObject *object = NULL;
        if (name && (categories || !column->named)) {
            object = column_new(column->borrowed ? owner : NULL, column->data, table->rows,
                                column->format, column->nullable, categories);
            column->borrowed = true; /* the column has it */
        }
        done = object && PyDict_SetItem(result, name, object) == 0;
        Py_XDECREF(categories);
        Py_XDECREF(name);
        Py_XDECREF(object);
    }
    trace_table_clear(table);
    if (!done)
        Py_CLEAR(result);
    return result;
}

struct building {
    struct trace *trace;
    const char *name;
    struct trace_table table;
};

static enum status build_table(void *data, struct error *error)
{
    struct building *building = data;
    struct trace *trace = building->trace;
    if (!trace->matched && table_needs_matching(building->name)) {
        enum status status = trace_match(trace, error);
        if (status != STATUS_OK)
            return status;
    }
    return table_build(building->name, building->trace, &building->table, error);
}

static PyObject *trace_table(PyObject *self, PyObject *arguments)
{
    struct building building = {.trace = ((struct trace_handle *)self)->trace};
    if (!PyArg_ParseTuple(arguments, "s", &building.name))
        return NULL;
    if (work_run(build_table, &building))
        return take_columns(self, &building.table);
    trace_table_clear(&building.table);
    return NULL;
}

static PyObject *trace_facts(PyObject *self, PyObject *unused)
{
    const struct trace *trace = ((struct trace_handle *)self)->trace;
    const struct definitions *d = trace->definitions;
    (void)unused;
    PyObject *properties = PyDict_New();
    for (uint32_t i = 0; properties && i < d->property_count; i++) {
        PyObject *value = text_of(d->properties[i].value), *name = text_of(d->properties[i].name);
        const bool done = value && name && PyDict_SetItem(properties, name, value) == 0;
        Py_XDECREF(value);
        Py_XDECREF(name);
        if (!done)
            Py_CLEAR(properties);
    }
    return Py_BuildValue(
        "{s:N,s:I,s:K,s:K,s:K,s:d,s:N,s:N}", "path", text_of(trace->path), "ranks",
        trace->rank_count, "ticks_per_second", (unsigned long long)d->ticks_per_second, "begin",
        (unsigned long long)trace->begin, "end", (unsigned long long)trace->end, "duration",
        trace_seconds(trace, (double)(trace->end - trace->begin)), "creator",
        text_of(d->creator ? d->creator : ""), "properties", properties);
}

/* The name of what-ifs in messages about their sections. */
static const char what_if_name[] = "what-if";
static const char model_text[] = "[trace]\npath = .\n[replay]\nengine = model\n";

/* Prepares the model of the unchanged trace. */
static enum status prepare_model(struct trace_handle *handle, struct error *error)
{
    const struct trace *trace = handle->trace;
    struct engine_facts facts = {0};
    struct trace *view = NULL;
    if (handle->state)
        return STATUS_OK;
    memory_keep_freed();
    enum status status = trace->matched ? STATUS_OK : trace_match(handle->trace, error);
    if (status == STATUS_OK && !handle->config)
        status =
            replay_config_of_text(what_if_name, model_text, &engine_model, &handle->config, error)
                ?: trace_preflight(handle->trace, error);
    if (status != STATUS_OK) {
        replay_config_destroy(handle->config);
        handle->config = NULL;
        return status;
    }
    handle->base = (struct replay_session){
        .config = handle->config,
        .processes = &handle->processes,
        .path = trace->path,
        .original = handle->trace,
        .shares_original = true,
        .recorded_s = trace_seconds(trace, (double)(trace->end - trace->begin)),
    };
    const struct engine_setup setup = replay_config_setup(handle->config, &engine_model);
    status = engine_model.prepare(trace, &setup, &handle->state, &facts, error);
    free(facts.approximations);
    if (status != STATUS_OK) {
        handle->state = NULL;
        return status;
    }
    status =
        engine_predict(&engine_model, handle->state, trace, &view, &handle->unchanged_s, error);
    trace_destroy(view);
    if (status != STATUS_OK) {
        engine_model.release(handle->state);
        handle->state = NULL;
    }
    return status;
}

struct asked_what_if {
    struct trace_handle *handle;
    const char *sections; /* of a configuration */
    int detailed;
    double changed_s;
    struct trace_table before, after; /* if detailed: profiles, */
    char *report;                     /* and the report as silas-model writes it */
    size_t report_size;
};

/* The report of a what-if with the profiles before and after. */
static enum status report_what_if(struct asked_what_if *asked, struct replay_session *session,
                                  struct error *error)
{
    assert(!asked->report && session->result.count == 0);
    struct arena *arena = arena_create();
    struct replay_report report = {0};
    struct found_details found = {0};
    enum status status =
        (arena ? replay_session_run(session, error) : error_memory(error, "the report"))
            ?: replay_summarize(&session, 1, arena, &report, error);
    if (status == STATUS_OK) {
        status = report_details_find(replay_session_before(session), replay_session_after(session),
                                     REPORT_WANTS_POP, &found, error)
                     ?: table_of_severities("profile", report.comparison.before, &asked->before,
                                            error)
                     ?: table_of_severities("profile", report.comparison.after, &asked->after,
                                            error);
        FILE *stream =
            status == STATUS_OK ? open_memstream(&asked->report, &asked->report_size) : NULL;
        const struct report whole = {.replay = &report, .details = &found.details};
        bool written = stream && json_replay_write(&whole, stream);
        written = stream && fclose(stream) == 0 && written;
        if (status == STATUS_OK && !written)
            status = error_memory(error, "the report");
        report_details_clear(&found);
        replay_summary_clear(&report);
    }
    arena_destroy(arena);
    return status;
}

static enum status compute_what_if(void *data, struct error *error)
{
    struct asked_what_if *asked = data;
    struct trace_handle *handle = asked->handle;
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    char *text = NULL;
    if (asprintf(&text, "%s%s", asked->sections, model_text) < 0)
        return error_memory(error, "the what-if");
    enum status status =
        prepare_model(handle, error)
            ?: replay_config_of_text(what_if_name, text, &engine_model, &config, error)
            ?: replay_session_open_beside(&handle->base, config, &session, error);
    free(text);
    struct engine_setup setup = {0};
    if (status == STATUS_OK) {
        setup = replay_config_setup(config, &engine_model);
        setup.original = handle->state;
        asked->changed_s = handle->unchanged_s;
    }
    if (status == STATUS_OK && asked->detailed)
        status = report_what_if(asked, session, error);
    else if (status == STATUS_OK && session->changed)
        status = engine_predict_changed(&engine_model, &setup, session->changed, NULL,
                                        &asked->changed_s, error);
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}

static PyObject *trace_what_if(PyObject *self, PyObject *arguments)
{
    struct asked_what_if asked = {.handle = (struct trace_handle *)self};
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(arguments, "sp", &asked.sections, &asked.detailed))
        return NULL;
    const bool done = work_run(compute_what_if, &asked);
    if (done && asked.detailed) {
        PyObject *before = take_columns(NULL, &asked.before);
        PyObject *after = before ? take_columns(NULL, &asked.after) : NULL;
        if (after)
            result =
                Py_BuildValue("(s#NN)", asked.report, (Py_ssize_t)asked.report_size, before, after);
        else
            Py_XDECREF(before);
    } else if (done) {
        result = Py_BuildValue("(dd)", asked.handle->unchanged_s, asked.changed_s);
    }
    trace_table_clear(&asked.before);
    trace_table_clear(&asked.after);
    free(asked.report);
    return result;
}

/* A side of a comparison: a trace in memory, or what is at a path. */
struct compared_side {
    struct trace *trace; /* NULL: the path counts */
    const char *path;
    PyObject *encoded; /* has the path; NULL: there is none */
};

struct compared_results {
    struct compared_side sides[2]; /* before, after */
    size_t first;                  /* 1: `before` is what the result of a replay was before */
    struct processes processes;
    double before_s, after_s;
    struct trace_table table;
};

static enum status open_side(const struct compared_side *side, struct processes *processes,
                             struct result *result, struct error *error)
{
    if (!side->trace)
        return result_open(side->path, processes, result, error);
    enum status status = side->trace->matched ? STATUS_OK : trace_match(side->trace, error);
    return status ?: result_of_trace(side->trace, result, error);
}

static enum status compare_opened(struct compared_results *compared, const struct result *runs,
                                  struct error *error)
{
    const struct result *after = &runs[1];
    const bool replayed = compared->first == 1 && after->report;
    const struct severity *before = replayed ? after->report->before : runs[0].severity;
    if (!before)
        return error_set(error, STATUS_INPUT,
                         "%s is not the output directory of silas-replay or silas-model",
                         after->path);
    compared->after_s = after->time_s;
    compared->before_s = replayed ? after->report->before_s : runs[0].time_s;
    return table_of_changes(before, after->severity, &compared->table, error);
}

static enum status compare_results(void *data, struct error *error)
{
    struct compared_results *compared = data;
    const size_t first = compared->first;
    struct processes *processes = &compared->processes;
    struct result runs[2] = {{0}, {0}};
    enum status status = be_alone(processes, error);
    for (size_t i = first; i < 2 && status == STATUS_OK; i++)
        status = open_side(&compared->sides[i], processes, &runs[i], error);
    status = status ?: results_make_alike(runs + first, 2 - first, processes, error)
                           ?: compare_opened(compared, runs, error);
    result_clear(&runs[0]);
    result_clear(&runs[1]);
    return status;
}

/* False with an exception. */
static bool read_compared_side(PyObject *object, struct compared_side *side)
{
    if (PyObject_TypeCheck(object, trace_type)) {
        side->trace = ((struct trace_handle *)object)->trace;
        return true;
    }
    if (!PyUnicode_FSConverter(object, &side->encoded))
        return false;
    side->path = PyBytes_AsString(side->encoded);
    return side->path != NULL;
}

/* compare(before or None, after): (T before, T after, {name: column}) of handles or of results at
 * paths. */
static PyObject *compare_results_of(PyObject *module, PyObject *arguments)
{
    struct compared_results compared = {0};
    PyObject *before, *after, *columns = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &before, &after))
        return NULL;
    compared.first = before == Py_None;
    if ((before == Py_None || read_compared_side(before, &compared.sides[0])) &&
        read_compared_side(after, &compared.sides[1]) && work_run(compare_results, &compared))
        columns = take_columns(NULL, &compared.table);
    trace_table_clear(&compared.table);
    Py_XDECREF(compared.sides[0].encoded);
    Py_XDECREF(compared.sides[1].encoded);
    return columns ? Py_BuildValue("(ddN)", compared.before_s, compared.after_s, columns) : NULL;
}

/* make_column(format, values as bytes): a column of a table that Python has computed. */
static PyObject *make_column(PyObject *module, PyObject *arguments)
{
    int format;
    const char *bytes;
    Py_ssize_t size;
    PyObject *categories;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Cy#O", &format, &bytes, &size, &categories))
        return NULL;
    char *data = malloc((size_t)size + 1);
    if (!data)
        return PyErr_NoMemory();
    memcpy(data, bytes, (size_t)size);
    return column_new(NULL, data, (size_t)size / column_width((char)format), (char)format, false,
                      categories == Py_None ? NULL : categories);
}

static bool module_add_types(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"table", trace_table, METH_VARARGS, "table(name): {name: column}"},
        {"facts", trace_facts, METH_NOARGS, "facts(): a dictionary"},
        {"what_if", trace_what_if, METH_VARARGS,
         "what_if(sections, detailed): (T before, T after), or (report, profile before, after)"},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, trace_dealloc},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {"silas._silas.Handle", sizeof(struct trace_handle), 0,
                               Py_TPFLAGS_DEFAULT, slots};
    trace_type = (PyTypeObject *)PyType_FromSpec(&spec);
    silas_error = PyErr_NewExceptionWithDoc(
        "silas.Error", "What a command of SILAS would print before it ends.", NULL, NULL);
    silas_warning = PyErr_NewExceptionWithDoc("silas.Warning",
                                              "What a command of SILAS would print as a warning.",
                                              PyExc_UserWarning, NULL);
    if (!trace_type || !silas_error || !silas_warning)
        return false;
    Py_INCREF(silas_error);
    Py_INCREF(silas_warning);
    return column_type_add(module) == 0 && PyModule_AddObject(module, "Error", silas_error) == 0 &&
           PyModule_AddObject(module, "Warning", silas_warning) == 0 &&
           PyModule_AddStringConstant(module, "__version__", PACKAGE_VERSION) == 0;
}

PyMODINIT_FUNC PyInit__silas(void);

PyMODINIT_FUNC PyInit__silas(void)
{
    static PyMethodDef functions[] = {
        {"open", open_path, METH_VARARGS, "open(path, correct_clocks): a handle"},
        {"compare", compare_results_of, METH_VARARGS, "compare(before or None, after)"},
        {"column", make_column, METH_VARARGS, "column(format, bytes, categories)"},
        {"arrow_schema", arrow_schema, METH_VARARGS, "arrow_schema(names, columns)"},
        {"arrow_array", arrow_array, METH_VARARGS, "arrow_array(names, columns)"},
        {"arrow_stream", arrow_stream, METH_VARARGS, "arrow_stream(names, columns)"},
        {NULL, NULL, 0, NULL},
    };
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "silas._silas",
                                            .m_size = -1, .m_methods = functions};
    PyObject *module = PyModule_Create(&definition);
    log_open("silas", true);
    log_hold();
    progress_set_mode(PROGRESS_NEVER);
    if (module && !module_add_types(module))
        Py_CLEAR(module);
    return module;
}
