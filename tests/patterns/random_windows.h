/* Random programs with one-sided communication: what each rank calls, and when. Consistent (all
 * members come to fences, every start has its posts), but with times that no library would produce,
 * ties and empty calls among them. */
#ifndef TESTS_PATTERNS_RANDOM_WINDOWS_H
#define TESTS_PATTERNS_RANDOM_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST_RANKS = 6, WINDOWS = 2, MOST_DONE = 16, NAME_LENGTH = 64, ALL = -1 };

enum visit_kind {
    VISIT_OTHER, /* of MPI, without an event; or local */
    VISIT_CREATE,
    VISIT_FREE,
    VISIT_FENCE,
    VISIT_POST,
    VISIT_START,
    VISIT_COMPLETE,
    VISIT_WAIT,
    VISIT_TEST, /* MPI_Win_test */
    VISIT_LOCK,
    VISIT_UNLOCK,
    VISIT_DONE,      /* completes operations */
    VISIT_TEST_DONE, /* by testing */
    VISIT_PUT,
    VISIT_GET,
    VISIT_ATOMIC
};

/* A call of a rank. */
struct visit {
    enum visit_kind kind;
    char path[NAME_LENGTH];
    int64_t enter, begin, end, leave; /* begin and end of collective calls */
    int window;
    int target;     /* world rank, ALL */
    unsigned group; /* mask of world ranks */
    bool exclusive, nocheck, noprecede, local;
    bool requests, acquires; /* LOCK, operations: with these events */
    int sent, received;
    int done[MOST_DONE], done_count; /* visits whose operations are completed */
    int id;                          /* its number among the rank's visits */
};

struct random_program {
    int ranks;
    struct visit *visits[MOST_RANKS];
    int count[MOST_RANKS];
};

static inline bool visit_is_operation(const struct visit *visit)
{
    return visit->kind >= VISIT_PUT;
}

struct random_program *random_program_make(unsigned seed);
void random_program_destroy(struct random_program *program);

/* As case_reader reads it. */
void random_program_write(const struct random_program *program, FILE *file);

/* The severity of a metric at one visit, by the letter of doc/metrics.md: one visit at a time,
 * every look-up searches from the start (windows_naive.c). */
int64_t naive_severity(const struct random_program *program, int rank, const struct visit *visit,
                       const char *metric);

#endif
