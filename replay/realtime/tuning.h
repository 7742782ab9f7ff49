/* Fits a replay's caches and calls to the recording, by trial replays.
 *
 * When a program calls MPI, how much of MPI's code and data is in the caches depends on the
 * program's data, which a trace does not contain. The durations of its calls show it. So a trace is
 * replayed once with each reach of its computations through memory (fill.h), and each call path
 * keeps the reach whose durations are nearest to the recorded ones.
 *
 * If calls of a group still take longer in the recording, on average and without waiting, the
 * replay cannot reproduce the reason: set-up at first use, or code and data that are further away.
 * This time is added as computation next to the call, inside its region (shortfall.h). */
#ifndef REPLAY_REALTIME_TUNING_H
#define REPLAY_REALTIME_TUNING_H

#include "base/status.h"
#include "replay/realtime/program.h"
#include "replay/realtime/tuned.h"

struct realtime;
struct moved;

/* Collective: runs trial replays, and changes the program according to their results. */
enum status tuning_measure(struct realtime *state, struct tuning *tuning, struct error *error);

enum status tuning_copy(const struct tuning *from, struct tuning *to, struct error *error);
void tuning_clear(struct tuning *tuning);

/* Collective. Sends the result for the rank that this process owns to the process that runs it. */
enum status tuning_move(const struct moved *moved, struct tuning *tuning, struct error *error);

/* Changes the program accordingly and sets `fitted`. Call it once. */
void tuning_apply(struct tuning *tuning, const struct stream *stream, double ticks_scale,
                  struct replay_program *program);

#endif
