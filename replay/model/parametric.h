/* The time of a program as a function of its latency: exact and in one pass, because max and plus
 * of piecewise linear functions are such functions again. LLAMP (Shen, Hoefler and others, 2024)
 * finds the same by linear programming. */
#ifndef REPLAY_MODEL_PARAMETRIC_H
#define REPLAY_MODEL_PARAMETRIC_H

#include "base/status.h"
#include "replay/model/envelope.h"
#include "replay/model/equations.h"

/* T in pieces, by ascending latency. Line i holds from starts[i] to starts[i + 1] (x: ticks by
 * which the latency differs from the given one); its slope is the number of latencies on the
 * critical path. */
struct latency_pieces {
    struct envelope_range range;
    struct straight *lines;
    double *starts; /* [count + 1]; the first and the last are the ends of the range */
    size_t count;
};

/* Evaluates a program with growth, in which no rank is stuck, over a range. */
enum status parametric_evaluate(const struct equations *equations, struct envelope_range range,
                                struct latency_pieces *pieces, struct error *error);
void latency_pieces_clear(struct latency_pieces *pieces);

/* The piece that holds at x; at a border the right one. */
size_t latency_piece_at(const struct latency_pieces *pieces, double x);

/* The smallest x >= 0 at which T is at least `time`; INFINITY: none in the range. */
double latency_reaching(const struct latency_pieces *pieces, double time);

/* Chooses the range and evaluates: from latency 0 (`latency` ticks less) up to where T has grown by
 * `share`, but at most to a latency of a thousand times T. */
enum status parametric_tolerance(const struct equations *equations, int64_t latency, double share,
                                 struct latency_pieces *pieces, struct error *error);

#endif
