#include "predict/from/write_script.h"

#include "base/plural.h"
#include "predict/from/declare_comms.h"
#include "predict/from/times.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A region that is a part of its own: called by its name. */
struct region_part {
    const char *name;
    const char *body;       /* its statements */
    const char *parameters; /* "i, j": variables of the loops around it that it uses */
};

struct writer {
    const struct outline *outline;
    const struct values *values;
    struct expressions *e;
    struct arena *arena;
    struct script_text *out;
    ARRAY(struct region_part) parts;
    bool no_memory;
};

static void put(struct writer *w, struct bytes *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void put(struct writer *w, struct bytes *text, const char *format, ...)
{
    va_list arguments;
    char *line = NULL;
    va_start(arguments, format);
    int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    w->no_memory |= length < 0 || !bytes_put(text, line, (size_t)length);
    if (length >= 0)
        free(line);
}

/* A line of `text` at a level of indentation. */
static void put_line(struct writer *w, struct bytes *text, int level, const char *line)
{
    put(w, text, "%*s%s\n", 4 * level, "", line);
}

static const char *keep(struct writer *w, struct bytes *text)
{
    const char *data = text->data ? text->data : "";
    char *copy = w->no_memory ? NULL : arena_strndup(w->arena, data, text->size);
    w->no_memory |= !copy;
    bytes_clear(text);
    return copy ? copy : "";
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

static struct expressed value_of(struct writer *w, const struct outline_item *item,
                                 enum value_kind kind, enum fit_kind fit)
{
    const struct value_column *column = &w->values->items[item->number].columns[kind];
    bool in_comm = kind == VALUE_SEND_PEER || kind == VALUE_RECEIVE_PEER || kind == VALUE_ROOT;
    struct expressed expressed = express(w->e, fit, column, item->depth,
                                         in_comm ? item->step.comm : INDEX_NONE, value_names[kind]);
    w->out->means += expressed.mean;
    return expressed;
}

/* "3.5 us" for a number of seconds, else the expression. */
static const char *seconds_text(struct writer *w, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    char number[64];
    if (*end)
        return text;
    snprintf(number, sizeof number, "%.6g us", seconds * 1e6);
    char *copy = arena_strdup(w->arena, number);
    w->no_memory |= !copy;
    return copy ? copy : "0";
}

static void put_cpu(struct writer *w, struct bytes *text, int level,
                    const struct value_column *column, uint32_t depth)
{
    struct expressed time = express_time(w->e, column, depth, value_names[VALUE_BEFORE]);
    char *end;
    if (!time.text || (strtod(time.text, &end) < 1e-9 && !*end))
        return;
    put(w, text, "%*scpu %s;", 4 * level, "", seconds_text(w, time.text));
    if (time.error > 0.02)
        put(w, text, " # within %.0f %%", 100 * time.error);
    put(w, text, "\n");
}

/* "MPI_Isend" -> "isend". */
static void put_call(struct writer *w, struct bytes *text, enum mpi_call call)
{
    const char *name = mpi_call_infos[call].name + strlen("MPI_");
    for (; *name; name++)
        put(w, text, "%c", tolower((unsigned char)*name));
}

static void put_end(struct writer *w, struct bytes *text, const struct outline_item *item,
                    enum value_kind first)
{
    struct expressed peer = value_of(w, item, first, FIT_RANK);
    struct expressed bytes = value_of(w, item, first + 1, FIT_WHOLE);
    struct expressed tag = value_of(w, item, first + 2, FIT_WHOLE);
    put(w, text, " %s %s %s", bytes.text ? bytes.text : "0",
        first == VALUE_SEND_PEER ? "to" : "from", peer.text);
    if (tag.text && strcmp(tag.text, "0") != 0)
        put(w, text, " tag %s", tag.text);
}

static void put_comm(struct writer *w, struct bytes *text, uint32_t comm)
{
    if (comm != 0 && comm != INDEX_NONE)
        put(w, text, " on %s", w->e->steps->comms.items[comm].name);
}

/* The name of a request: what posts it, and a number where several are open that are not completed
 * together. */
static void put_request(struct writer *w, struct bytes *text, uint32_t request)
{
    const uint32_t *key = w->e->steps->requests.items.items[request].data;
    const char *name = mpi_call_infos[key[0]].name + strlen("MPI_I");
    if (w->e->steps->is_numbered[key[0]])
        put(w, text, "%s_%u", name, key[1] + 1);
    else
        put(w, text, "%ss", name);
}

static void put_message(struct writer *w, struct bytes *text, const struct outline_item *item)
{
    const struct value_column *columns = w->values->items[item->number].columns;
    bool sends = columns[VALUE_SEND_PEER].list.count > 0;
    bool receives = columns[VALUE_RECEIVE_PEER].list.count > 0;
    put_call(w, text, (enum mpi_call)item->step.call);
    if (sends)
        put_end(w, text, item, VALUE_SEND_PEER);
    if (sends && receives)
        put(w, text, ",");
    if (receives)
        put_end(w, text, item, VALUE_RECEIVE_PEER);
    put_comm(w, text, item->step.comm);
}

/* Whether a call has sizes for each member; those that the recording does not tell are taken to be
 * the caller's own. */
static bool takes_counts(enum mpi_call call)
{
    switch (call) {
    case MPI_CALL_GATHERV:
    case MPI_CALL_SCATTERV:
    case MPI_CALL_ALLGATHERV:
    case MPI_CALL_REDUCE_SCATTER:
    case MPI_CALL_IGATHERV:
    case MPI_CALL_ISCATTERV:
    case MPI_CALL_IALLGATHERV:
    case MPI_CALL_IREDUCE_SCATTER:
        return true;
    default:
        return false;
    }
}

static void put_collective(struct writer *w, struct bytes *text, const struct outline_item *item)
{
    enum mpi_call call = (enum mpi_call)item->step.call;
    struct expressed send = value_of(w, item, VALUE_SEND_COUNTS, FIT_WHOLE);
    struct expressed receive = value_of(w, item, VALUE_RECEIVE_COUNTS, FIT_WHOLE);
    struct expressed root = value_of(w, item, VALUE_ROOT, FIT_RANK);
    struct expressed bytes = {0};
    bool barrier = call == MPI_CALL_BARRIER || call == MPI_CALL_IBARRIER;
    bool pairs = call == MPI_CALL_ALLTOALLV || call == MPI_CALL_IALLTOALLV ||
                 call == MPI_CALL_ALLTOALLW || call == MPI_CALL_IALLTOALLW;
    bool nonblocking = mpi_call_infos[call].class == MPI_CLASS_ICOLLECTIVE;
    if (!barrier && !(pairs && send.text))
        bytes = value_of(w, item, VALUE_BYTES, FIT_WHOLE);
    if (pairs)
        put(w, text, "%salltoallv", nonblocking ? "i" : "");
    else
        put_call(w, text, call);
    if (pairs && send.text)
        put(w, text, " %s", send.text);
    else if (!barrier)
        put(w, text, " %s", bytes.text ? bytes.text : "0");
    if (root.text)
        put(w, text, " root %s", root.text);
    if (pairs && receive.text)
        put(w, text, " receive %s", receive.text);
    else if (!pairs && (send.text || receive.text || takes_counts(call)))
        put(w, text, " counts %s",
            send.text      ? send.text
            : receive.text ? receive.text
            : bytes.text   ? bytes.text
                           : "0");
    put_comm(w, text, item->step.comm);
}

/* A wait names what it completes, unless that is all. False: no rank ever waits here for
 * anything. */
static bool put_wait(struct writer *w, struct bytes *text, const struct outline_item *item)
{
    const struct item_values *values = &w->values->items[item->number];
    put_call(w, text, (enum mpi_call)item->step.call);
    bool all = values->waits_for_all && item->step.call == MPI_CALL_WAITALL;
    for (size_t i = 0; i < values->requests.count && !all; i++) {
        put(w, text, "%s", i ? ", " : " ");
        put_request(w, text, values->requests.items[i]);
    }
    return all || values->requests.count > 0;
}

static void put_step(struct writer *w, struct bytes *text, int level,
                     const struct outline_item *item)
{
    struct bytes line = {0};
    bool there = true;
    switch ((enum action_kind)item->step.kind) {
    case ACTION_MESSAGE:
        put_message(w, &line, item);
        break;
    case ACTION_COLLECTIVE:
        put_collective(w, &line, item);
        break;
    case ACTION_WAIT:
        there = put_wait(w, &line, item);
        break;
    case ACTION_CREATE:
        put(w, &line, "create %s", w->e->steps->comms.items[item->step.made].name);
        break;
    case ACTION_FREE:
        there = item->step.made != INDEX_NONE;
        if (there)
            put(w, &line, "free %s", w->e->steps->comms.items[item->step.made].name);
        break;
    default:
        there = false;
    }
    uint32_t request = item->request;
    if (there && request != INDEX_NONE) {
        put(w, &line, " as ");
        put_request(w, &line, request);
    }
    if (there) {
        put(w, text, "%*s%s;\n", 4 * level, "", keep(w, &line));
    } else {
        bytes_clear(&line);
    }
}

static void put_list(struct writer *w, struct bytes *text, int level,
                     const struct outline_list *list);

static const char *body_of(struct writer *w, int level, const struct outline_item *item)
{
    struct bytes body = {0};
    put_list(w, &body, level, &item->body);
    if (item->kind == NODE_REGION)
        put_cpu(w, &body, level, &w->values->items[item->number].columns[VALUE_AFTER], item->depth);
    return keep(w, &body);
}

static void put_loop(struct writer *w, struct bytes *text, int level,
                     const struct outline_item *item, const char *times)
{
    if (strcmp(times, "1") == 0) {
        put(w, text, "%s", body_of(w, level, item));
        return;
    }
    const char *variable = loop_variable(item->depth), *body = body_of(w, level + 1, item);
    if (!*variable || !mentions(body, variable)) {
        put(w, text, "%*sloop (%s) {\n", 4 * level, "", times);
    } else {
        char *end;
        long count = strtol(times, &end, 10);
        if (*end)
            put(w, text, "%*sloop %s = 0 to (%s) - 1 {\n", 4 * level, "", variable, times);
        else
            put(w, text, "%*sloop %s = 0 to %ld {\n", 4 * level, "", variable, count - 1);
    }
    put(w, text, "%s", body);
    put_line(w, text, level, "}");
}

static const char *const reserved[] = {
    "program",   "param", "let",    "startup", "table",  "trace",   "communicator", "grid",
    "procedure", "part",  "loop",   "to",      "step",   "if",      "else",         "case",
    "compute",   "cpu",   "region", "create",  "free",   "write",   "read",         "from",
    "tag",       "on",    "as",     "root",    "counts", "receive", "and",          "or",
    "not",       "true",  "false",  "rank",    "size",   "peer",    "measured",     "main",
    "world",     "min",   "max",    "abs",     "floor",  "ceil",    "round",        "sqrt",
    "cbrt",      "exp",   "log",    "log2",    "xor",    "random",  "dims",         "coord",
    "shift",     "cart",  "split",  "sub",     "dup",    "wait",    "waitall",      "waitany",
};

/* Whether a region's name can be that of a part. */
static bool can_be_part(const struct writer *w, const char *name)
{
    if (!isalpha((unsigned char)*name) || mpi_call_from_name(name) != MPI_CALL_NONE)
        return false;
    for (const char *at = name; *at; at++)
        if (!is_word(*at))
            return false;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return false;
    char mpi_name[128]; /* a step: "send" */
    snprintf(mpi_name, sizeof mpi_name, "MPI_%s", name);
    if (mpi_call_from_name(mpi_name) != MPI_CALL_NONE)
        return false;
    for (uint32_t i = 0; i < w->e->parameter_count; i++)
        if (strcmp(w->e->parameters[i].name, name) == 0)
            return false;
    for (size_t i = 0; i < w->e->steps->comms.count; i++)
        if (strcmp(w->e->steps->comms.items[i].name, name) == 0)
            return false;
    for (uint32_t i = 0; i < VALUE_INDICES; i++)
        if (strcmp(loop_variable(i), name) == 0)
            return false;
    return true;
}

/* Variables of the loops around that a body uses: "i, j". */
static const char *parameters_of(struct writer *w, const char *body, uint32_t depth)
{
    struct bytes text = {0};
    for (uint32_t i = 0; i < depth; i++)
        if (*loop_variable(i) && mentions(body, loop_variable(i)))
            put(w, &text, "%s%s", text.size ? ", " : "", loop_variable(i));
    return keep(w, &text);
}

/* A region becomes a call of a part. Another region of the same name with other contents stands
 * where it is. */
static void put_region(struct writer *w, struct bytes *text, int level,
                       const struct outline_item *item)
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
        w->no_memory |= !array_push(&w->parts, made);
        part = w->no_memory ? NULL : &w->parts.items[w->parts.count - 1];
    }
    if (part && strcmp(part->body, body) == 0) {
        put(w, text, "%*s%s(%s);\n", 4 * level, "", name, parameters);
        return;
    }
    put(w, text, "%*sregion \"", 4 * level, "");
    for (const char *at = name; *at; at++)
        put(w, text, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    put(w, text, "\" {\n");
    put(w, text, "%s", body_of(w, level + 1, item));
    put_line(w, text, level, "}");
}

static void put_item(struct writer *w, struct bytes *text, int level,
                     const struct outline_item *item, const char *times)
{
    put_cpu(w, text, level, &w->values->items[item->number].columns[VALUE_BEFORE], item->depth);
    if (item->kind == NODE_LOOP)
        put_loop(w, text, level, item, times);
    else if (item->kind == NODE_REGION)
        put_region(w, text, level, item);
    else
        put_step(w, text, level, item);
}

/* The condition under which an item is done; NULL: always. `*times` becomes how often a loop is
 * done then. */
static const char *condition_of(struct writer *w, const struct outline_item *item,
                                const char **times)
{
    const struct value_column *column = &w->values->items[item->number].columns[VALUE_TIMES];
    struct expressed whether = express_truth(w->e, column, item->depth);
    struct expressed count = {.text = "1"};
    if (item->kind == NODE_LOOP)
        count = express_positive(w->e, column, item->depth, value_names[VALUE_TIMES]);
    w->out->means += whether.mean || count.mean;
    *times = count.text ? count.text : "0";
    const char *text = whether.text ? whether.text : "0";
    return strcmp(text, "1") == 0 || strcmp(text, "true") == 0 ? NULL : text;
}

/* Items that follow each other under one condition share it. */
static void put_list(struct writer *w, struct bytes *text, int level,
                     const struct outline_list *list)
{
    const char *open = NULL;
    for (size_t i = 0; i < list->items.count && !w->no_memory; i++) {
        const char *times;
        const struct outline_item *item = list->items.items[i];
        const char *condition = condition_of(w, item, &times);
        if (open && (!condition || strcmp(open, condition) != 0)) {
            put_line(w, text, level, "}");
            open = NULL;
        }
        if (condition && !open) {
            put(w, text, "%*sif (%s) {\n", 4 * level, "", condition);
            open = condition;
        }
        put_item(w, text, level + (open != NULL), item, times);
    }
    if (open)
        put_line(w, text, level, "}");
}

static void put_heading(struct writer *w, struct bytes *text)
{
    const struct steps *steps = w->e->steps;
    put(w, text, "# Made from recordings by silas-predict --from:\n");
    for (uint32_t p = 0; p < steps->program_count; p++) {
        const struct recorded_program *program = &steps->programs[p];
        put(w, text, "#   %s: %u rank%s", program->recording->path, program->trace->rank_count,
            plural(program->trace->rank_count));
        for (uint32_t i = 0; i < program->recording->count; i++)
            put(w, text, ", %s = %.10g", program->recording->names[i],
                program->recording->values[i]);
        put(w, text, ", %.6g s\n", program->time_s);
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
            put(w, text, "# %c%s.\n", toupper((unsigned char)notes[n][0]), notes[n] + 1);
    }
    if (w->out->means)
        put(w, text, "# %u values change from visit to visit without a rule: their means.\n",
            w->out->means);
}

static void put_declarations(struct writer *w, struct bytes *text, const char *startup,
                             const char *comms)
{
    struct expressions *e = w->e;
    put(w, text, "\n");
    for (uint32_t i = 0; i < e->parameter_count; i++)
        put(w, text, "param %s = %.17g;\n", e->parameters[i].name, e->parameters[i].values[0]);
    for (size_t i = 0; i < e->helpers.list.count; i++)
        put(w, text, "let %s = %s;\n", e->helpers.list.items[i].name,
            e->helpers.list.items[i].value);
    for (size_t i = 0; i < e->tables.count; i++)
        put(w, text, "table %s = %s;\n", e->tables.items[i].name, e->tables.items[i].items);
    if (startup)
        put(w, text, "startup %s;\n", seconds_text(w, startup));
    put(w, text, "%s\n", comms);
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

enum status write_script(const struct outline *outline, const struct values *values,
                         struct expressions *expressions, struct script_text *text,
                         struct error *error)
{
    struct writer w = {.outline = outline,
                       .values = values,
                       .e = expressions,
                       .arena = expressions->arena,
                       .out = text};
    struct bytes body = {0}, comms = {0};
    put_list(&w, &body, 1, &outline->top);
    put_cpu(&w, &body, 1, &values->end, 0);
    const char *main = keep(&w, &body);
    struct expressed startup = express_time(expressions, &values->startup, 0, "startup");
    w.no_memory |= !declare_comms(expressions, &comms);
    put_heading(&w, &text->text);
    put_declarations(&w, &text->text, startup.text, w.no_memory ? "" : keep(&w, &comms));
    size_t parts = text->text.size;
    for (size_t i = 0; i < w.parts.count; i++) {
        const struct region_part *part = &w.parts.items[i];
        put(&w, &text->text, "part %s%s%s%s {\n%s}\n\n", part->name, *part->parameters ? "(" : "",
            part->parameters, *part->parameters ? ")" : "", part->body);
    }
    put(&w, &text->text, "part main {\n%s}\n", main);
    if (bytes_put(&text->text, "", 1)) {
        count_statements(text, text->text.data + parts);
        text->text.size--;
    } else {
        w.no_memory = true;
    }
    free(w.parts.items);
    bytes_clear(&comms);
    return w.no_memory || expressions->no_memory ? error_memory(error, "a model script")
                                                 : STATUS_OK;
}
