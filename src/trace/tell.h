/* Messages between the owners of ranks (base/mpi/exchange.h), for all parts that need them:
 *
 *   tell_partners  each end of a message gives a value to the other end
 *   tell_homes     the members of a collective operation bring their parts together at its home, a
 *                  process that answers them
 *
 * Each is one exchange for the whole trace in each direction. Results do not depend on the number
 * of processes. Streams are numbered as in trace->streams. */
#ifndef TRACE_TELL_H
#define TRACE_TELL_H

#include "base/map.h"
#include "base/mpi/exchange.h"
#include "trace/trace.h"

#include <assert.h>

/* Adds a record for the process that owns `rank`. */
void exchange_put_owner(struct exchange *exchange, const struct trace *trace, uint32_t rank,
                        const void *record);

enum { PARTNER_VALUE_MOST = 64 }; /* bytes */

/* The values of an exchange and the functions that make and take them. `data` is the caller's. */
struct partner_talk {
    const char *purpose; /* for the message when memory is out */
    size_t size;         /* of a value, at most PARTNER_VALUE_MOST */
    /* Writes the value for the other end into `value`, which is all zero before. False: sends
     * nothing. */
    bool (*tell)(void *data, uint32_t stream, uint32_t message, void *value);
    /* Called with the `value` that the other end sent to the end `message` of an owned rank. */
    void (*hear)(void *data, uint32_t stream, uint32_t message, const void *value);
};

/* Collective. Calls `tell` for all message ends of the owned ranks that are matched and neither cut
 * nor cancelled, and `hear` at the owner of the other end: at once if that is this process, so
 * `tell` must not read what `hear` writes. Fails on all processes if memory is out on one, or was
 * out before (`ready` false). */
enum status tell_partners(const struct trace *trace, bool ready, const struct partner_talk *talk,
                          void *data, struct error *error);

/* The sender of a part. Every part begins with it. */
struct home_part {
    uint32_t comm, instance;
    uint32_t rank, collective; /* world rank; index in its stream's collectives */
    uint32_t comm_rank;        /* in its group; not with HOME_BY_RANK */
    bool second_group;         /* of an intercommunicator; not with HOME_BY_RANK */
};

/* The recipient of an answer. Every answer begins with it. */
struct home_answer {
    uint32_t rank, collective;
};

enum home_order {
    HOME_BY_RANK,     /* the members of an instance in order of world ranks */
    HOME_BY_COMM_RANK /* by group and rank in the communicator */
};

/* Writes a member's part after the struct home_part, which is filled in already; the rest is all
 * zero before. False: the operation is not sent. */
typedef bool home_teller(void *data, uint32_t stream, uint32_t collective, void *part);

/* The instances whose home is this process. */
struct homes {
    struct received parts;
    size_t part_size;
    uint32_t *first; /* [instance + 1], into `order` */
    uint32_t *order; /* parts, instance by instance */
    uint32_t instance_count;
    uint32_t largest;   /* members of the largest instance */
    struct map numbers; /* for homes_find */
};

/* Collective. Calls `tell` for the collective operations of the owned ranks that are instances of
 * an operation, and brings the parts of `part_size` bytes together at their homes. After a failure
 * nothing is left to free. */
enum status homes_open(struct homes *homes, const struct trace *trace, size_t part_size,
                       enum home_order order, const char *purpose, home_teller *tell, void *data,
                       struct error *error);
void homes_close(struct homes *homes);

/* The number of members of an instance that have sent their parts: at least one. */
static inline uint32_t homes_members(const struct homes *homes, uint32_t instance)
{
    assert(instance < homes->instance_count);
    return homes->first[instance + 1] - homes->first[instance];
}

/* The n-th of these parts: its struct home_part and the data after it. */
static inline void *homes_part(const struct homes *homes, uint32_t instance, uint32_t n)
{
    assert(n < homes_members(homes, instance));
    return (char *)homes->parts.items + homes->order[homes->first[instance] + n] * homes->part_size;
}

/* The home process of an instance, and the instance's number there. Ask for the number only at the
 * home, and only for an instance that has parts. */
int homes_process(const struct trace *trace, uint32_t comm, uint32_t instance);
uint32_t homes_find(const struct homes *homes, uint32_t comm, uint32_t instance);

/* The parts and answers of an exchange. */
struct home_talk {
    const char *purpose; /* for the message when memory is out */
    size_t part_size, answer_size;
    enum home_order order;
    home_teller *tell;
    /* At the home: sends the answers by exchange_put_owner. False when memory is out. */
    bool (*answer)(void *data, const struct homes *homes, uint32_t instance,
                   struct exchange *answers);
    /* Called with the answer for an operation of an owned rank. */
    void (*hear)(void *data, uint32_t stream, uint32_t collective, const void *answer);
};

/* Collective. Sends parts to the homes and answers back. */
enum status tell_homes(const struct trace *trace, const struct home_talk *talk, void *data,
                       struct error *error);

#endif
