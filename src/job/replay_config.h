/* The configuration of silas-replay and silas-model (doc/config.md): [trace], [replay],
 * [output], sections of the engines, [memory LABEL], and one section for each hypothesis. */
#ifndef JOB_REPLAY_CONFIG_H
#define JOB_REPLAY_CONFIG_H

#include "base/ini.h"
#include "base/mpi/processes.h"
#include "job/question.h"
#include "replay/memory/memory.h"
#include "replay/engine.h"
#include "report/format.h"
#include "transform/hypothesis.h"

enum baseline { BASELINE_REPLAY, BASELINE_TRACE };

struct replay_config {
    struct ini *ini;          /* owns the strings and arrays */
    const char *trace_list;   /* [trace] path = a, b, c */
    const char **trace_paths; /* its items, resolved against the file's directory */
    size_t trace_count;
    bool correct_clocks;          /* [trace] correct_clocks */
    const struct engine *engine;  /* [replay] engine */
    void **engine_options;        /* [place in engine_list]: the options that the engine has read */
    double poll_gap_s;            /* [replay] poll_gap */
    int64_t repeat;               /* [replay] repeat, default 7; 1 for an engine that computes */
    bool compensate;              /* [replay] compensate */
    int baseline;                 /* [replay] baseline = replay | trace: enum baseline */
    const char *output_directory; /* [output] directory; default: NAME-replay beside NAME.ini or
                                     the archive NAME, silas-replay for standard input; numbered if
                                     it exists and `overwrite` is false */
    const char *format_list;      /* [output] formats; default text, json */
    const struct report_format **formats; /* its items, NULL at the end */
    bool write_trace;                     /* [output] trace */
    bool write_timeline;                  /* [output] timeline */
    bool report_variation;                /* [output] variation */
    bool overwrite;                       /* [output] overwrite */
    struct hypothesis *hypotheses;        /* none: identity replay */
    size_t hypothesis_count;
    struct memory_config *memory; /* sections [memory LABEL]; NULL: none */
};

/* Collective. Process 0 reads the file `path`, or standard input for "-". If `path` is a trace, the
 * configuration has nothing but section [trace] with this path. `question` (NULL: nothing) changes
 * it. `engine` overrides the engine that the file names, unless
 * it is NULL. Fails with STATUS_INPUT, naming file and line. The caller frees the configuration.
 * `processes` NULL: this process alone. */
enum status replay_config_load(const char *path, const struct question *question,
                               const struct engine *engine, const struct processes *processes,
                               struct replay_config **config, struct error *error);

/* The same for a configuration in memory, which is freed with the result, or after a failure. Not
 * collective. */
enum status replay_config_from_ini(struct ini *ini, const struct engine *engine,
                                   struct replay_config **config, struct error *error);

/* The same for a copy of a configuration in memory, and for a text. `name` stands for the file in
 * messages. */
enum status replay_config_of_copy(const struct ini *ini, const struct engine *engine,
                                  struct replay_config **config, struct error *error);
enum status replay_config_of_text(const char *name, const char *text, const struct engine *engine,
                                  struct replay_config **config, struct error *error);

enum config_value { CONFIG_VALUE_PLAIN, CONFIG_VALUE_PATH, CONFIG_VALUE_PATH_LIST };

/* The kind of a key's value, in any section of a configuration; unknown keys are plain. */
enum config_value replay_config_value(const char *section_kind, const char *key);

/* True for the kinds of sections that only a sweep has. */
bool replay_config_is_of_sweep(const char *section_kind);

/* True for the path of a trace: an anchor file, or a folder. */
bool replay_config_is_trace(const char *path);

/* The setup of any engine of engine_list, also of one that the file does not name. */
struct engine_setup replay_config_setup(const struct replay_config *config,
                                        const struct engine *engine);
void replay_config_destroy(struct replay_config *config);

#endif
