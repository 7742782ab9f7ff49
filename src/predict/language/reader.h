/* Reading of a model script, in this order: parser.h makes a tree of syntax (syntax.h) from the
 * text; declarations.h makes a script from the tree, with statements.h and expressions.h, which
 * look names up in names.h. steps.h has the table of steps.
 *
 * Their common state is here. All memory is the arena's, so nothing is lost when the first
 * error ends the reading from wherever it is found: by longjmp to script_read. */
#ifndef PREDICTION_LANGUAGE_READER_H
#define PREDICTION_LANGUAGE_READER_H

#include "base/arena.h"
#include "base/status.h"
#include "predict/script.h"

#include <setjmp.h>
#include <stddef.h>

struct script_reader {
    struct arena *arena;
    const char *path;
    struct error *error;
    enum status status; /* of the error that ended the reading */
    jmp_buf failed;
};

/* Ends the reading with "FILE:LINE:COLUMN: ...". */
void reader_refuse(struct script_reader *reader, struct script_position place, const char *format,
                   ...) __attribute__((noreturn)) __attribute__((format(printf, 3, 4)));
/* Ends it for lack of memory. */
void reader_no_memory(struct script_reader *reader) __attribute__((noreturn));

/* As arena_alloc_array and arena_strndup, but never NULL. */
void *reader_alloc(struct script_reader *reader, size_t count, size_t size);
char *reader_strndup(struct script_reader *reader, const char *text, size_t length);

/* An array in the arena that grows: `items` and `count` of the caller, room for `*capacity`. */
void reader_reserve_(struct script_reader *reader, void **items, uint32_t count, uint32_t *capacity,
                     size_t size);

#define LIST(type)                \
    struct {                      \
        type *items;              \
        uint32_t count, capacity; \
    }
#define list_push(reader, list, item)                                                     \
    (reader_reserve_((reader), (void **)&(list)->items, (list)->count, &(list)->capacity, \
                     sizeof *(list)->items),                                              \
     (list)->items[(list)->count++] = (item))

/* Names that could have been meant, for messages. */
struct candidates {
    LIST(const char *) names;
};

/* `; did you mean "relax"?`, or "" if no name is near. The reader owns the text. */
const char *reader_nearest(struct script_reader *reader, const char *wanted,
                           const struct candidates *candidates);

#endif
