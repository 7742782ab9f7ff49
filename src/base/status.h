/* How functions of SILAS fail: they return a status and fill in an error with the text for the
 * user.
 *
 * The first function that sees an error writes the complete text: what happened, where (file and
 * line, or rank, event and call path), the expected input, and a remedy. Callers pass it on
 * unchanged. Errors of the input or the environment are reported this way; programming errors
 * assert. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

/* The values are the exit codes of the programs. */
enum status {
    STATUS_OK = 0,
    STATUS_INPUT = 1,       /* the input is at fault */
    STATUS_USAGE = 2,       /* the command line, or a wrong number of processes */
    STATUS_ENVIRONMENT = 3, /* MPI, disk, memory, unwritable output */
    STATUS_INTERRUPTED = 130,
};

struct error {
    enum status status;
    char text[2048];
};

/* Fills `error` (may be NULL) and returns `status`, so that a failing function ends with
 * `return error_set(error, STATUS_INPUT, "...")`. The text has no trailing newline. */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed allocation: "not enough memory for `what`", STATUS_ENVIRONMENT. */
enum status error_memory(struct error *error, const char *what);

#endif
