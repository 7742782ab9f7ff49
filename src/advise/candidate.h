/* Candidates: changes of the program that may save time. A family (candidates/) proposes candidates
 * from the facts, each with the hypotheses that try it. A new family needs its file, a line in
 * candidates/list.c, in candidates/families.h and in src/advise/local.mk, and a section of
 * doc/advice.md for each kind. */
#ifndef ADVICE_CANDIDATE_H
#define ADVICE_CANDIDATE_H

#include "advise/facts.h"
#include "base/arena.h"
#include "base/array.h"
#include "job/replay_session.h"

/* How much of the program has to be changed. */
enum effort {
    EFFORT_SMALL,  /* a few lines at one place */
    EFFORT_MEDIUM, /* the order of calls, or a function */
    EFFORT_LARGE,  /* how work or data are distributed */
};
const char *effort_name(enum effort effort); /* "small" */

struct advice_candidate {
    const char *kind; /* "needless-barrier": also its anchor in doc/advice.md */
    enum effort effort;
    uint32_t path;        /* the call path that is changed; CALLPATH_NONE: several */
    uint32_t region;      /* the region of the program that is changed; INDEX_NONE: several */
    uint32_t ranks;       /* number of ranks that are changed */
    const char *cause;    /* candidates with the same text are variants of one change: the first one
                             that saves nearly the maximum of all variants is kept */
    const char *sections; /* hypotheses, as in a configuration */
    const char *least;    /* hypotheses for the smallest effect of the change; NULL: the same */
    const char *change;   /* a sentence: what to change */
    const char
        *check;    /* what the programmer must check, because no trace shows it; NULL: nothing */
    bool narrows;  /* it changes all of its region, so it explains the saving of regions around
                      it, and regions inside explain its saving */
    double saving; /* by the model, fraction of T; NAN: not tried, or it cannot be applied */
    double least_saving; /* of `least`, or equal to `saving` */
};

struct candidate_list {
    ARRAY(struct advice_candidate) all;
    struct arena *arena; /* owns the texts */
    bool out_of_memory;  /* something is missing; the caller of a family looks at it once */
};

struct candidate_family {
    const char *name, *description;
    /* Collective. Adds candidates to the list, the same on all processes. */
    enum status (*propose)(const struct facts *facts, struct candidate_list *list,
                           struct error *error);
};
extern const struct candidate_family *const candidate_families[]; /* NULL at the end */

/* Adds a candidate, with `saving` NAN. Its texts are constants or belong to the list
 * (candidate_text). Like the functions below, it sets `out_of_memory` of the list on failure. */
void candidate_add(struct candidate_list *list, struct advice_candidate candidate);
/* Likewise. They set the call path, the region and the number of ranks: for a change of all of a
 * region, or of one call path. */
void candidate_add_region(struct candidate_list *list, const struct facts *facts, uint32_t region,
                          struct advice_candidate candidate);
void candidate_add_path(struct candidate_list *list, const struct facts *facts, uint32_t path,
                        struct advice_candidate candidate);

/* A text that the list owns; "" when out of memory. */
const char *candidate_text(struct candidate_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A text that the arena of the list has made, or "" for NULL, when out of memory. */
const char *candidate_kept_text(struct candidate_list *list, const char *text);

/* The name of a region; the list owns it. "" when out of memory. */
const char *candidate_region(struct candidate_list *list, const struct trace *trace,
                             uint32_t region);

/* A region as the value of `region` in a configuration: its name, or, if the name has characters
 * that a line of a configuration cannot have, a pattern with '?' for each of them. "" when out of
 * memory. */
const char *candidate_region_pattern(struct candidate_list *list, const struct trace *trace,
                                     uint32_t region);

/* A call path as the value of `callpath` in a configuration: characters that lists and name
 * patterns use are replaced by '?', which matches any character. "" when out of memory. */
const char *candidate_callpath(struct candidate_list *list, const struct trace *trace,
                               uint32_t path);

/* The call path as in reports. "" when out of memory. */
const char *candidate_path_text(struct candidate_list *list, const struct trace *trace,
                                uint32_t path);

#endif
