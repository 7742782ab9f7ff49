/* The tree of stretches as bands above a time line: one row for each level (struct timeline_bands
 * in report/timeline/timeline.h). */
#ifndef STRUCTURE_BANDS_H
#define STRUCTURE_BANDS_H

#include "structure/structure.h"

#include <stdio.h>

/* At most this number of boundaries of a stretch is written: of more iterations every second,
 * third, ... */
enum { BANDS_BOUNDS = 20000 };

struct bands {
    const struct trace *trace;
    const struct stretch *whole;
    size_t cut; /* iterations that follow each other in the cut of each stretch; 0: none was made */
};

/* Sets used[call path] of the call paths that begin an iteration. */
void bands_mark(const void *bands, int64_t *used);

/* Writes the stretches as a JSON array of numbers, without names, in order of level and time. Times
 * are ticks since the trace's first event. Each has `level` (from 1 on), `begin`, `end`, `flushing`
 * (0, 1), and those that repeat have `iterations`, `period`, `callpath` (-1: none) and `calls` of
 * struct stretch, `representative`, the first iteration `cut` and the number `cut_count` of
 * those that were cut out, and the lengths `bounds` of `stride` iterations each. False if
 * writing fails (ferror). */
bool bands_write(const void *bands, FILE *stream);

#endif
