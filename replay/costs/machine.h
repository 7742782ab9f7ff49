/* The machine as LogGPS sees it: latency L, overheads o(k) of sender and receiver, gap g, time per
 * byte G, and the size S from which messages are synchronous; one set for each kind of distance.
 *
 * A machine file is an INI file:
 *
 *   [machine]
 *   synchronous_from = 64k          S of all distances that do not name their own; or "never",
 *                                   the default
 *   host = node17                   where it was measured; optional, as other texts here
 *
 *   [distance node]                 one of: cache, socket, node, network
 *   latency = 400 ns                L
 *   send_overhead = 150 ns          o of the sender for a message of no bytes,
 *   send_per_byte = 0.02            further ns per byte
 *   receive_overhead = 200 ns
 *   receive_per_byte = 0.02
 *   gap = 300 ns                    g: between two messages of one rank
 *   per_byte = 0.1                  G in ns
 *   synchronous_overhead = 2 us     of a synchronous message, from when both sides have come;
 *   synchronous_per_byte = 0.09     default of these two: computed from the others by LogGPS
 *   synchronous_from = 64k          S
 *   confidence = ...                a comment about the accuracy
 *
 *   [links]                         bandwidth shared by messages; unlimited without a key
 *   out = 200 Gbit/s                of a link from a node to the switch
 *   in = 200 Gbit/s                 of a link from the switch to a node
 *   number = 1                      links of each node in each direction
 *   memory = 80 GB/s                of all messages within a node together
 *   switch = 6.4 TB/s               of all messages between nodes together
 *
 * A distance that is missing in the file has the parameters of the next nearer one, or else those
 * of the next farther one. The sections [operations], [file], [nodes] and [call] are for
 * predictions (predict/hardware.h) and are skipped here. */
#ifndef REPLAY_COSTS_MACHINE_H
#define REPLAY_COSTS_MACHINE_H

#include "base/status.h"
#include "trace/environment.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* X(identifier, name in machine files): how far apart two ranks are, nearest first. */
#define DISTANCES(X)                                   \
    X(CACHE, "cache")   /* cores that share a cache */ \
    X(SOCKET, "socket") /* cores of one package */     \
    X(NODE, "node")     /* cores of one host */        \
    X(NETWORK, "network")

enum distance {
#define X(identifier, name) DISTANCE_##identifier,
    DISTANCES(X)
#undef X
        DISTANCE_COUNT
};

extern const char *const distance_names[DISTANCE_COUNT + 1]; /* NULL-terminated */

/* Times in seconds. */
struct loggps {
    bool known;
    double latency;
    double send_overhead, send_per_byte;
    double receive_overhead, receive_per_byte;
    double gap;
    double per_byte;
    double synchronous_overhead, synchronous_per_byte; /* both 0: by LogGPS, see transfer.c */
    uint64_t synchronous_from; /* bytes from which an ordinary send waits for its receive;
                                  UINT64_MAX: never */
};

enum { LOGGPS_PARAMETERS = 9 };

/* The key of one of the LOGGPS_PARAMETERS numbers above in machine files, and whether it is time
 * per byte. */
struct loggps_parameter {
    const char *key;
    bool per_byte;
};

extern const struct loggps_parameter loggps_parameters[LOGGPS_PARAMETERS];

/* The address of parameter number `which`. */
double *loggps_at(struct loggps *loggps, int which);

struct machine {
    struct loggps distances[DISTANCE_COUNT];
    struct network_links links;
    bool limit_is_assumed; /* S is a hypothesis: evidence from a recording does not count */
};

/* Fills in the missing distances. The machine must have at least one. */
void machine_complete(struct machine *machine);

/* Reads a machine file. Fails with file, line and the expected value. */
enum status machine_load(const char *path, struct machine *machine, struct error *error);

/* The same, but missing distances are left out (`known` is false). */
enum status machine_load_known(const char *path, struct machine *machine, struct error *error);

/* The same from a file that has been read (base/ini.h). `machine_read` allows a file without any
 * distance; `machine_require_distance` then fails. */
struct ini;
enum status machine_read(const struct ini *ini, struct machine *machine, struct error *error);
enum status machine_require_distance(const struct ini *ini, const struct machine *machine,
                                     struct error *error);

/* Prints the section of a distance that the machine has. The caller may print further keys after
 * it.
 */
void machine_print_distance(const struct machine *machine, enum distance distance, FILE *file);

/* Prints [links], unless nothing is limited. */
void machine_print_links(const struct network_links *links, FILE *file);

/* Whether links limit messages of this distance. */
bool machine_links_limit(const struct network_links *links, enum distance distance);

/* The smallest S of all distances: UINT64_MAX if no message is ever synchronous. */
uint64_t machine_synchronous_from(const struct machine *machine);

#endif
