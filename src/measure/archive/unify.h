/* Numbers strings, regions, groups, communicators and windows once for all ranks. New definitions
 * are written to the archive at once. Ranks are unified one after the other, so that memory does
 * not grow with their number. */
#ifndef MEASURE_ARCHIVE_UNIFY_H
#define MEASURE_ARCHIVE_UNIFY_H

#include "base/name_set.h"
#include "measure/archive/archive_private.h"
#include "measure/archive/symbols.h"

typedef ARRAY(uint32_t) unified_ids;

struct unification {
    OTF2_GlobalDefWriter *writer;
    struct name_set strings, regions, objects, functions, groups; /* by what makes them equal */
    unified_ids function_regions;                                 /* of each of `functions` */
    struct map comms; /* creator and number -> id; the n-th duplicate of MPI_COMM_SELF of each rank
                         is the same definition: RECORD_NONE and n */
    struct map windows; /* communicator's id and the window's number on it -> id */
    uint32_t comm_count, window_count;
    struct symbols *symbols;
    OTF2_ErrorCode code; /* the first failure */
    bool no_memory;
};

/* The archive's ids, indexed by a rank's own ids. The strings are the program, then its arguments.
 */
struct rank_ids {
    unified_ids of[OTF2_MAPPING_MAX]; /* by OTF2_MappingType */
};

bool unify_open(struct unification *global, OTF2_GlobalDefWriter *writer);
void unify_close(struct unification *global);

/* Notes the first failure of the OTF2 library. */
void unify_check(struct unification *global, OTF2_ErrorCode code);

/* The number of a string, which is written if it is new. */
OTF2_StringRef unify_string(struct unification *global, const char *text);

/* The number of a group of ranks, which is written if it is new. */
OTF2_GroupRef unify_members(struct unification *global, const struct rank_members *members,
                            OTF2_GroupType type);

/* Unifies all definitions of a rank. A failure sets code or no_memory. The caller frees `ids` with
 * rank_ids_free, also after a failure. */
void unify_rank(struct unification *global, const struct rank_definitions *definitions,
                struct rank_ids *ids);
void rank_ids_free(struct rank_ids *ids);

/* Defines MPI_COMM_WORLD if no rank has. */
void unify_world(struct unification *global, const struct rank_members *all_ranks);

#endif
