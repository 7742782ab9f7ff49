/* POP's efficiencies as JSON: `pop` of severity files and of replays' reports, and what silas-pop
 * writes (doc/pop.schema.json). */
#ifndef REPORT_JSON_POP_H
#define REPORT_JSON_POP_H

#include "base/arena.h"
#include "base/json.h"
#include "report/pop.h"

/* The factors of the whole run, with the list `parts`. null if `pop` is NULL; NULL when memory is
 * out. */
json_t *json_pop(const struct pop *pop);

enum json_pop_outcome { JSON_POP_READ, JSON_POP_BAD, JSON_POP_NO_MEMORY };

/* Reads such an object. Rows of unknown parts are skipped. `*pop` belongs to the arena. */
enum json_pop_outcome json_pop_read(json_t *object, struct arena *arena, const struct pop **pop);

#endif
