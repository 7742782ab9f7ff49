#include "predict/from/write_script.h"

#include "base/plural.h"
#include "predict/from/declare_comms.h"
#include "predict/from/times.h"
#include "predict/script.h"
#include "trace/calls/collective_operations.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_SHOWN \
    0.02 /* relative error of lengths from which a comment in the script states it */
#define SHORTEST_COMPUTE 1e-9 /* seconds: shorter computation is left out */

/* A region that has become a part: called by its name. */
struct region_part {
    const char *name;
    const char *body;       /* its statements */
    const char *parameters; /* "i, j": variables of the loops around it that it uses */
};

struct script_writer {
    const struct outline_values *values;
    struct expressions *e; /* owns the texts */
    struct script_text *out;
    struct bytes text; /* the outline that is being written, */
    int level;         /* and its indentation */
    ARRAY(struct region_part) parts;
    bool out_of_memory;
};

#define PUT(w, ...)      ((w)->out_of_memory |= !bytes_print(&(w)->text, __VA_ARGS__))

/* The beginning of a line. */
#define PUT_LINE(w, ...) (PUT((w), "%*s", 4 * (w)->level, ""), PUT((w), __VA_ARGS__))

/* Ends the text that is being written and goes back to the one before. The expressions own the
 * result; "" when memory is out. */
static const char *end_text(struct script_writer *w, struct bytes before)
{
    const char *text = NULL;
    if (!w->out_of_memory)
        text = expressions_text(w->e, "%s", w->text.data ? w->text.data : "");
    w->out_of_memory |= !text;
    bytes_clear(&w->text);
    w->text = before;
    return text ? text : "";
}

