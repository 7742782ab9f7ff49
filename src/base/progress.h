/* Progress of what takes long, on standard error: what is being done, how far it is, its rate, and
 * how long it will still take. It appears after a second, on terminals as one line that is renewed
 * and erased in the end; with --progress also elsewhere, then as a line every ten seconds and one
 * when the step ends. Only a process that speaks (log.h) shows it, in parallel programs process 0,
 * which knows its own part of the work. With --quiet nobody does.
 *
 * Nothing happens between the calls of these functions: no thread, no timer, no signal. So while a
 * replay runs, which calls none of them, progress costs nothing. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>

/* The options --quiet and --progress, which every program has (options.h). */
enum progress_mode { PROGRESS_ON_TERMINALS, PROGRESS_ALWAYS, PROGRESS_NEVER };
void progress_set_mode(enum progress_mode mode);

/* Begins a step: "searching", of `total` "events"; both texts outlive it. A total of 0 is unknown:
 * then only the time that has passed is shown. A step within a step is not shown, unless the outer
 * one has no total; it may be left out of pairs only by progress_end. */
void progress_begin(const char *what, const char *unit, double total);

/* So much of the innermost step is done. Cheap enough for every thousandth event: it looks at the
 * clock. */
void progress_advance(double done);
/* So much more is done. */
void progress_add(double more);

/* Ends the innermost step and erases its line. */
void progress_end(void);

/* Writes what is shown for a step that has taken `seconds` into `text` of `size` bytes, such as
 * "searching: 45 % of 12.3 M events, 3.1 M events/s, 2 s left". */
void progress_text(const char *what, const char *unit, double done, double total, double seconds,
                   char *text, unsigned long size);

#endif
