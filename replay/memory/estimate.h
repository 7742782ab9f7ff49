/* The shares of bandwidth of the sections [memory LABEL], estimated from a recording. */
#ifndef REPLAY_MEMORY_ESTIMATE_H
#define REPLAY_MEMORY_ESTIMATE_H

#include "replay/memory/config.h"
#include "replay/memory/share_study.h"

/* Collective. Estimates the shares of the sections named by `wanted` [section] from a trace, and
 * writes them to sharing->shares and `estimates` [section]. Fails with STATUS_INPUT if the trace
 * does not show one of them. */
enum status memory_estimate(const struct memory_config *config, const struct trace *trace,
                            const bool *wanted, struct memory_sharing *sharing,
                            struct share_estimate *estimates, struct error *error);

#endif
