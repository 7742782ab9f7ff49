/* The tables of a trace: columns of numbers, and of names by number. Nothing here knows Python. */
#ifndef PYTHON_TABLES_H
#define PYTHON_TABLES_H

#include "base/array.h"
#include "trace/trace.h"

/* The texts to which the numbers of a column refer. */
struct name_list {
    char **items; /* [count] */
    size_t count;
};

/* A column: `format` is the letter of Arrow's C data interface for the type of its values: 'C' and
 * 'c' 8 bits without and with sign, 'i' 32 bits with sign, 'L' 64 bits without sign, 'g' double. */
struct table_column {
    const char *name;
    char format;
    bool nullable; /* -1 stands for a missing value */
    bool named;    /* values are places in `names` */
    struct name_list names;
    void *data;    /* [rows] */
    bool borrowed; /* the data are the trace's own */
};

enum { TABLE_COLUMNS = 20 };

struct trace_table {
    struct table_column columns[TABLE_COLUMNS];
    size_t column_count, rows, room;
};

/* Bytes of a value. */
size_t column_width(char format);

/* Moves the events of all streams into one block per column, those of the ranks first, in rank
 * order, so that each column of the trace is contiguous. The former blocks lose their pages. Call
 * it right after loading. */
enum status events_join(struct trace *trace, struct error *error);

/* Whether a table needs a matched trace: all but definitions and events. */
bool table_needs_matching(const char *name);

/* Builds a table of a trace whose events are joined: "regions", "call_paths",
 * "communicators", "locations", "events" and its columns "events.rank", "events.thread",
 * "events.call_path", "messages", "collectives", "waits", "profile", "metrics", "pop",
 * "iterations". Fails with STATUS_INPUT for another name. The caller clears the table, also after a
 * failure. */
enum status table_build(const char *name, const struct trace *trace, struct trace_table *table,
                        struct error *error);
struct severity;

/* The same for values of a severity store: "profile" or "metrics". */
enum status table_of_severities(const char *name, const struct severity *severity,
                                struct trace_table *table, struct error *error);
/* The metrics of two stores side by side. */
enum status table_of_changes(const struct severity *before, const struct severity *after,
                             struct trace_table *table, struct error *error);
void trace_table_clear(struct trace_table *table);

#endif
