/* One recording in silas-replay: it is loaded, matched, checked, changed by the hypotheses and
 * replayed. */
#ifndef JOB_REPLAY_SESSION_H
#define JOB_REPLAY_SESSION_H

#include "job/replay_config.h"
#include "job/run_spread.h"
#include "replay/repeat.h"
#include "transform/compensate.h"

struct replay_session {
    const struct replay_config *config;
    struct processes *processes;
    const char *path;
    struct trace *original; /* compensated, if the configuration has compensate = yes */
    bool shares_original;   /* it belongs to another session */
    struct compensation compensation;
    double recorded_s;                   /* T of the recording, before compensation */
    struct run_spread run_spread;        /* all 0: unknown, or nothing is replayed */
    double kept_imbalance;               /* kept_imbalance.h; 0: none, or nothing is replayed */
    double traced_cost;                  /* traced_cost.h; 0: none, or nothing is replayed */
    struct memory *memory;               /* NULL: the configuration has no [memory LABEL] */
    bool shares_memory;                  /* it belongs to another session */
    double shared_s, unshared_s;         /* T of the changed trace as in struct memory; 0: none */
    struct trace *changed;               /* NULL for an identity replay */
    struct hypothesis_outcome *outcomes; /* [hypothesis]: its changes of this recording */
    struct repeat_result result;         /* all zero before replay_session_run */
};

/* Collective. Loads, matches, checks and changes the recording; nothing is replayed. The caller
 * closes the session; after a failure there is nothing to close. */
enum status replay_session_open(const struct replay_config *config, const char *path,
                                struct processes *processes, struct replay_session **session,
                                struct error *error);

/* Collective. The same for a trace that is matched and checked already, which the session takes
 * over, also after a failure. `path` names it in reports. */
enum status replay_session_open_on(const struct replay_config *config, struct trace *trace,
                                   const char *path, struct processes *processes,
                                   struct replay_session **session, struct error *error);

/* Collective. Another what-if about the recording that `base` has loaded. It shares the recording,
 * so `base` must outlive it. The configurations differ in their hypotheses only. */
enum status replay_session_open_beside(const struct replay_session *base,
                                       const struct replay_config *config,
                                       struct replay_session **session, struct error *error);

/* Collective. What to replay, and how predictions of such changes differ from real runs. */
struct repeat_input replay_session_input(const struct replay_session *session);

/* Collective. Replays the unchanged and the changed trace as the configuration says. */
enum status replay_session_run(struct replay_session *session, struct error *error);

void replay_session_close(struct replay_session *session); /* NULL is allowed */

/* The two traces that the report compares. Before: the median unchanged replay, or the recording
 * if that is the baseline or there are no hypotheses. */
const struct trace *replay_session_before(const struct replay_session *session);
/* After: the median replay of the changed trace; in an identity replay, of the unchanged one. */
const struct trace *replay_session_after(const struct replay_session *session);

/* T of the median replay of the changed trace; in an identity replay, of the unchanged one. */
double replay_session_predicted_s(const struct replay_session *session);

#endif
