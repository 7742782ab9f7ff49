/* An exchange of records between all processes of the search. */
#ifndef PATTERNS_EXCHANGE_H
#define PATTERNS_EXCHANGE_H

#include "base/mpi/processes.h"

/* Collective: processes_exchange of outboxes that were filled `complete`ly on this process. If they
 * were not on any, all fail (memory is out) and the outboxes are empty. `outbox` may be NULL then.
 */
enum status exchange_records(const struct processes *processes, bool complete,
                             struct outbox *outbox, char **received, size_t *size,
                             struct error *error);

#endif
