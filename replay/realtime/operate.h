/* The MPI calls of a replay. If processes share cores, a blocking call is replaced by its
 * nonblocking form and a wait that sleeps, because MPICH spins while it waits. */
#ifndef REPLAY_REALTIME_OPERATE_H
#define REPLAY_REALTIME_OPERATE_H

#include "replay/realtime/executor.h"

/* Performs one operation to its end: operations.c. */
void operate(struct executor *executor, const struct op *op);

void operate_collective(const struct replayed_collective *c);
void operate_icollective(const struct replayed_collective *c, MPI_Request *r);

/* Stores the communicator in executor->made. */
void operate_creation(struct executor *executor, const struct comm_call *c);

void operate_window(struct executor *executor, const struct op *op);

/* Waits and tests of the requests in op->set. */
void operate_requests(struct executor *executor, const struct op *op);

/* Waits for requests. If processes share cores, it tests them and sleeps between the tests. */
void operate_wait(struct executor *executor, int count, MPI_Request *requests,
                  MPI_Status *statuses);

/* Checks the result of an MPI call on several requests, whose statuses have the errors. MPI reports
 * all other errors to the handlers of realtime_errors.h. */
void operate_check(int code, int count, const MPI_Status *statuses);

#endif
