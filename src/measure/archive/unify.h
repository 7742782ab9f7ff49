/* Gives strings, regions, groups, communicators, windows and grids of all ranks common numbers. New
 * definitions are written to the archive at once. Ranks are unified one after the other, so that
 * memory does not grow with their number. */
#ifndef MEASURE_ARCHIVE_UNIFY_H
#define MEASURE_ARCHIVE_UNIFY_H

#include "base/name_set.h"
#include "measure/archive/archive_private.h"
#include "measure/archive/run_machine.h"
#include "measure/archive/symbols.h"

typedef ARRAY(uint32_t) unified_ids;

struct unification {
    OTF2_GlobalDefWriter *writer;
    struct name_set strings, regions, objects, functions, groups; /* by what makes them equal */
    unified_ids function_regions;                                 /* of each of `functions` */
    struct map comms; /* creator and number -> id; RECORD_NONE and n -> id of the n-th duplicates of
                         MPI_COMM_SELF, which are one definition for all ranks */
    struct map windows; /* communicator's id and the window's number on it -> id */
    struct map grids;   /* communicator's id -> id of its grid */
    uint32_t comm_count, window_count, grid_count, dimension_count;
    struct function_symbols *symbols;
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

/* Unifies all definitions of a rank, whose first thread has the number `first_thread` among the
 * locations of all ranks. False on a failure, which sets code or no_memory; then nothing
 * is left to free. */
bool unify_rank(struct unification *global, const struct rank_definitions *definitions,
                uint64_t first_thread, struct rank_ids *ids);

/* Writes the group of the locations that members of teams of a paradigm, OpenMP or PThread, are
 * numbered by. */
void unify_team_locations(struct unification *global, OTF2_Paradigm paradigm,
                          const uint64_t *locations, uint32_t count);
void rank_ids_free(struct rank_ids *ids);

/* The region that represents a rank's program in call paths. As in Score-P's archives, its name is
 * that of the program without its folder. Its canonical name is the program with its arguments,
 * because Scalasca looks for this name of a ProgramBegin. */
uint32_t unify_program(struct unification *global, const struct rank_definitions *definitions);

/* Writes a group of numbers, even if an equal group exists. */
void unify_numbers(struct unification *global, const char *name, const uint64_t *numbers,
                   uint32_t count);

struct unified_path {
    uint64_t parent; /* UINT64_MAX: none */
    uint32_t region;
};

struct reduced_run {
    bool present; /* false: the run was not reduced, and nothing else is set */
    double ticks_per_second;
    struct run_machine machine;
    char *assumed;
    uint64_t events; /* of the ranks added, before the reduction */
    ARRAY(struct unified_path) paths;
    struct map path_index;
};

enum status reduced_run_read(const char *directory, struct reduced_run *run, struct error *error);
void reduced_run_clear(struct reduced_run *run);

/* Writes the folded profile of a rank whose definitions are unified. */
enum status reduced_run_add(struct reduced_run *run, struct unification *global,
                            const char *directory, const struct rank_definitions *definitions,
                            const struct rank_ids *ids, struct error *error);

/* Writes the call paths and the properties. `events`, `bytes`: of the archive's event files. */
void reduced_run_write(const struct reduced_run *run, struct unification *global,
                       OTF2_Archive *archive, uint64_t events, uint64_t bytes);

/* Defines MPI_COMM_WORLD if no rank has defined it. */
void unify_world(struct unification *global, const struct rank_members *members);

#endif
