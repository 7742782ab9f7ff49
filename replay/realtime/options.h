/* The options of the real-time engine. */
#ifndef REPLAY_REALTIME_OPTIONS_H
#define REPLAY_REALTIME_OPTIONS_H

#include "base/ini.h"

/* What the real-time engine reads in section [replay]. */
struct realtime_options {
    bool oversubscribe;    /* more ranks than cores is wanted: sleep instead of spinning */
    double timeout_s;      /* watchdog: no progress for so long ends the replay with each rank's
                              operation; > 0 */
    uint64_t buffer_limit; /* bytes for message buffers per rank at most, 0: no limit */
    bool free_wildcards;   /* receives from any source or with any tag take what comes first, not
                              what they have got in the recording */
    bool stream;           /* computation streams through memory instead of spinning, */
    uint64_t stream_rate;  /* at so many bytes a second of each rank, 0: as fast as memory goes */
    bool untuned;          /* do not find out about the program: caches stay as they are */
    bool keep_noise;       /* losses of the core stay in the result (correction/correction.h) */
};

extern const struct realtime_options realtime_defaults;
extern const char *const realtime_keys[]; /* NULL-terminated */

/* engine->read_options */
enum status realtime_options_read(const struct ini *ini, void *options, struct error *error);

#endif