/* Begins another text; returns the one that was being written. */
static struct bytes begin_text(struct script_writer *w)
{
    struct bytes before = w->text;
    w->text = (struct bytes){0};
    return before;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a word occurs in a text, outside of comments and texts in quotes. */
static bool mentions(const char *text, const char *word)
{
    size_t length = strlen(word);
    bool quoted = false;
    for (const char *at = text; *at; at++) {
        if (*at == '#' && !quoted) {
            at += strcspn(at, "\n");
            if (!*at)
                break;
        }
        quoted ^= *at == '"';
        if (!quoted && strncmp(at, word, length) == 0 && !is_word(at[length]) &&
            (at == text || !is_word(at[-1])))
            return true;
    }
    return false;
}

static struct expressed value_of(struct script_writer *w, const struct outline_item *item,
                                 enum value_kind kind, enum fit_kind fit)
{
    const struct value_column *column = &w->values->items[item->number].columns[kind];
    bool in_comm = kind == VALUE_SEND_PEER || kind == VALUE_RECEIVE_PEER || kind == VALUE_ROOT;
    struct expressed expressed = express(w->e, fit, column, item->depth,
                                         in_comm ? item->step.comm : INDEX_NONE, value_names[kind]);
    w->out->means += expressed.mean;
    return expressed;
}

static const char *or_zero(const char *text)
{
    return text ? text : "0";
}

/* "3.5 us" for a number of seconds, else the expression. */
static const char *seconds_text(struct script_writer *w, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    return *end ? text : or_zero(expressions_text(w->e, "%.6g us", seconds * 1e6));
}

static void put_cpu(struct script_writer *w, const struct value_column *column, uint32_t depth)
{
    struct expressed time = express_time(w->e, column, depth, value_names[VALUE_BEFORE]);
    char *end;
    if (!time.text || (strtod(time.text, &end) < SHORTEST_COMPUTE && !*end))
        return;
    PUT_LINE(w, "cpu %s;", seconds_text(w, time.text));
    if (time.error > ERROR_SHOWN)
        PUT(w, " # within %.0f %%", 100 * time.error);
    PUT(w, "\n");
}

/* "MPI_Isend" -> "isend". */
static void put_call(struct script_writer *w, uint32_t call)
{
    PUT(w, "%*s", 4 * w->level, "");
    for (const char *name = mpi_call_infos[call].name + strlen("MPI_"); *name; name++)
        PUT(w, "%c", tolower((unsigned char)*name));
}

static void put_end(struct script_writer *w, const struct outline_item *item, enum value_kind first)
{
    struct expressed peer = value_of(w, item, first, FIT_RANK);
    struct expressed bytes = value_of(w, item, first + 1, FIT_WHOLE);
    struct expressed tag = value_of(w, item, first + 2, FIT_WHOLE);
    PUT(w, " %s %s %s", or_zero(bytes.text), first == VALUE_SEND_PEER ? "to" : "from", peer.text);
    if (tag.text && strcmp(tag.text, "0") != 0)
        PUT(w, " tag %s", tag.text);
}

/* The name of a request: what posts it, and a number where several are open that are not completed
 * together. */
static void put_request(struct script_writer *w, uint32_t request)
{
    const uint32_t *key = w->e->steps->requests.items.items[request].data;
    const char *name = mpi_call_infos[key[0]].name + strlen("MPI_I");
    if (w->e->steps->is_numbered[key[0]])
        PUT(w, "%s_%u", name, key[1] + 1);
    else
        PUT(w, "%ss", name);
}

static void put_message(struct script_writer *w, const struct outline_item *item)
{
    const struct value_column *columns = w->values->items[item->number].columns;
    bool sends = columns[VALUE_SEND_PEER].list.count > 0;
    bool receives = columns[VALUE_RECEIVE_PEER].list.count > 0;
    put_call(w, item->step.call);
    if (sends)
        put_end(w, item, VALUE_SEND_PEER);
    if (sends && receives)
        PUT(w, ",");
    if (receives)
        put_end(w, item, VALUE_RECEIVE_PEER);
}

/* Counts that the recording does not have are taken to be the caller's own. */
static void put_collective(struct script_writer *w, const struct outline_item *item)
{
    enum mpi_call call = (enum mpi_call)item->step.call;
    enum collective_op op = mpi_call_infos[call].operation;
    struct expressed send = value_of(w, item, VALUE_SEND_COUNTS, FIT_WHOLE);
    struct expressed receive = value_of(w, item, VALUE_RECEIVE_COUNTS, FIT_WHOLE);
    struct expressed root = value_of(w, item, VALUE_ROOT, FIT_RANK);
    struct expressed bytes = {0};
    bool barrier = op == COLLECTIVE_BARRIER;
    bool pairs = op == COLLECTIVE_ALLTOALLV || op == COLLECTIVE_ALLTOALLW;
    if (!barrier && !(pairs && send.text))
        bytes = value_of(w, item, VALUE_BYTES, FIT_WHOLE);
    if (pairs)
        put_call(w, mpi_call_infos[call].class == MPI_CLASS_ICOLLECTIVE ? MPI_CALL_IALLTOALLV
                                                                        : MPI_CALL_ALLTOALLV);
    else
        put_call(w, call);
    if (!barrier)
        PUT(w, " %s", pairs && send.text ? send.text : or_zero(bytes.text));
    if (root.text)
        PUT(w, " root %s", root.text);
    if (pairs && receive.text)
        PUT(w, " receive %s", receive.text);
    else if (!pairs && (send.text || receive.text || collective_op_has_counts(op)))
        PUT(w, " counts %s",
            send.text ? send.text : or_zero(receive.text ? receive.text : bytes.text));
}

static bool waits_for_all(const struct script_writer *w, const struct outline_item *wait)
{
    return w->values->items[wait->number].waits_for_all && wait->step.call == MPI_CALL_WAITALL;
}

/* A wait names the requests that it completes, unless these are all. */
static void put_wait(struct script_writer *w, const struct outline_item *item)
{
    const struct item_values *values = &w->values->items[item->number];
    put_call(w, item->step.call);
    for (size_t i = 0; i < values->requests.count && !waits_for_all(w, item); i++) {
        PUT(w, "%s", i ? ", " : " ");
        put_request(w, values->requests.items[i]);
    }
}

/* Waits that complete nothing on any rank, and communicators that are freed but unknown, are left
 * out. */
static bool is_left_out(const struct script_writer *w, const struct outline_item *item)
{
    if (item->step.kind == ACTION_WAIT)
        return !waits_for_all(w, item) && w->values->items[item->number].requests.count == 0;
    return item->step.kind == ACTION_FREE && item->step.made == INDEX_NONE;
}

static void put_step(struct script_writer *w, const struct outline_item *item)
{
    const struct script_comm *comms = w->e->steps->comms.items;
    if (is_left_out(w, item))
        return;
    switch ((enum action_kind)item->step.kind) {
    case ACTION_MESSAGE:
        put_message(w, item);
        break;
    case ACTION_COLLECTIVE:
        put_collective(w, item);
        break;
    case ACTION_WAIT:
        put_wait(w, item);
        break;
    default: /* a communicator is created or freed */
        PUT_LINE(w, item->step.kind == ACTION_CREATE ? "create %s" : "free %s",
                 comms[item->step.made].name);
    }
    bool communicates = item->step.kind == ACTION_MESSAGE || item->step.kind == ACTION_COLLECTIVE;
    if (communicates && item->step.comm != 0 && item->step.comm != INDEX_NONE)
        PUT(w, " on %s", comms[item->step.comm].name);
    if (item->request != INDEX_NONE) {
        PUT(w, " as ");
        put_request(w, item->request);
    }
    PUT(w, ";\n");
}

static void put_list(struct script_writer *w, const struct outline_list *list);

static const char *body_of(struct script_writer *w, int level, const struct outline_item *item)
{
    struct bytes before = begin_text(w);
    int level_before = w->level;
    w->level = level;
    put_list(w, &item->body);
    if (item->kind == NODE_REGION)
        put_cpu(w, &w->values->items[item->number].columns[VALUE_AFTER], item->depth);
    w->level = level_before;
    return end_text(w, before);
}

static void put_loop(struct script_writer *w, const struct outline_item *item, const char *times)
{
    if (strcmp(times, "1") == 0) {
        PUT(w, "%s", body_of(w, w->level, item));
        return;
    }
    const char *variable = loop_variable(item->depth), *body = body_of(w, w->level + 1, item);
    char *end;
    long count = strtol(times, &end, 10);
    if (!*variable || !mentions(body, variable))
        PUT_LINE(w, "loop (%s) {\n", times);
    else if (*end)
        PUT_LINE(w, "loop %s = 0 to (%s) - 1 {\n", variable, times);
    else
        PUT_LINE(w, "loop %s = 0 to %ld {\n", variable, count - 1);
    PUT(w, "%s", body);
    PUT_LINE(w, "}\n");
}

/* Whether a region's name can be that of a part. */
static bool can_be_part(const struct script_writer *w, const char *name)
{
    static const char *const taken[] = {"main", "world", "cart", "split", "sub", "dup"};
    bool free = isalpha((unsigned char)*name) && !script_is_reserved(name) &&
                mpi_call_from_name(name) == MPI_CALL_NONE;
    for (const char *at = name; *at; at++)
        free &= is_word(*at);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        free &= strcmp(name, taken[i]) != 0;
    char mpi_name[128]; /* MPI's calls are steps, or may become one */
    snprintf(mpi_name, sizeof mpi_name, "MPI_%s", name);
    free &= mpi_call_from_name(mpi_name) == MPI_CALL_NONE;
    for (uint32_t i = 0; i < w->e->parameter_count; i++)
        free &= strcmp(w->e->parameters[i].name, name) != 0;
    for (size_t i = 0; i < w->e->steps->comms.count; i++)
        free &= strcmp(w->e->steps->comms.items[i].name, name) != 0;
    for (uint32_t i = 0; i < VALUE_INDICES; i++)
        free &= strcmp(loop_variable(i), name) != 0;
    return free;
}

/* Variables of the loops around that a body uses: "i, j". */
static const char *parameters_of(struct script_writer *w, const char *body, uint32_t depth)
{
    struct bytes before = begin_text(w);
    for (uint32_t i = 0; i < depth; i++)
        if (*loop_variable(i) && mentions(body, loop_variable(i)))
            PUT(w, "%s%s", w->text.size ? ", " : "", loop_variable(i));
    return end_text(w, before);
}

/* Lines of a body at level 1, at the level after the current one. */
static void put_body(struct script_writer *w, const char *body)
{
    for (const char *end; *body && !w->out_of_memory; body = end) {
        end = body + strcspn(body, "\n") + 1;
        PUT_LINE(w, "%.*s", (int)(end - body), body);
    }
}

static void put_quoted(struct script_writer *w, const char *text)
{
    PUT(w, "\"");
    for (; *text; text++)
        PUT(w, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    PUT(w, "\"");
}

/* A region becomes a call of a part. Another region of the same name with other contents stands
 * where it is. Its body must not be found a second time: in a recursion, where each level is such
 * a region, that would double the work with each level. */
static void put_region(struct script_writer *w, const struct outline_item *item)
{
    const char *name = step_region(w->e->steps, &item->step);
    const char *body = body_of(w, 1, item);
    const char *parameters = parameters_of(w, body, item->depth);
    struct region_part *part = NULL;
    for (size_t i = 0; i < w->parts.count && !part; i++)
        if (strcmp(w->parts.items[i].name, name) == 0)
            part = &w->parts.items[i];
    if (!part && can_be_part(w, name)) {
        struct region_part made = {name, body, parameters};
        w->out_of_memory |= !array_push(&w->parts, made);
        part = w->out_of_memory ? NULL : &w->parts.items[w->parts.count - 1];
    }
    if (part && strcmp(part->body, body) == 0) {
        PUT_LINE(w, "%s(%s);\n", name, parameters);
        return;
    }
    PUT_LINE(w, "region ");
    put_quoted(w, name);
    PUT(w, " {\n");
    put_body(w, body);
    PUT_LINE(w, "}\n");
}

static void put_item(struct script_writer *w, const struct outline_item *item, const char *times)
{
    put_cpu(w, &w->values->items[item->number].columns[VALUE_BEFORE], item->depth);
    if (item->kind == NODE_LOOP)
        put_loop(w, item, times);
    else if (item->kind == NODE_REGION)
        put_region(w, item);
    else
        put_step(w, item);
}

/* The condition under which an item is done; NULL: always. `*times` becomes how often a loop is
 * done then. */
static const char *condition_of(struct script_writer *w, const struct outline_item *item,
                                const char **times)
{
    const struct value_column *column = &w->values->items[item->number].columns[VALUE_TIMES];
    struct expressed whether = express_truth(w->e, column, item->depth);
    struct expressed count = {.text = "1"};
    if (item->kind == NODE_LOOP)
        count = express_positive(w->e, column, item->depth, value_names[VALUE_TIMES]);
    w->out->means += whether.mean || count.mean;
    *times = or_zero(count.text);
    return strcmp(or_zero(whether.text), "1") == 0 ? NULL : or_zero(whether.text);
}

/* Items that follow each other under one condition share it. */
static void put_list(struct script_writer *w, const struct outline_list *list)
{
    const char *open = NULL;
    for (size_t i = 0; i < list->items.count && !w->out_of_memory; i++) {
        const char *times;
        const struct outline_item *item = list->items.items[i];
        const char *condition = condition_of(w, item, &times);
        if (open && (!condition || strcmp(open, condition) != 0)) {
            w->level--;
            PUT_LINE(w, "}\n");
            open = NULL;
        }
        if (condition && !open) {
            PUT_LINE(w, "if (%s) {\n", condition);
            w->level++;
            open = condition;
        }
        put_item(w, item, times);
    }
    if (open) {
        w->level--;
        PUT_LINE(w, "}\n");
    }
}

static void put_heading(struct script_writer *w)
{
    const struct script_steps *steps = w->e->steps;
    PUT(w, "# Made from recordings by silas-predict --from:\n");
    for (uint32_t p = 0; p < steps->program_count; p++) {
        const struct recorded_program *program = &steps->programs[p];
        PUT(w, "#   %s: %u rank%s", program->recording->path, program->trace->rank_count,
            plural(program->trace->rank_count));
        for (uint32_t i = 0; i < program->recording->count; i++)
            PUT(w, ", %s = %.10g", program->recording->names[i], program->recording->values[i]);
        PUT(w, ", %.6g s\n", program->recorded_s);
        if (program->time_s != program->recorded_s)
            PUT(w, "#     without the cost of tracing: %.6g s\n", program->time_s);
    }
    static const char *const notes[] = {
#define X(identifier, note) note,
        FROM_NOTES(X)
#undef X
    };
    for (int n = 0; n < FROM_NOTE_COUNT; n++) {
        int64_t times = 0;
        for (uint32_t p = 0; p < steps->program_count; p++)
            times += steps->programs[p].notes[n];
        if (times)
            PUT(w, "# %c%s.\n", toupper((unsigned char)notes[n][0]), notes[n] + 1);
    }
    if (w->out->means)
        PUT(w, "# %u values change from visit to visit without a rule: their means.\n",
            w->out->means);
    if (w->e->bound && w->e->steps->program_count > 1)
        PUT(w,
            "# %u tables with values of each recording, for which no formula is found: other sizes "
            "have those of the nearest.\n",
            w->e->bound);
}

static void put_program(struct script_writer *w, const struct program_frames *frames)
{
    PUT(w, "\n");
    if (!frames->name && frames->regions.count == 0)
        return;
    PUT(w, "program ");
    put_quoted(w, frames->name ? frames->name : "");
    for (size_t i = 0; i < frames->regions.count; i++) {
        PUT(w, ", ");
        put_quoted(w, frames->regions.items[i]);
    }
    PUT(w, ";\n");
}

static void put_declarations(struct script_writer *w, const char *startup, const char *shutdown,
                             const char *comms)
{
    struct expressions *e = w->e;
    for (uint32_t i = 0; i < e->parameter_count; i++)
        PUT(w, "param %s = %.17g;\n", e->parameters[i].name, e->parameters[i].values[0]);
    for (size_t i = 0; i < e->helpers.list.count; i++)
        PUT(w, "let %s = %s;\n", e->helpers.list.items[i].name, e->helpers.list.items[i].value);
    for (size_t i = 0; i < e->tables.count; i++)
        PUT(w, "table %s = %s;\n", e->tables.items[i].name, e->tables.items[i].items);
    if (startup)
        PUT(w, "startup %s;\n", seconds_text(w, startup));
    if (shutdown && strcmp(shutdown, "0") != 0)
        PUT(w, "shutdown %s;\n", seconds_text(w, shutdown));
    PUT(w, "%s\n", comms);
}

/* Counts the lines that are statements of parts; closing braces are none. */
static void count_statements(struct script_text *out, const char *parts)
{
    for (const char *line = parts; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        line += strspn(line, " ");
        out->loops += strncmp(line, "loop ", 5) == 0;
        out->statements +=
            *line != '}' && *line != '\n' && *line != '#' && strncmp(line, "part ", 5) != 0;
    }
}

enum status write_script(const struct outline *outline, const struct outline_values *values,
                         const struct program_frames *frames, struct expressions *expressions,
                         struct script_text *text, struct error *error)
{
    assert(values->count == outline->count);
    struct script_writer w = {.values = values, .e = expressions, .out = text, .level = 1};
    const struct bytes none = {0};
    put_list(&w, &outline->top);
    if (values->leaves_open)
        PUT_LINE(&w, "waitall;\n");
    put_cpu(&w, &values->end, 0);
    const char *main = end_text(&w, none);
    struct expressed startup = express_time(expressions, &values->startup, 0, "startup");
    struct expressed shutdown = express_time(expressions, &values->shutdown, 0, "shutdown");
    w.out_of_memory |= !declare_comms(expressions, &w.text);
    const char *comms = end_text(&w, none);
    put_heading(&w);
    put_program(&w, frames);
    put_declarations(&w, startup.text, shutdown.text, comms);
    size_t parts = w.text.size;
    for (size_t i = 0; i < w.parts.count; i++) {
        const struct region_part *part = &w.parts.items[i];
        PUT(&w, "part %s%s%s%s {\n%s}\n\n", part->name, *part->parameters ? "(" : "",
            part->parameters, *part->parameters ? ")" : "", part->body);
    }
    PUT(&w, "part main {\n%s}\n", main);
    if (!w.out_of_memory)
        count_statements(text, w.text.data + parts);
    text->text = w.text;
    free(w.parts.items);
    if (!w.out_of_memory && !expressions->out_of_memory)
        return STATUS_OK;
    bytes_clear(&text->text);
    return error_memory(error, "a model script");
}
