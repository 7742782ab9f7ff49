/* Exchange of data between the owners of ranks (base/mpi/exchange.h):
 *
 *   partners_exchange   each end of a message sends a value to the other end
 *   instances_exchange  the members of an instance of a collective operation send records to the
 *                       process that owns the instance; it answers them
 *
 * Each takes one exchange in each direction for the whole trace. Results do not depend on the
 * number of processes. Streams are numbered as in trace->streams. */
#ifndef TRACE_EXCHANGE_H
#define TRACE_EXCHANGE_H

#include "base/map.h"
#include "base/mpi/exchange.h"
#include "trace/trace.h"

#include <assert.h>

/* Adds a record for the process that owns `rank`. */
void exchange_put_owner(struct exchange *outgoing, const struct trace *trace, uint32_t rank,
                        const void *record);

enum { PARTNER_VALUE_MAX = 64 }; /* bytes */

/* An exchange of values between the ends of messages. `data` is the caller's. */
struct partner_exchange {
    const char *purpose; /* for the message when memory is out */
    size_t size;         /* of a value, at most PARTNER_VALUE_MAX bytes */
    /* Writes the value for the other end into `value`, which is all zero before. False: sends
     * nothing. */
    bool (*send)(void *data, uint32_t stream, uint32_t message, void *value);
    /* Called for the end `message` of an owned rank with the `value` that the other end sent. */
    void (*receive)(void *data, uint32_t stream, uint32_t message, const void *value);
};

/* Collective. Calls `send` for all message ends of the owned ranks that are matched and neither cut
 * nor cancelled, and `receive` at the owner of the other end. If that is the same process,
 * `receive` follows at once, so `send` must not read what `receive` writes. Fails on all processes
 * if memory is out on one of them, or was out before the call (`ready` is false there). */
enum status partners_exchange(const struct trace *trace, bool ready,
                              const struct partner_exchange *exchange, void *data,
                              struct error *error);

/* A member of an instance. The record of every member begins with it. */
struct member_record {
    uint32_t comm, instance;
    uint32_t rank, collective; /* world rank; index in its stream's collectives */
    uint32_t comm_rank;        /* in its group; not with MEMBERS_BY_RANK */
    bool second_group;         /* of an intercommunicator; not with MEMBERS_BY_RANK */
};

/* The member to which an answer goes. Every answer begins with it. */
struct instance_answer {
    uint32_t rank, collective;
};

/* The order of the members of an instance. */
enum member_order {
    MEMBERS_BY_RANK,     /* world ranks */
    MEMBERS_BY_COMM_RANK /* first the group of an intercommunicator, then the rank in it */
};

/* Writes a member's data after the struct member_record, which is set already; the rest is all zero
 * before. False: the member sends no record. */
typedef bool member_sender(void *data, uint32_t stream, uint32_t collective, void *record);

/* The instances that this process owns, with the records of their members. */
struct owned_instances {
    struct received records;
    size_t record_size;
    uint32_t *first; /* [instance + 1], into `order` */
    uint32_t *order; /* numbers of records, instance by instance */
    uint32_t instance_count;
    uint32_t largest;   /* number of members of the largest instance */
    struct map numbers; /* for owned_instance_find */
};

/* An exchange between members and owners of instances. `data` is the caller's. */
struct instance_exchange {
    const char *purpose; /* for the message when memory is out */
    size_t record_size, answer_size;
    enum member_order order;
    member_sender *send;
    /* Called at the owner: sends answers by exchange_put_owner. False when memory is out. */
    bool (*answer)(void *data, const struct owned_instances *instances, uint32_t instance,
                   struct exchange *answers);
    /* Called with the answer for an operation of an owned rank. */
    void (*receive)(void *data, uint32_t stream, uint32_t collective, const void *answer);
};

/* Collective. Calls exchange->send for the collective operations of the owned ranks that are
 * matched, and sends the records to the owners of the instances. Uses purpose, record_size, order
 * and send of the exchange only. After a failure nothing is left to close. */
enum status owned_instances_open(struct owned_instances *instances, const struct trace *trace,
                                 const struct instance_exchange *exchange, void *data,
                                 struct error *error);
void owned_instances_close(struct owned_instances *instances);

/* The number of members of an instance that have sent records: at least one. */
static inline uint32_t instance_member_count(const struct owned_instances *instances,
                                             uint32_t instance)
{
    assert(instance < instances->instance_count);
    return instances->first[instance + 1] - instances->first[instance];
}

/* The record of the n-th of these members. */
static inline void *instance_record(const struct owned_instances *instances, uint32_t instance,
                                    uint32_t n)
{
    assert(n < instance_member_count(instances, instance));
    size_t number = instances->order[instances->first[instance] + n];
    return (char *)instances->records.items + number * instances->record_size;
}

/* The process that owns an instance. */
int instance_owner(const struct trace *trace, uint32_t comm, uint32_t instance);

/* The number of an instance among those that this process owns. A member must have sent a record.
 */
uint32_t owned_instance_find(const struct owned_instances *instances, uint32_t comm,
                             uint32_t instance);

/* Collective. Sends records to the owners of the instances, and answers back. */
enum status instances_exchange(const struct trace *trace, const struct instance_exchange *exchange,
                               void *data, struct error *error);

#endif
