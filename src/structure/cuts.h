/* The cuts of silas-structure: a representative period of each periodic stretch, as an archive. */
#ifndef STRUCTURE_CUTS_H
#define STRUCTURE_CUTS_H

#include "base/array.h"
#include "structure/cut.h"
#include "structure/cut_names.h"
#include "structure/metrics.h"
#include "structure/structure.h"

struct structure_cut_made {
    const struct stretch *stretch;        /* NULL: a range that the user has named */
    const struct stretch_sample *sample;  /* of the stretch; NULL: it does not repeat */
    const struct stretch *before, *after; /* of one that does not repeat: neighbours; or NULL */
    char name[CUT_NAME_SIZE];             /* of its folder in the directory of the cuts */
    int level;         /* 0: the stretch is not inside of an iteration of another one */
    size_t part;       /* see struct cut_weight */
    size_t times;      /* how often the stretch occurs: iterations of the stretches around it */
    double total_part; /* estimated part of T in all these occurrences */
    double length_s;
    int64_t events; /* of all ranks */
    struct cut_losses losses;
    cut_crossing_list crossings;
    struct part_metrics metrics;
};

struct structure_cuts {
    const char *directory; /* of the cuts */
    ARRAY(struct structure_cut_made) made;
    int64_t events; /* of the whole trace */
};

struct structure_cuts_options {
    const char *directory;
    const char *range; /* cut this instead of the stretches (named_range.h); NULL: the stretches */
    bool rest;         /* cut stretches of the first level that do not repeat, too: whole */
};

/* Collective. Writes the cuts into folders of the directory, with numbers (cut_names.h) in order of
 * the rows of the text: all or nothing. The trace must be matched. Free the cuts with
 * structure_cuts_clear. Fails if the directory exists, or if nothing repeats; then nothing is left
 * to free. */
enum status structure_cuts_write(const struct trace *trace, const struct stretch *whole,
                                 const struct structure_cuts_options *options,
                                 struct structure_cuts *cuts, struct error *error);
void structure_cuts_clear(struct structure_cuts *cuts);

/* The first cut of a stretch (NULL: of a named range), NULL: none. `cuts` may be NULL. */
const struct structure_cut_made *structure_cut_of(const struct structure_cuts *cuts,
                                                  const struct stretch *stretch);

#endif
