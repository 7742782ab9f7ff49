/* Which runs of a sweep are tried. */
#ifndef SWEEP_CHOICE_H
#define SWEEP_CHOICE_H

#include "sweep/folder.h"

struct choice {
    size_t
        *runs; /* in the order in which they are worth trying: the model's best first, if known */
    size_t count;
};

/* Chooses the open runs: all of them, or, with engine = model-then-realtime, those
 * of the model's `keep` best that are open. Free it with
 * choice_clear. Fails when memory is out. */
enum status choice_make(const struct sweep_folder *folder, struct choice *choice,
                        struct error *error);
void choice_clear(struct choice *choice);

#endif
