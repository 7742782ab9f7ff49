/* silas-model --latency: how T depends on the latency. */
#include "programs/model_questions.h"

#include "base/plural.h"
#include "base/units.h"
#include "replay/model/parametric.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES_MOST = 20 }; /* that are printed */

static const double growths[] = {0.01, 0.02, 0.05};
enum { GROWTH_COUNT = sizeof growths / sizeof *growths };

/* "1.234 us": the latency plus `more` ticks. */
static struct time_text latency_text(const struct model *model, double more)
{
    double seconds = model->latency_s + trace_seconds(model->trace, more);
    return time_text_alone(seconds > 0 ? seconds : 0, 4);
}

static void print_range(const struct model *model, const struct latency_pieces *pieces)
{
    size_t now = latency_piece_at(pieces, 0);
    long long slope = (long long)pieces->lines[now].slope;
    printf("\nLatency L between ranks (%s): now %s; the critical path contains it %lld time%s\n",
           distance_names[model->varied], latency_text(model, 0).text, slope, plural(slope));
    const struct time_text low = latency_text(model, pieces->starts[now]);
    const struct time_text high = latency_text(model, pieces->starts[now + 1]);
    if (now + 1 < pieces->count)
        printf("  the critical path stays the same for L from %s to %s\n", low.text, high.text);
    else
        printf("  the critical path stays the same for every L from %s\n", low.text);
}

static void print_growths(const struct model *model, const struct latency_pieces *pieces)
{
    const struct straight *now = &pieces->lines[latency_piece_at(pieces, 0)];
    for (int i = 0; i < GROWTH_COUNT; i++) {
        double x = latency_reaching(pieces, (double)now->value * (1 + growths[i]));
        if (isfinite(x))
            printf("  T grows by %.0f %% at L = %s\n", 100 * growths[i],
                   latency_text(model, x).text);
        else
            printf("  T does not grow by %.0f %% for any L\n", 100 * growths[i]);
    }
}

static void print_pieces(const struct model *model, const struct latency_pieces *pieces)
{
    printf("\n        L from         T at this L  latencies on the path\n");
    size_t now = latency_piece_at(pieces, 0), first = now > 0 ? now - 1 : 0;
    size_t last = pieces->count - first > PIECES_MOST ? first + PIECES_MOST : pieces->count;
    for (size_t i = first; i < last; i++) {
        double x = pieces->starts[i];
        double ticks = (double)pieces->lines[i].value + (double)pieces->lines[i].slope * x;
        printf("  %12s  %18s  %21lld\n", latency_text(model, x).text,
               time_text_alone(trace_seconds(model->trace, ticks), 6).text,
               (long long)pieces->lines[i].slope);
    }
    if (last < pieces->count || first > 0)
        printf("  ... of %zu rows, from L = 0 to the L that makes T 5 %% longer\n", pieces->count);
}

enum status latency_question_answer(const struct model *model, struct error *error)
{
    assert(model->trace);
    struct latency_pieces pieces = {0};
    double ticks = model->latency_s * (double)model->trace->definitions->ticks_per_second;
    enum status status = parametric_tolerance(&model->equations, (int64_t)floor(ticks),
                                              growths[GROWTH_COUNT - 1], &pieces, error);
    if (status == STATUS_OK && pieces.count > 0) {
        print_range(model, &pieces);
        print_growths(model, &pieces);
        print_pieces(model, &pieces);
    }
    latency_pieces_clear(&pieces);
    return status;
}
