#include "advise/config_draft.h"

#include "advise/candidate.h"
#include "advise/trial.h"
#include "base/plural.h"
#include "base/units.h"
#include "reduce/assumptions.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_MOST = 30, PROPOSALS_MOST = 2 * DRAFT_REGIONS + 1, TIME_DIGITS = 4 };

/* Savings are written in percent with one decimal: a smaller one would read as "0.0 % less". */
static const double LEAST_SHOWN_SAVING = 0.001;

/* A region whose longest rank computes less than this above the mean counts as balanced: balancing
 * it could save at most 1 % of its computation. */
static const double LEAST_IMBALANCE = 0.01;

/* What a region of the program takes apart from the regions that it calls, in ticks of all ranks.
 */
struct region_share {
    uint32_t region;
    int64_t computation, wait;
};

struct proposal {
    const char *title;
    struct hypothesis_trial trial;
};

struct config_draft {
    const struct replay_session *base;
    struct candidate_list texts; /* owns the texts below */
    struct facts *facts;
    struct region_share *shares;                   /* [region] */
    struct region_share *computing[DRAFT_REGIONS], /* the largest first; NULL: no more */
        *waiting[DRAFT_REGIONS];
    struct proposal proposals[PROPOSALS_MOST]; /* the largest saving first */
    size_t count;
    size_t worthwhile; /* the first of them, which save time, or whose savings are unknown */
    double time_s;     /* T, as the model computes it */
};

static void sum_by_region(struct config_draft *draft)
{
    const struct trace *trace = draft->facts->trace;
    for (uint32_t r = 0; r < trace->definitions->region_count; r++)
        draft->shares[r].region = r;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        const struct path_facts *of = &draft->facts->paths[path];
        const uint32_t region = path_program_region(trace, path);
        if (region == INDEX_NONE)
            continue;
        draft->shares[region].computation += of->computation;
        draft->shares[region].wait += of->wait;
    }
}

static int64_t computation_of_share(const struct region_share *share)
{
    return share->computation;
}

static int64_t wait_of_share(const struct region_share *share)
{
    return share->wait;
}

/* Puts the share into the list of the largest, if it belongs there. */
static void insert_largest(struct region_share **list, struct region_share *share,
                           int64_t (*value)(const struct region_share *))
{
    for (int i = 0; i < DRAFT_REGIONS && value(share) > 0; i++)
        if (!list[i] || value(share) > value(list[i])) {
            memmove(list + i + 1, list + i, (size_t)(DRAFT_REGIONS - 1 - i) * sizeof *list);
            list[i] = share;
            return;
        }
}

/* Makes a label of the region's name: "compute_forces 2" for the second proposal. */
static const char *make_label(struct config_draft *draft, uint32_t region)
{
    const char *name = draft->facts->trace->definitions->regions[region].name;
    char label[LABEL_MOST + 1];
    size_t length = 0;
    for (; length < LABEL_MOST && name[length]; length++)
        label[length] = isalnum((unsigned char)name[length]) ? name[length] : '_';
    label[length] = '\0';
    return candidate_text(&draft->texts, "%s %zu", label, draft->count + 1);
}

/* Returns false when out of memory, also for the texts of the draft. */
static bool propose(struct config_draft *draft, const char *title, const char *sections)
{
    assert(draft->count < PROPOSALS_MOST);
    draft->proposals[draft->count++] =
        (struct proposal){.title = title, .trial = {.sections = sections, .saving = NAN}};
    return !draft->texts.out_of_memory;
}

/* A region that contains all computation, such as main, is not proposed if it calls others that
 * compute: no change at one place makes the whole program faster. */
static bool propose_scale(struct config_draft *draft, const struct region_share *share)
{
    const int64_t all = draft->facts->computation;
    if (draft->facts->regions[share->region].computation == all && share->computation < all)
        return true;
    const char *name = candidate_region(&draft->texts, draft->facts->trace, share->region);
    const char *value = candidate_region_pattern(&draft->texts, draft->facts->trace, share->region);
    const char *label = make_label(draft, share->region);
    return propose(
        draft,
        candidate_text(&draft->texts, "%s and the functions that it calls compute in half the time",
                       name),
        candidate_text(&draft->texts, "[scale %s]\nregion = %s\nfactor = 0.5\n", label, value));
}

