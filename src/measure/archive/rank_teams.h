/* The teams of threads of a rank: one for each parallel region of OpenMP, and one of all POSIX
 * threads. Found by a pass over the records of all threads before their events are written. */
#ifndef MEASURE_RANK_TEAMS_H
#define MEASURE_RANK_TEAMS_H

#include "base/name_set.h"
#include "measure/archive/rank_definitions.h"

struct rank_teams {
    ARRAY(struct team_run {
        uint64_t end;  /* when the master left it; 0: not recorded */
        uint32_t team; /* in `members`; MAP_NONE: no thread was in it */
    })
    runs;                    /* by number (RECORD_TEAM_BEGIN) */
    struct name_set members; /* the teams: paradigm and numbers of threads by index, each a u32 */
    uint32_t posix;          /* in `members`: threads that create or are created; MAP_NONE: none */
    struct map locks;        /* what identifies a lock -> its number */
};

/* Fails like record_reader_next; then nothing is left to free. Reads nothing if the rank has
 * recorded neither OpenMP nor POSIX threads. */
enum status rank_teams_read(const char *directory, const struct rank_definitions *definitions,
                            struct rank_teams *teams, struct error *error);
void rank_teams_clear(struct rank_teams *teams);

#endif
