/* What a trace is reduced for: the assumptions under which the reduced trace predicts the same as
 * the whole one. An assumption is a kind of hypothesis and what it chooses, without the amount of
 * the change, or the waits that may become shorter:
 *
 *   waits at_least=0.001         any waits of 1 ms and more may become shorter (default: 0, all)
 *   scale region=foo             the computation in foo may take any time; balance says the same
 *   cpu, cpu rank=0..3           all computation, that of these ranks: at any pace
 *   cut size=0 region=bar        the messages that [cut] with these keys drops
 *   network latency=10           exactly this section: so also collectives, mapping, nonblocking,
 *                                remap, replace, resize and split
 *
 * Several are separated by "; ". A value with blanks, ';', '"' or '\' stands between double quotes,
 * with '\' before '"' and '\'. The property SILAS::ASSUMED of a reduced archive has this form. */
#ifndef REDUCTION_ASSUMPTIONS_H
#define REDUCTION_ASSUMPTIONS_H

#include "base/array.h"
#include "transform/hypothesis.h"

struct assumption {
    const struct hypothesis_kind *kind; /* NULL: waits */
    /* Only keys that choose what changes. For kinds that are assumed as they are, all keys: then
     * hypothesis_read reads it; callpath_marks_create does for `scale`, `balance`. */
    const struct ini_section *section;
    double least_wait_s; /* of waits: the shortest that may change, seconds */
};

/* All zero: none. */
struct assumptions {
    ARRAY(struct assumption) items; /* no two are equal */
    struct arena *arena;            /* owns the sections */
};

/* Adds what `--assume TEXT` says: assumptions in the form above, or the path of a configuration, of
 * which all hypotheses are assumed; durations may have units. Fails with a message that names the
 * text, or file and line, and the nearest valid name. */
enum status assumptions_add(struct assumptions *assumptions, const char *text, struct error *error);

/* Those of a loaded archive. Sets `*reduced` to false, and no assumptions, if it is not reduced. */
enum status assumptions_of(const struct trace *trace, struct assumptions *assumptions,
                           bool *reduced, struct error *error);

void assumptions_clear(struct assumptions *assumptions);

/* The text form, which the caller frees; NULL when memory is out. */
char *assumptions_text(const struct assumptions *assumptions);

/* True if the section's hypothesis is one of the assumptions. One of `scale` or `balance` covers
 * both, with any factor and mode, if `region` and `callpath` are the same; `cpu` likewise with
 * `rank` and `node`, and without these any `cpu`. Others cover sections with the same keys and
 * values only. Blanks make no difference. */
bool assumptions_cover(const struct assumptions *assumptions, const struct ini_section *section);

/* The shortest wait that may become shorter, seconds; INFINITY: none may. */
double assumptions_least_wait(const struct assumptions *assumptions);
/* That of a trace: 0 if it is not reduced. */
enum status assumptions_least_wait_of(const struct trace *trace, double *least_wait_s,
                                      struct error *error);

/* Fails, with the sentence for the user, at the first hypothesis that a reduced trace was not made
 * for. Whole traces allow all. Not collective; the same on all processes. */
enum status assumptions_check(const struct trace *trace, const struct hypothesis *hypotheses,
                              size_t count, struct error *error);

/* The same for assumptions for which the trace is to be reduced further. */
enum status assumptions_check_further(const struct trace *trace, const struct assumptions *further,
                                      struct error *error);

/* The same for what a tool is asked to do ("--bounds"), which no assumption allows. */
enum status assumptions_check_request(const struct trace *trace, const char *request,
                                      struct error *error);
/* The same for a question about all waits of a length in seconds or longer; negative: about those
 * that were assumed, if any were. */
enum status assumptions_check_waits(const struct trace *trace, const char *request,
                                    double least_wait_s, struct error *error);

#endif
