/* Progress of long steps, on standard error: name of the step, percentage done, rate, and estimated
 * remaining time. It appears after a second. On a terminal it is one line, which is rewritten and
 * finally erased; otherwise it appears only with --progress, as a line every ten seconds and one
 * when the step ends. Only a process that speaks (log.h) shows it: process 0 of a parallel program,
 * for its own part of the work. With --quiet it is not shown.
 *
 * These functions use no thread, timer or signal. A replay calls none of them while it runs, so
 * progress does not disturb it. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>

/* The options --quiet and --progress, which every program has (options.h). */
enum progress_mode { PROGRESS_ON_TERMINALS, PROGRESS_ALWAYS, PROGRESS_NEVER };
void progress_set_mode(enum progress_mode mode);

/* Begins a step: "searching", of `total` "events"; both texts outlive it. If the total is 0
 * (unknown), only the elapsed time is shown. A step within a step is shown only if the outer one
 * has no total. progress_end without a step does nothing. */
void progress_begin(const char *what, const char *unit, double total);

/* Sets how much of the innermost step is done. It reads the clock: call it for every thousandth
 * event at most. */
void progress_advance(double done);
/* Adds to the amount that is done. */
void progress_add(double more);

/* Ends the innermost step and erases its line. */
void progress_end(void);

/* Announces, by a note, that `count` runs of a trace take long, if they do: "a.otf2: 3 replays take
 * about 40 s". `what` is one of them: "replay". Without it, a program that shows no progress would
 * seem to hang. `seconds` is the time of all where each process has a core; if `per_core`
 * processes share each core, they take that many times longer. */
void progress_announce(const char *trace, int count, const char *what, double seconds,
                       int per_core);

/* Writes the line for a step that has taken `seconds` into `text` of `size` bytes, such as
 * "searching: 45 % of 12.3 M events, 3.1 M events/s, 2 s left". */
void progress_text(const char *what, const char *unit, double done, double total, double seconds,
                   char *text, unsigned long size);

#endif
