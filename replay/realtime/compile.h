/* Compiles one rank's events into a program. */
#ifndef REPLAY_REALTIME_COMPILE_H
#define REPLAY_REALTIME_COMPILE_H

#include "replay/realtime/compiler.h"

/* Fills `program` (all zero before) for this process's rank; its buffers are still places.
 * `*attached` gets the bytes of buffer that its Bsends need. Not collective. Fails with
 * STATUS_INPUT naming the event, or with STATUS_ENVIRONMENT. */
enum status program_compile(const struct compile_input *input, struct collective_calls *calls,
                            struct replay_program *program, uint64_t *attached,
                            struct error *error);

/* Turns the places of buffers into addresses, after buffers_allocate. */
void program_place_buffers(struct replay_program *program, struct collective_calls *calls,
                           const struct buffers *buffers);

void program_clear(struct replay_program *program);

#endif
