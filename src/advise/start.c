#include "advise/start.h"

#include "advise/candidate.h"
#include "advise/trial.h"
#include "base/log.h"
#include "base/plural.h"
#include "base/sort.h"
#include "base/units.h"
#include "reduce/assumptions.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_MOST = 30, HYPOTHESES = 2 * START_REGIONS + 1, DIGITS = 4 };

/* What a region of the program takes, apart from the regions that it calls. Ticks of all ranks. */
struct place {
    uint32_t region;
    int64_t computation, wait;
};

struct start {
    const struct replay_session *base;
    struct candidate_list texts; /* owns the texts below */
    struct facts *facts;
    struct place *places; /* [region] */
    struct place *busy[START_REGIONS],
        *waiting[START_REGIONS]; /* the largest first; NULL: no more */
    const char *titles[HYPOTHESES];
    struct trial trials[HYPOTHESES];
    size_t order[HYPOTHESES]; /* of titles and trials: those that bring most first */
    size_t count;
    double time_s; /* T, as the model computes it */
};

static void add_up(struct start *start)
{
    const struct trace *trace = start->facts->trace;
    for (uint32_t r = 0; r < trace->definitions->region_count; r++)
        start->places[r].region = r;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        const struct path_facts *of = &start->facts->paths[path];
        const uint32_t region = path_own_region(trace, path);
        if (region == INDEX_NONE)
            continue;
        start->places[region].computation += of->computation;
        start->places[region].wait += of->wait;
    }
}

/* Puts the place into the list of the largest, if it belongs there. */
static void choose(struct place **list, struct place *place, int64_t (*value)(const struct place *))
{
    for (int i = 0; i < START_REGIONS && value(place) > 0; i++)
        if (!list[i] || value(place) > value(list[i])) {
            memmove(list + i + 1, list + i, (size_t)(START_REGIONS - 1 - i) * sizeof *list);
            list[i] = place;
            return;
        }
}

static int64_t computation_of(const struct place *place)
{
    return place->computation;
}

static int64_t wait_of(const struct place *place)
{
    return place->wait;
}

/* A region's name as the value of `region`: itself, or a pattern where it has what a line of a
 * configuration cannot have. */
static const char *region_value(struct start *start, uint32_t region)
{
    const char *name = start->facts->trace->definitions->regions[region].name;
    char *value = arena_strdup(start->texts.arena, name);
    bool plain = *name && !isspace((unsigned char)*name) && !strpbrk(name, ";#\"");
    for (const char *c = name; *c; c++)
        plain &= !iscntrl((unsigned char)*c) && (c[1] || *c != ' ');
    for (char *c = value; !plain && c && *c; c++)
        if (iscntrl((unsigned char)*c) || isspace((unsigned char)*c) || strchr(",*[];#\"\\", *c))
            *c = '?';
    return value;
}

/* A label after the region's name: "compute_forces 2" for the second hypothesis about it. */
static const char *region_label(struct start *start, uint32_t region)
{
    const char *name = start->facts->trace->definitions->regions[region].name;
    char label[LABEL_MOST + 1];
    size_t length = 0;
    for (; length < LABEL_MOST && name[length]; length++)
        label[length] = isalnum((unsigned char)name[length]) ? name[length] : '_';
    label[length] = '\0';
    return candidate_text(&start->texts, "%s %zu", label, start->count + 1);
}

/* False when memory is out. */
static bool add(struct start *start, const char *title, const char *sections)
{
    if (!title || !sections)
        return false;
    start->titles[start->count] = title;
    start->trials[start->count++] = (struct trial){.sections = sections, .saving = NAN};
    return true;
}

static bool add_scale(struct start *start, uint32_t region)
{
    const char *value = region_value(start, region), *label = region_label(start, region);
    return value && label &&
           add(start, "twice as fast, with all that it calls",
               candidate_text(&start->texts, "[scale %s]\nregion = %s\nfactor = 0.5\n", label,
                              value));
}

static bool add_balance(struct start *start, uint32_t region)
{
    const struct region_facts *of = &start->facts->regions[region];
    if (of->ranks < 2 || (double)of->longest * of->ranks <= 1.01 * (double)of->computation)
        return true;
    const char *value = region_value(start, region), *label = region_label(start, region);
    const double more = 100 * ((double)of->longest * of->ranks / (double)of->computation - 1);
    return value && label &&
           add(start,
               candidate_text(&start->texts,
                              "as long on all %u ranks (one computes %.0f %% longer than the mean)",
                              of->ranks, more),
               candidate_text(&start->texts, "[balance %s]\nregion = %s\n", label, value));
}

static bool add_all(struct start *start)
{
    bool added = true;
    for (int i = 0; i < START_REGIONS && start->busy[i] && added; i++)
        added =
            add_scale(start, start->busy[i]->region) && add_balance(start, start->busy[i]->region);
    return added && add(start,
                        "a network that takes no time: what remains is waiting and "
                        "computation (only silas-model)",
                        "[network]\nideal = yes\n");
}

/* Leaves the savings unknown where the trace allows no such questions. */
static enum status try_all(struct start *start, struct error *error)
{
    struct error unused;
    start->time_s = start->base->recorded_s;
    if (assumptions_check_request(start->base->original, "silas-init", &unused) != STATUS_OK)
        return STATUS_OK;
    return trials_compute(start->base, start->trials, start->count, &start->time_s, error);
}

