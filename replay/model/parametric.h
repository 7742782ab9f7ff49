/* The time of a program as a function of its latency: exact and in one pass, because max and plus
 * of such functions are such functions again. What LLAMP (Shen, Hoefler and others, 2024) finds by
 * linear programming. */
#ifndef REPLAY_MODEL_PARAMETRIC_H
#define REPLAY_MODEL_PARAMETRIC_H

#include "base/status.h"
#include "replay/model/envelope.h"
#include "replay/model/equations.h"

/* T in pieces, by ascending latency. Line i holds from starts[i] to starts[i + 1] (x: ticks by
 * which the latency differs from what it is); its slope is how many latencies follow each other on
 * the critical path. */
struct latency_pieces {
    struct envelope_range range;
    struct straight *lines;
    double *starts; /* [count + 1]; the first and the last are the ends of the range */
    size_t count;
};

/* Evaluates a program that has its growth, and in which no rank is stuck, over a range. */
enum status parametric_evaluate(const struct equations *equations, struct envelope_range range,
                                struct latency_pieces *pieces, struct error *error);
void latency_pieces_clear(struct latency_pieces *pieces);

/* The piece that holds at x; where two meet, the one behind. */
size_t latency_piece_at(const struct latency_pieces *pieces, double x);

/* The smallest x >= 0 at which T is `time` or more; INFINITY: nowhere in the range. */
double latency_reaching(const struct latency_pieces *pieces, double time);

/* Chooses the range and evaluates: from `latency` ticks less (no latency at all) up to where T has
 * grown by `share`, if it does before the latency is a thousand times as long as T. */
enum status parametric_tolerance(const struct equations *equations, int64_t latency, double share,
                                 struct latency_pieces *pieces, struct error *error);

#endif
