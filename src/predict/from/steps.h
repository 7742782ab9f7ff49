/* Which actions of ranks and recordings are the same step of the program, the communicators and
 * request names of the script. Process 0 only. */
#ifndef PREDICTION_FROM_STEPS_H
#define PREDICTION_FROM_STEPS_H

#include "base/name_set.h"
#include "predict/from/actions.h"

#define TAG_UNKNOWN                                                              \
    UINT32_MAX /* of a message to or from MPI_PROC_NULL, or if tags do not count \
                */

/* What an action is, apart from its values. All zero bytes between fields: it is a key. */
struct script_step {
    uint32_t kind;                  /* enum action_kind */
    uint32_t call;                  /* enum mpi_call */
    uint32_t comm;                  /* of the script; INDEX_NONE: unknown */
    uint32_t made;                  /* CREATE, FREE: communicator of the script */
    uint32_t send_tag, receive_tag; /* or TAG_UNKNOWN */
    uint32_t name;                  /* ENTER, LEAVE: number of the region's name */
    uint32_t numbered; /* WAIT: number of the set of numbered requests that it completes */
};

/* A communicator of the script; number 0 is the world. */
struct script_comm {
    uint32_t parent;
    uint32_t call;    /* enum mpi_call that makes it; MPI_CALL_NONE: it is there from the start */
    uint32_t ordinal; /* among those that are made on the parent */
    const char *name; /* in the script */
};

struct script_steps {
    struct recorded_program *programs;
    uint32_t program_count;
    struct arena *arena;      /* owns texts */
    struct name_set names;    /* of regions */
    struct name_set set;      /* struct script_step */
    struct name_set requests; /* uint32_t[2], the call and a number: the script's request names */
    struct name_set numbered; /* sets of requests */
    ARRAY(struct script_comm) comms;
    uint32_t **comm_of; /* [recording][its communicator]: that of the script; INDEX_NONE */
    bool is_numbered[MPI_CALL_COUNT]; /* each open request of this call has a separate name */
    bool tags;                        /* steps with different tags are different */
};

/* Finds the communicators, the steps and the request names, and sets step, request, me, and the
 * script's communicators (in place of the recording's) of all actions. Requests of messages to and
 * from MPI_PROC_NULL have no records; each is taken to be complete in the next wait that completes
 * a request. Fails if out of memory; nothing is left to free then. */
enum status steps_make(struct script_steps *steps, struct recorded_program *programs,
                       uint32_t count, struct error *error);
void steps_clear(struct script_steps *steps);

/* Finds steps and request names again, for another `tags` or other numbered requests. */
enum status steps_name(struct script_steps *steps, bool tags, struct error *error);

/* From now on the requests of the call that makes `request` are numbered. Returns whether they were
 * not. */
bool steps_number_requests(struct script_steps *steps, uint32_t request);

static inline const struct script_step *step_of(const struct script_steps *steps, uint32_t step)
{
    return steps->set.items.items[step].data;
}

static inline const char *step_region(const struct script_steps *steps,
                                      const struct script_step *step)
{
    return steps->names.items.items[step->name].data;
}

/* Whether a list of requests or actions has this number. */
static inline bool numbers_include(const uint32_t *numbers, size_t count, uint32_t wanted)
{
    size_t i = 0;
    while (i < count && numbers[i] != wanted)
        i++;
    return i < count;
}

/* The members of a communicator of the script in a recording, as world rank `rank` sees it: that of
 * the recording; INDEX_NONE: it is not a member. */
uint32_t steps_comm_at(const struct script_steps *steps, uint32_t recording, uint32_t comm,
                       uint32_t rank);

#endif
