/* The paths of the files in DIR/records/ (record_format.h). */
#ifndef MEASURE_RECORD_PATH_H
#define MEASURE_RECORD_PATH_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

/* The folder's path has less than PATH_MAX bytes, and what follows it has fewer than 100. */
struct record_path {
    char text[PATH_MAX + 100];
};

/* DIR/records/NAME; "": the folder itself. */
static inline struct record_path record_path(const char *directory, const char *name)
{
    struct record_path path;
    snprintf(path.text, sizeof path.text, "%s/records%s%s", directory, *name ? "/" : "", name);
    return path;
}

/* DIR/records/rank-RANK.KIND */
static inline struct record_path record_path_of_rank(const char *directory, uint32_t rank,
                                                     const char *kind)
{
    struct record_path path;
    snprintf(path.text, sizeof path.text, "%s/records/rank-%u.%s", directory, rank, kind);
    return path;
}

/* DIR/records/rank-RANK.THREAD.events */
static inline struct record_path record_path_of_thread(const char *directory, uint32_t rank,
                                                       uint32_t thread)
{
    struct record_path path;
    snprintf(path.text, sizeof path.text, "%s/records/rank-%u.%u.events", directory, rank, thread);
    return path;
}

#endif
