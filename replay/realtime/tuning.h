/* How warm are the caches when the program calls MPI? That depends on what it computes on, which a
 * trace does not say; but it shows in how long its calls take. So a trace is replayed once with
 * each reach of its computations through memory (working_set.h), and each call path goes on with
 * the one that comes nearest to the recording.
 *
 * What calls took in the recording beyond that, on the average of like calls, is no waiting and is
 * not to be had again: set-up at first use, code and data further away, a slower moment of the
 * machine. It is elapsed as computation beside the call, inside its region (shortfall.h). */
#ifndef REPLAY_REALTIME_TUNING_H
#define REPLAY_REALTIME_TUNING_H

#include "base/status.h"
#include "replay/realtime/program.h"
#include "replay/realtime/tuned.h"

struct realtime;
struct moved;

/* Collective: runs the program a few times, and changes it according to what they told. */
enum status tuning_measure(struct realtime *state, struct tuning *tuning, struct error *error);

enum status tuning_copy(const struct tuning *from, struct tuning *to, struct error *error);
void tuning_clear(struct tuning *tuning);

/* Collective. What was found out about the rank that this process owns becomes that of the rank
 * which it runs. */
enum status tuning_move(const struct moved *moved, struct tuning *tuning, struct error *error);

/* Changes the program accordingly; once. */
void tuning_apply(const struct tuning *tuning, const struct stream *stream, double ticks_scale,
                  struct replay_program *program);

#endif