/* Unknown savings come last. */
static void rank(struct start *start)
{
    for (size_t i = 0; i < start->count; i++) {
        const double saving = start->trials[i].saving;
        size_t place = i;
        for (; place > 0; place--) {
            const double before = start->trials[start->order[place - 1]].saving;
            if (isnan(saving) || (!isnan(before) && before >= saving))
                break;
            start->order[place] = start->order[place - 1];
        }
        start->order[place] = i;
    }
}

enum status start_find(const struct replay_session *base, struct start **result,
                       struct error *error)
{
    const struct trace *trace = base->original;
    const uint32_t region_count = trace->definitions->region_count;
    struct start *start = calloc(1, sizeof *start);
    *result = start;
    if (start) {
        start->base = base;
        start->texts.arena = arena_create();
        start->places = calloc(region_count + 1ul, sizeof *start->places);
    }
    enum status status = processes_agree_memory(
        base->processes, start && start->texts.arena && start->places, "the configuration", error);
    if (status == STATUS_OK)
        status = facts_gather(trace, &start->facts, error);
    if (status == STATUS_OK) {
        add_up(start);
        for (uint32_t r = 0; r < region_count; r++) {
            choose(start->busy, &start->places[r], computation_of);
            choose(start->waiting, &start->places[r], wait_of);
        }
        status =
            processes_agree_memory(base->processes, add_all(start), "the configuration", error);
    }
    if (status == STATUS_OK)
        status = try_all(start, error);
    if (status == STATUS_OK)
        rank(start);
    return status;
}

void start_destroy(struct start *start)
{
    if (!start)
        return;
    facts_destroy(start->facts);
    arena_destroy(start->texts.arena);
    free(start->texts.all.items);
    free(start->places);
    free(start);
}

/* A name in a comment: on one line. */
static void write_name(const char *name, FILE *stream)
{
    for (; *name; name++)
        putc(iscntrl((unsigned char)*name) ? '?' : *name, stream);
}

static void write_table(const struct start *start, const char *title, struct place *const *list,
                        int64_t (*value)(const struct place *), FILE *stream)
{
    const struct trace *trace = start->facts->trace;
    fprintf(stream, ";\n; %s, mean of %u ranks:\n", title, trace->rank_count);
    for (int i = 0; i < START_REGIONS && list[i]; i++) {
        const double mean = trace_seconds(trace, (double)value(list[i]) / trace->rank_count);
        fprintf(stream, ";   %10s  %5.1f %%  ", time_text_alone(mean, DIGITS).text,
                100 * mean / start->base->recorded_s);
        write_name(trace->definitions->regions[list[i]->region].name, stream);
        putc('\n', stream);
    }
    if (!list[0])
        fputs(";   none\n", stream);
}

/* Each line of the text, switched off. */
static void write_off(const char *sections, FILE *stream)
{
    while (*sections) {
        const size_t length = strcspn(sections, "\n");
        fprintf(stream, "#%.*s\n", (int)length, sections);
        sections += length + (sections[length] == '\n');
    }
}

static void write_hypothesis(const struct start *start, size_t index, FILE *stream)
{
    const struct trial *trial = &start->trials[index];
    fprintf(stream, "\n; %s:\n", start->titles[index]);
    if (isnan(trial->saving))
        fputs("; the model cannot say what this brings.\n", stream);
    else
        fprintf(stream, "; by the model T is %s instead of %s: %.1f %% less.\n",
                time_text_alone(start->time_s * (1 - trial->saving), DIGITS).text,
                time_text_alone(start->time_s, DIGITS).text, 100 * trial->saving);
    write_off(trial->sections, stream);
}

bool start_write(const struct start *start, FILE *stream)
{
    const struct trace *trace = start->facts->trace;
    const double recorded_s = start->base->recorded_s;
    char *absolute = realpath(trace->path, NULL);
    if (!absolute)
        return false;
    fprintf(
        stream,
        "; A configuration for silas-replay and silas-model: what would the program do if ...?\n"
        ";\n"
        ";   mpirun -np %u silas replay FILE     replay it for real, one process per rank\n"
        ";   silas model FILE                    compute it instead\n"
        ";\n"
        "; Lines that begin with a semicolon explain. Lines that begin with # are hypotheses\n"
        "; that are switched off: remove the # to try them, several at once if you like.\n"
        "; Times are numbers with a unit (20us, 1.5 s, 10m; seconds without one), sizes are\n"
        "; bytes, with k, M or G for powers of 1024. doc/config.md explains every key.\n"
        "\n"
        "[trace]\n"
        "path = %s\n"
        "; %u rank%s, T = %s\n",
        trace->rank_count, absolute, trace->rank_count, plural(trace->rank_count),
        time_text_alone(recorded_s, DIGITS).text);
    free(absolute);
    write_table(start, "Computation", start->busy, computation_of, stream);
    write_table(start, "Waiting for other ranks", start->waiting, wait_of, stream);
    fputs("\n[replay]\n"
          "; replays of each trace; from 5 on the result has an interval\n"
          "#repeat = 7\n"
          "; what computation spends: spin, or stream through memory\n"
          "#fill = spin\n"
          "\n[output]\n"
          "; a new folder; without this line, NAME-replay beside NAME.ini\n"
          "#directory = what-if\n"
          "#formats = text, json, html\n",
          stream);
    for (size_t i = 0; i < start->count; i++)
        write_hypothesis(start, start->order[i], stream);
    return true;
}
