/* The options of the real-time engine. */
#ifndef REPLAY_REALTIME_OPTIONS_H
#define REPLAY_REALTIME_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What the real-time engine reads in section [replay]. */
struct realtime_options {
    bool oversubscribe; /* more ranks than cores are accepted: sleep instead of spinning */
    double timeout_s;   /* the watchdog ends a replay without progress for so long and prints each
                           rank's operation; > 0 */
    uint64_t buffer_limit; /* bytes of message buffers per rank at most, 0: no limit */
    int free_wildcards;   /* not 0: receives from any source or with any tag take the first message,
                             not the recorded one */
    int stream;           /* not 0: computation streams through memory instead of spinning, */
    uint64_t stream_rate; /* bytes per second of each rank, 0: as fast as memory allows */
    bool untuned;         /* no tuning: caches stay as they are */
    bool keep_noise;      /* lost cores are not corrected (correction/correction.h) */
};

#endif
