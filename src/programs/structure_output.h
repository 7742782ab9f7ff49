/* The result of silas-structure, as text, as JSON and as a page (doc/structure.md). */
#ifndef PROGRAMS_STRUCTURE_OUTPUT_H
#define PROGRAMS_STRUCTURE_OUTPUT_H

#include "structure/cuts.h"

#include <stdio.h>

struct structure_result {
    const struct trace *trace;
    const struct stretch *whole;
    const struct structure_cuts *cuts; /* NULL: nothing is cut */
};

/* Writers of a struct structure_result for report_file_write. */
bool structure_write_text(const void *result, FILE *stream);
bool structure_write_json(const void *result, FILE *stream);
bool structure_write_page(const void *result, FILE *stream);

#endif
