/* From one rank's events to a program. */
#ifndef REPLAY_REALTIME_COMPILE_H
#define REPLAY_REALTIME_COMPILE_H

#include "replay/realtime/collectives.h"
#include "replay/realtime/wildcards.h"

struct compile_input {
    const struct trace *trace; /* matched */
    double ticks_scale;        /* ticks of the engine's clock per tick of the trace */
    double poll_gap_s;
    uint64_t bsend_space;              /* bytes for MPI_Buffer_attach at most */
    uint64_t finalize_rest;            /* ticks that MPI_Finalize takes after the last arrival */
    bool finalizes;                    /* every rank calls it */
    bool crowded;                      /* ranks share cores: what cannot nap is not called */
    const struct wildcards *wildcards; /* all zero: receives name their message as recorded */
};

/* Fills `program` (all zero before) for this process's rank, its buffers still places. `*attached`
 * is how many bytes of buffer its Bsends need. Not collective. Fails with STATUS_INPUT naming the
 * event, or STATUS_ENVIRONMENT. */
enum status program_compile(const struct compile_input *input, struct collective_calls *calls,
                            struct replay_program *program, uint64_t *attached,
                            struct error *error);

/* Turns the places of buffers into addresses, after buffers_allocate. */
void program_place_buffers(struct replay_program *program, struct collective_calls *calls,
                           const struct buffers *buffers);

void program_clear(struct replay_program *program);

#endif
