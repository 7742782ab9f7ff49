/* Messages to the user on standard error: `silas-replay: text`. Results go to standard output. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Sets the name in front of every message, and whether this process speaks, that is, prints
 * messages. Of several processes only one does, unless a function says otherwise. Default: "silas",
 * speaking. */
void log_open(const char *program, bool speaks);

/* Prints a warning once: the same first line is not repeated. */
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* This process then keeps its warnings (log_warnings) and prints no warnings and notes: for a
 * forked process, whose parent prints the warnings. */
void log_hold(void);

/* Prints the error's text where this process speaks; returns the exit code. */
int log_error(const struct error *error);
/* Whether log_error was called. Safe in signal handlers. */
bool log_has_failed(void);

/* The warnings given so far, in order, for reports: valid until the next one. */
const char *const *log_warnings(size_t *count);

const char *log_program(void);
bool log_speaks(void);
/* Whether log_hold was called. */
bool log_holds(void);

/* Notes are no longer printed; warnings and errors are. */
void log_be_quiet(void);

/* `erase` is called before each message, to remove the progress line (progress.h). */
void log_before_message(void (*erase)(void));

#endif
