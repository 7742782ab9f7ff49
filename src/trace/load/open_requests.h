/* The requests that are open while a location's events are read. Ids may be reused once a request
 * is completed, and may be large and sparse; few are open at a time. */
#ifndef TRACE_OPEN_REQUESTS_H
#define TRACE_OPEN_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUEST_UNKNOWN UINT32_MAX

struct open_requests {
    struct {
        uint64_t id;
        uint32_t value; /* REQUEST_UNKNOWN: free slot */
    } * slots;
    size_t slot_count, open;
};

/* Opens a request; one of the same id that was never completed is forgotten. False: no memory. */
bool open_requests_add(struct open_requests *requests, uint64_t id, uint32_t value);
uint32_t open_requests_get(const struct open_requests *requests, uint64_t id);
/* Returns the request's value and closes it; REQUEST_UNKNOWN if none of that id is open. */
uint32_t open_requests_take(struct open_requests *requests, uint64_t id);
void open_requests_clear(struct open_requests *requests);

#endif
