/* One recording of a program on its way through silas-replay: loaded, matched, checked, changed by
 * the hypotheses, replayed. */
#ifndef PROGRAMS_REPLAY_SESSION_H
#define PROGRAMS_REPLAY_SESSION_H

#include "programs/replay_config.h"

/* A trace as an engine replays it, and what its runs gave. The same on all processes, but for the
 * time columns. */
struct replay_side {
    const struct trace *trace; /* NULL: this side is not replayed */
    void *state;               /* the engine's */
    struct engine_facts facts;
    double *time_s;       /* [repeat] T of each run */
    struct trace **views; /* [repeat] of each run; after replay_session_run only the median's */
    struct trace *median; /* the view of the run whose T is nearest to the median */
    double lost_s;        /* the largest of a run */
};

struct replay_session {
    const struct replay_config *config;
    struct processes *processes;
    const char *path;
    struct trace *original;
    struct trace *changed;   /* NULL for an identity replay */
    double *aggregate_error; /* [repeat] of the unchanged replays */
    struct replay_side baseline, predicted;
};

/* Collective. Loads, matches, checks and changes the recording; nothing is replayed. */
enum status replay_session_open(const struct replay_config *config, const char *path,
                                struct processes *processes, struct replay_session **session,
                                struct error *error);

/* Collective. Replays the unchanged and the changed trace `repeat` times each, in turns, so that
 * both see the same machine; the first of a pair alternates. */
enum status replay_session_run(struct replay_session *session, struct error *error);

void replay_session_close(struct replay_session *session);

/* An identity replay's baseline is what it is about; there is no second side. */
static inline bool replay_session_is_identity(const struct replay_session *session)
{
    return session->changed == NULL;
}

/* What the report compares the median replay with: the recording, or its median replay. */
static inline const struct trace *replay_session_before(const struct replay_session *session)
{
    return session->predicted.trace && session->baseline.trace ? session->baseline.median
                                                               : session->original;
}

static inline const struct replay_side *replay_session_after(const struct replay_session *session)
{
    return session->predicted.trace ? &session->predicted : &session->baseline;
}

#endif
