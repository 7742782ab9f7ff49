/* The options of the real-time engine. */
#ifndef REPLAY_REALTIME_OPTIONS_H
#define REPLAY_REALTIME_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What the real-time engine reads in section [replay]. */
struct realtime_options {
    bool oversubscribe;    /* no warning if there are more ranks than cores, so that ranks sleep */
    double timeout_s;      /* > 0: after this time without progress, the watchdog prints each rank's
                              operation and ends the replay */
    uint64_t buffer_limit; /* largest number of bytes of message buffers per rank, 0: no limit */
    int free_wildcards;   /* not 0: receives from any source or with any tag take the first message,
                             not the recorded one */
    int stream;           /* not 0: computation streams through memory instead of spinning, at */
    uint64_t stream_rate; /* bytes per second of each rank, 0: as fast as memory allows */
    bool untuned;         /* no tuning */
    bool keep_noise;      /* lost cores are not corrected (correction/correction.h) */
};

#endif
