/* The teams of threads of a rank: one for each parallel region of OpenMP. Found by a pass over the
 * records of all threads before their events are written. */
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
    struct name_set members; /* the teams: u32 numbers of threads, by index */
    struct map locks;        /* what identifies a lock -> its number */
};

/* Fails like record_reader_next; then nothing is left to free. Reads nothing if the rank has no
 * constructs of OpenMP. */
enum status rank_teams_read(const char *directory, const struct rank_definitions *definitions,
                            struct rank_teams *teams, struct error *error);
void rank_teams_clear(struct rank_teams *teams);

#endif
