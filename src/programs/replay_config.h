/* The configuration of silas-replay (DESIGN: the configuration file): [trace], [replay], [output]
 * and one section per hypothesis. */
#ifndef PROGRAMS_REPLAY_CONFIG_H
#define PROGRAMS_REPLAY_CONFIG_H

#include "base/ini.h"
#include "replay/engine.h"
#include "report/format.h"
#include "transform/hypothesis.h"

enum baseline { BASELINE_REPLAY, BASELINE_TRACE };

struct replay_config {
    struct ini *ini;
    char **trace_paths; /* resolved against the file's directory; [trace] path = a, b, c */
    size_t trace_count;
    bool correct_clocks;          /* [trace] correct_clocks */
    const struct engine *engine;  /* [replay] engine */
    void **engine_options;        /* what each engine of engine_list has read for itself */
    double poll_gap_s;            /* [replay] poll_gap */
    int repeat;                   /* [replay] repeat, default 7; 1 for an engine that computes */
    bool compensate;              /* [replay] compensate */
    enum baseline baseline;       /* [replay] baseline = replay | trace */
    const char *output_directory; /* [output] directory; default: NAME-replay beside NAME.ini */
    const struct report_format *
        *formats;                  /* [output] formats, NULL at the end; default text, json */
    bool write_trace;              /* [output] trace */
    bool write_timeline;           /* [output] timeline */
    bool overwrite;                /* [output] overwrite */
    struct hypothesis *hypotheses; /* none: identity replay */
    size_t hypothesis_count;
};

/* `engine` (NULL: as the file says) is used whatever the file says. */
enum status replay_config_load(const char *path, const struct engine *engine,
                               struct replay_config **config, struct error *error);
/* What `engine`, one of engine_list, is told, whether it is the one to be used or not. */
struct engine_setup replay_config_setup(const struct replay_config *config,
                                        const struct engine *engine);
void replay_config_destroy(struct replay_config *config);

#endif
