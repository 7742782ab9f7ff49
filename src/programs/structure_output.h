/* What silas-structure says: the tree of stretches as text and as JSON (doc/structure.md). */
#ifndef PROGRAMS_STRUCTURE_OUTPUT_H
#define PROGRAMS_STRUCTURE_OUTPUT_H

#include "structure/structure.h"

#include <stdio.h>

/* Not collective. Writing errors show at fclose or ferror. */
void structure_write_text(const struct trace *trace, const struct stretch *whole, FILE *stream);
/* Fails if memory is out. */
enum status structure_write_json(const struct trace *trace, const struct stretch *whole,
                                 FILE *stream, struct error *error);

#endif
