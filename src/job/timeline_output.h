/* Time lines of traces (report/timeline/timeline.h) with the domino path, which the model finds. */
#ifndef JOB_TIMELINE_OUTPUT_H
#define JOB_TIMELINE_OUTPUT_H

#include "job/replay_session.h"
#include "replay/model/domino.h"
#include "replay/model/model.h"
#include "report/timeline/timeline.h"

/* A trace with its equations. */
struct modelled_trace {
    const struct trace *trace;
    const struct engine *engine; /* has equations */
    void *state;                 /* of the engine, prepared */
    struct model *model;
    /* On process 0: */
    struct critical *critical;   /* up to date */
    struct domino domino;        /* modelled_trace_find_domino finds it */
    struct domino_effect effect; /* of its first path; likewise */
};

/* Collective. Prepares the equations. The caller closes it; after a failure there is nothing to
 * close. */
enum status modelled_trace_open(struct modelled_trace *modelled, const struct trace *trace,
                                const struct engine *engine, const struct engine_setup *setup,
                                struct error *error);
void modelled_trace_close(struct modelled_trace *modelled);

/* From now on, the domino path has only waits of at least `shortest_s` seconds. In a reduced trace,
 * it never has waits shorter than those that the reduction keeps exact. */
enum status modelled_trace_consider(struct modelled_trace *modelled, double shortest_s,
                                    struct error *error);

/* Collective. Finds the domino paths, and T without the waits of the first one. */
enum status modelled_trace_find_domino(struct modelled_trace *modelled, struct error *error);

/* Collective. Writes the time line that the model predicts, with the domino path, into `directory`.
 * modelled_trace_find_domino comes first. */
enum status timeline_output_write(const struct modelled_trace *modelled, bool predicted,
                                  const char *directory, struct error *error);

/* Collective. Writes the time line of a matched and checked recording into `file`. `bands` may be
 * NULL. */
enum status timeline_output_of_recording(const struct trace *trace,
                                         const struct timeline_bands *bands, const char *file,
                                         struct error *error);

/* Collective. Writes the time line of a session that has run into `directory`: that of the
 * predicted trace, or of the recording if nothing was changed. The domino path of a replay is
 * that of a model of that replay. */
enum status timeline_output_of_session(const struct replay_session *session, const char *directory,
                                       struct error *error);

#endif
