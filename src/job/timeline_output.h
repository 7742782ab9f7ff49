/* Makes the time line of a trace (report/timeline/timeline.h) from its model. */
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
    struct domino domino;        /* found by modelled_trace_find_domino, */
    struct domino_effect effect; /* likewise */
};

/* Collective. Prepares the equations. Close it in any case. */
enum status modelled_trace_open(struct modelled_trace *modelled, const struct trace *trace,
                                const struct engine *engine, const struct engine_setup *setup,
                                struct error *error);
void modelled_trace_close(struct modelled_trace *modelled);

/* From now on only waits of a length in seconds are considered for the domino path, and of a
 * reduced trace only those that it was reduced for; the latter at first. */
enum status modelled_trace_consider(struct modelled_trace *modelled, double shortest_s,
                                    struct error *error);

/* Collective. Finds the domino path and what it costs. */
enum status modelled_trace_find_domino(struct modelled_trace *modelled, struct error *error);

/* Collective. Writes the time line of what the model predicts, with the domino path, which must
 * have been found, into `directory`. */
enum status timeline_output_write(const struct modelled_trace *modelled, bool predicted,
                                  const char *directory, struct error *error);

/* Collective. Writes the time line of a recording, matched and checked, into `file`, with the bands
 * unless they are NULL. */
enum status timeline_output_of_recording(const struct trace *trace,
                                         const struct timeline_bands *bands, const char *file,
                                         struct error *error);

/* Collective. As timeline_output_write for a session that has run: of what the engine predicted, or
 * of the recording if nothing was changed. Waits and domino path of a replay come from a model of
 * that replay. */
enum status timeline_output_of_session(const struct replay_session *session, const char *directory,
                                       struct error *error);

#endif