static bool propose_balance(struct config_draft *draft, uint32_t region)
{
    const struct region_facts *of = &draft->facts->regions[region];
    const double excess = (double)of->longest * of->ranks / (double)of->computation - 1;
    if (of->ranks < 2 || excess < LEAST_IMBALANCE)
        return true;
    const char *name = candidate_region(&draft->texts, draft->facts->trace, region);
    const char *value = candidate_region_pattern(&draft->texts, draft->facts->trace, region);
    const char *label = make_label(draft, region);
    return propose(draft,
                   candidate_text(&draft->texts,
                                  "%s computes equally long on all %u ranks (now one rank computes "
                                  "%.0f %% longer than the mean)",
                                  name, of->ranks, 100 * excess),
                   candidate_text(&draft->texts, "[balance %s]\nregion = %s\n", label, value));
}

static bool propose_all(struct config_draft *draft)
{
    bool proposed = true;
    for (int i = 0; i < DRAFT_REGIONS && draft->computing[i] && proposed; i++)
        proposed = propose_scale(draft, draft->computing[i]) &&
                   propose_balance(draft, draft->computing[i]->region);
    return proposed && propose(draft,
                               "messages take no time, so that only computation and waiting for "
                               "it remain (only for silas-model)",
                               "[network]\nideal = yes\n");
}

static int compare_savings(const void *first, const void *second)
{
    const double a = ((const struct proposal *)first)->trial.saving;
    const double b = ((const struct proposal *)second)->trial.saving;
    return (a < b) - (a > b);
}

/* Predicts the saving of each proposal and sorts them. Where the model cannot predict the trace,
 * they stay unknown and in their order. */
static enum status predict_savings(struct config_draft *draft, struct error *error)
{
    struct error unused;
    struct hypothesis_trial trials[PROPOSALS_MOST];
    draft->worthwhile = draft->count;
    if (assumptions_check_request(draft->base->original, "silas-init", &unused) != STATUS_OK)
        return STATUS_OK;
    for (size_t i = 0; i < draft->count; i++)
        trials[i] = draft->proposals[i].trial;
    enum status status = trials_compute(draft->base, trials, draft->count, &draft->time_s, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < draft->count; i++)
        draft->proposals[i].trial.saving = isnan(trials[i].saving) ? -INFINITY : trials[i].saving;
    qsort(draft->proposals, draft->count, sizeof *draft->proposals, compare_savings);
    while (draft->worthwhile > 0 &&
           draft->proposals[draft->worthwhile - 1].trial.saving < LEAST_SHOWN_SAVING)
        draft->worthwhile--;
    return STATUS_OK;
}

static enum status find_proposals(struct config_draft *draft, struct error *error)
{
    const struct replay_session *base = draft->base;
    sum_by_region(draft);
    for (uint32_t r = 0; r < base->original->definitions->region_count; r++) {
        insert_largest(draft->computing, &draft->shares[r], computation_of_share);
        insert_largest(draft->waiting, &draft->shares[r], wait_of_share);
    }
    return processes_agree_memory(base->processes, propose_all(draft), "the configuration", error)
               ?: predict_savings(draft, error);
}

enum status config_draft_make(const struct replay_session *base, struct config_draft **result,
                              struct error *error)
{
    assert(base->original);
    const struct trace *trace = base->original;
    struct config_draft *draft = calloc(1, sizeof *draft);
    if (draft) {
        draft->base = base;
        draft->time_s = base->recorded_s;
        draft->texts.arena = arena_create();
        draft->shares = calloc(trace->definitions->region_count + 1ul, sizeof *draft->shares);
    }
    enum status status =
        processes_agree_memory(base->processes, draft && draft->texts.arena && draft->shares,
                               "the configuration", error)
            ?: facts_gather(trace, &draft->facts, error)
            ?: find_proposals(draft, error);
    if (status != STATUS_OK) {
        config_draft_destroy(draft);
        draft = NULL;
    }
    *result = draft;
    return status;
}

void config_draft_destroy(struct config_draft *draft)
{
    if (!draft)
        return;
    facts_destroy(draft->facts);
    arena_destroy(draft->texts.arena);
    free(draft->texts.all.items);
    free(draft->shares);
    free(draft);
}

size_t config_draft_count(const struct config_draft *draft)
{
    return draft->worthwhile;
}

const char *config_draft_best(const struct config_draft *draft, double *saving)
{
    if (draft->worthwhile == 0 || isnan(draft->proposals[0].trial.saving))
        return NULL;
    *saving = draft->proposals[0].trial.saving;
    return draft->proposals[0].title;
}

