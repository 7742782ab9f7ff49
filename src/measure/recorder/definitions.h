/* Definitions of the ids in records. A define_ function returns a new id, or the id of an equal
 * definition made before. Each definition is written to the rank's file at once, so that records
 * can be read after a crash. Any thread may call these functions, but no signal handler may. */
#ifndef MEASURE_DEFINITIONS_H
#define MEASURE_DEFINITIONS_H

#include "measure/recorder/record_format.h"

#include "base/mpi_call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `paradigm` and `role` are OTF2_Paradigm and OTF2_RegionRole. `canonical` may be NULL (= name), as
 * may `file`. RECORD_NONE if out of memory. */
uint32_t define_region(const char *name, const char *canonical, const char *file, uint32_t line,
                       int paradigm, int role);

/* A function of the program: its address as linked, in an object file (number of its
 * DEFINITION_OBJECT). Ids are those of define_region. */
uint32_t define_function(uint32_t object, uint64_t address);

/* A construct of OpenMP (openmp.h): the return address of its call of the runtime, as linked;
 * `object` is RECORD_NONE if the address is in none. Ids are those of define_region. */
uint32_t define_construct(uint32_t object, uint64_t address, uint32_t construct);

/* The same for an MPI call: its region is the call at this place in the code. */
uint32_t define_call(uint32_t object, uint64_t address, enum mpi_call call);

/* A communicator as this rank sees it. `creator` and `number` identify it globally: the world rank
 * of its rank 0 and that rank's count of communicators created (agreed upon by a broadcast at
 * creation). MPI_COMM_WORLD is creator 0, number 0 and the first to be defined. Members are world
 * ranks in the order of the communicator; remote members only for an intercommunicator. `self`:
 * MPI_COMM_SELF and duplicates of it, whose members are not passed. `parent` is a communicator
 * defined before, or RECORD_NONE. `joined`: the archive has an intercommunicator as a communicator
 * of both groups. Returns RECORD_NONE if out of memory. */
uint32_t define_comm(uint32_t creator, uint32_t number, const char *name, const uint64_t *members,
                     size_t member_count, const uint64_t *remote, size_t remote_count,
                     uint32_t parent, bool self, bool joined);

/* Renames a communicator (MPI_Comm_set_name); the last name counts. */
void define_comm_name(uint32_t comm, const char *name);

/* The Cartesian grid of a communicator that has just been defined. */
void define_grid(uint32_t comm, uint32_t dimension_count, const int *sizes, const int *periodic);

/* DEFINITION_COUNTS: a vector of byte counts in rank order; DEFINITION_GROUP: ranks of
 * MPI_COMM_WORLD. RECORD_NONE if out of memory or if there are too many vectors. */
uint32_t define_numbers(enum definition_type type, const uint64_t *numbers, size_t count);

/* DEFINITION_TYPES: what a call says of its datatypes (base/otf2_attributes.h), with an operator of
 * the program or RECORD_NONE. Ids and failures are those of define_numbers. */
uint32_t define_types(const uint64_t *numbers, size_t count, uint32_t user_op);

/* An operator of the program: whether it commutes, and `count` numbers as in SILAS::types. A later
 * definition replaces it. */
void define_operator(uint32_t user_op, bool commutes, const uint64_t *numbers, size_t count);

/* A window; `number` counts the windows created on the communicator, from 0. */
uint32_t define_window(uint32_t comm, uint32_t number);

/* Defines the message of a receive whose completion will not be recorded, because its request was
 * freed. */
void define_freed(const struct rank_freed *freed);

struct definition {
    unsigned char *data;
    size_t size, capacity;
    bool failed; /* out of memory */
};
/* Begins a definition with `count` numbers of 32 bits. */
void definition_begin(struct definition *definition, enum definition_type type,
                      const uint32_t *numbers, size_t count);
void definition_put(struct definition *definition, const void *data, size_t size);
void definition_put_text(struct definition *definition, const char *text);
/* Appends the definition to the rank's file, or keeps it until that is open; frees its memory. */
void definition_end(struct definition *definition);

/* Opens the file and writes the definitions kept so far. False after a failure, which is printed.
 */
bool definitions_open(const char *path);

#endif
