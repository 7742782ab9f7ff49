#include "patterns/explain.h"

enum { PATH_TEXT = 400 };

static const char *const kind_names[SYNC_KIND_COUNT] = {
    [SYNC_NONE] = "Wait",
    [SYNC_LATE_SENDER] = "Late Sender",
    [SYNC_LATE_RECEIVER] = "Late Receiver",
    [SYNC_BARRIER] = "Wait at Barrier",
    [SYNC_N_TO_N] = "Wait at N x N",
    [SYNC_ONE_TO_N] = "Late Broadcast",
    [SYNC_N_TO_ONE] = "Early Reduce",
};

static const char *path_text(const struct trace *trace, uint32_t path, char *text)
{
    callpath_format(&trace->calltree, trace->definitions, path, text, PATH_TEXT);
    return text;
}

static void write_causes(const struct explanation *e, const struct trace *trace, FILE *file)
{
    char path[PATH_TEXT];
    if (e->cause_count == 0) {
        fputs("   Nobody was busy for longer: transfers, or what the trace does not show.\n", file);
        return;
    }
    fputs("   because these ranks are busy for longer than those who wait for them:\n", file);
    for (uint32_t i = 0; i < e->cause_count; i++)
        fprintf(file, "     %12.6f s  %5.1f %%  rank %u in %s\n",
                trace_seconds(trace, e->causes[i].ticks),
                100 * e->causes[i].ticks / (double)e->ticks, e->causes[i].rank,
                path_text(trace, e->causes[i].path, path));
}

static void write_way(const struct explanation *e, const struct trace *trace, FILE *file)
{
    char path[PATH_TEXT];
    fputs("   The longest of them:\n", file);
    for (uint32_t i = 0; i < e->step_count; i++) {
        const struct explained_step *s = &e->steps[i];
        fprintf(file, "     at %.6f s rank %u waits %.6f s for rank %u in %s (%s)%s\n",
                trace_seconds(trace, (double)(s->at - (int64_t)trace->begin)), s->rank,
                trace_seconds(trace, (double)s->wait), s->culprit, path_text(trace, s->path, path),
                kind_names[s->kind], i + 1 < e->step_count ? ", which has itself waited:" : ",");
    }
    if (e->cut_off)
        fputs("     and so on, further back\n", file);
    else if (e->last.path != CALLPATH_NONE)
        fprintf(file, "     which has been busy for %.6f s longer in %s\n",
                trace_seconds(trace, e->last.ticks), path_text(trace, e->last.path, path));
    else
        fputs("     which has not been busy for longer: the message takes its time\n", file);
}

/* A configuration as it stands: what it would be like without the first cause. */
static void write_test(const struct explanation *e, const struct trace *trace, FILE *file)
{
    if (e->region == INDEX_NONE)
        return;
    const char *name = trace->definitions->regions[e->region].name;
    fprintf(file, "   To test it (silas-replay, silas-model):\n\n[trace]\npath = %s\n\n",
            trace->path);
    if (e->region_ranks > 1)
        fprintf(file, "[balance cause]\nregion = %s\n", name);
    else
        fprintf(file, "[scale cause]\nregion = %s\nfactor = 0.5\n", name);
}

void explanations_write(const struct explanations *explanations, const struct trace *trace,
                        FILE *file)
{
    char path[PATH_TEXT];
    if (explanations->count == 0)
        fputs("Nobody waits: there is nothing to explain.\n", file);
    for (uint32_t i = 0; i < explanations->count; i++) {
        const struct explanation *e = &explanations->items[i];
        fprintf(file, "%s%u. %s: %.6f s in %s (%u waits, %u rank%s)\n", i ? "\n" : "", i + 1,
                kind_names[e->kind], trace_seconds(trace, (double)e->ticks),
                path_text(trace, e->path, path), e->waits, e->ranks, e->ranks == 1 ? "" : "s");
        write_causes(e, trace, file);
        write_way(e, trace, file);
        write_test(e, trace, file);
    }
}