/* Writes a text that may contain names on one line, so that it stays within a comment. */
static void write_on_one_line(const char *text, FILE *stream)
{
    for (; *text; text++)
        putc(iscntrl((unsigned char)*text) ? '?' : *text, stream);
}

static void write_share_table(const struct config_draft *draft, const char *title,
                              struct region_share *const *list,
                              int64_t (*value)(const struct region_share *), FILE *stream)
{
    const struct trace *trace = draft->facts->trace;
    fprintf(stream, ";\n; %s, mean of %u ranks:\n", title, trace->rank_count);
    for (int i = 0; i < DRAFT_REGIONS && list[i]; i++) {
        const double mean_s = trace_seconds(trace, (double)value(list[i]) / trace->rank_count);
        fprintf(stream, ";   %10s  %5.1f %%  ", time_text_alone(mean_s, TIME_DIGITS).text,
                100 * mean_s / draft->base->recorded_s);
        write_on_one_line(trace->definitions->regions[list[i]->region].name, stream);
        putc('\n', stream);
    }
    if (!list[0])
        fputs(";   none\n", stream);
}

static void write_commented_out(const char *sections, FILE *stream)
{
    while (*sections) {
        const size_t length = strcspn(sections, "\n");
        fprintf(stream, "#%.*s\n", (int)length, sections);
        sections += length + (sections[length] == '\n');
    }
}

static void write_proposal(const struct config_draft *draft, const struct proposal *proposal,
                           FILE *stream)
{
    fputs("\n; ", stream);
    write_on_one_line(proposal->title, stream);
    if (isnan(proposal->trial.saving))
        fputs(".\n; The model cannot predict this program.\n", stream);
    else
        fprintf(stream, ".\n; The model predicts T = %s instead of %s: %.1f %% less.\n",
                time_text_alone(draft->time_s * (1 - proposal->trial.saving), TIME_DIGITS).text,
                time_text_alone(draft->time_s, TIME_DIGITS).text, 100 * proposal->trial.saving);
    write_commented_out(proposal->trial.sections, stream);
}

/* What saves nothing is worth knowing, too. */
static void write_rejected(const struct config_draft *draft, FILE *stream)
{
    if (draft->worthwhile == draft->count)
        return;
    fprintf(stream,
            "\n; The model predicts that each of these changes saves less than %g %% of T:\n",
            100 * LEAST_SHOWN_SAVING);
    for (size_t i = draft->worthwhile; i < draft->count; i++) {
        fputs(";   ", stream);
        write_on_one_line(draft->proposals[i].title, stream);
        putc('\n', stream);
    }
}

bool config_draft_write(const struct config_draft *draft, FILE *stream)
{
    assert(draft && stream);
    const struct trace *trace = draft->facts->trace;
    char *absolute = realpath(trace->path, NULL);
    if (!absolute)
        return false;
    fprintf(
        stream,
        "; A configuration for silas-replay and silas-model.\n"
        ";\n"
        ";   mpirun -np %u silas replay FILE     measures T by a replay, with one process per "
        "rank\n"
        ";   silas model FILE                    predicts T by a model of the network\n"
        ";\n"
        "; Lines that begin with a semicolon are comments. Lines that begin with # are settings\n"
        "; and hypotheses that are commented out: remove the # to use them, alone or together.\n"
        "; Times are numbers with a unit (20us, 1.5 s, 10m; without a unit, seconds). Sizes are\n"
        "; in bytes, or with k, M or G in powers of 1024. doc/config.md explains all keys.\n"
        "\n"
        "[trace]\n"
        "path = %s\n"
        "; %u rank%s, T = %s\n",
        trace->rank_count, absolute, trace->rank_count, plural(trace->rank_count),
        time_text_alone(draft->base->recorded_s, TIME_DIGITS).text);
    free(absolute);
    write_share_table(draft, "Computation", draft->computing, computation_of_share, stream);
    write_share_table(draft, "Waiting for other ranks", draft->waiting, wait_of_share, stream);
    fputs(
        "\n[replay]\n; number of replays of each trace; with 5 or more the result has an "
        "interval\n#repeat = 7\n; what replayed computation does: spin keeps the core busy, stream "
        "also uses memory\n#fill = spin\n\n[output]\n; a new folder for the results; default: "
        "NAME-replay next to NAME.ini\n#directory = what-if\n#formats = text, json, html\n",
        stream);
    for (size_t i = 0; i < draft->worthwhile; i++)
        write_proposal(draft, &draft->proposals[i], stream);
    write_rejected(draft, stream);
    return true;
}
