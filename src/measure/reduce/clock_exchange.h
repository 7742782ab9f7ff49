/* Compares the clocks of hosts while a program runs, so that its records can be reduced meanwhile
 * (host_clocks.h). The keeper of rank 0 answers; on each other host, one keeper asks, by UDP, since
 * the program's MPI is not to be disturbed. The comparison is that of NTP (RFC 5905, section 8). If
 * the hosts cannot reach each other, nothing is compared meanwhile. */
#ifndef MEASURE_CLOCK_EXCHANGE_H
#define MEASURE_CLOCK_EXCHANGE_H

#include "base/clock.h"
#include "measure/archive/clock_line.h"
#include "measure/recorder/record_path.h"

/* The file of a host's comparisons: a sequence of struct clock_point, the best of the first two
 * seconds, of the next four, and of each eight seconds after them. */
struct record_path clock_exchange_path(const char *directory, const char *boot_id);

/* Answers from now on, in a thread that ends with the process. Other hosts find it by a file in
 * DIR/records/. */
void clock_server_begin(const char *directory, const struct clock *clock);

struct clock_client;

/* Begins to compare this host's clock. NULL if another keeper of the host does, or after a failure.
 */
struct clock_client *clock_client_begin(const char *directory, const char *boot_id,
                                        const struct clock *clock);

/* Called regularly, about ten times per second. Takes 50 ms at most. */
void clock_client_step(struct clock_client *client);

void clock_client_end(struct clock_client *client); /* NULL is allowed */

#endif
