/* Messages that could have been one: sent one after another by a rank to the same rank, without a
 * receive or a synchronisation in between. */
#ifndef TRANSFORM_REPEATED_MESSAGES_H
#define TRANSFORM_REPEATED_MESSAGES_H

#include "trace/trace.h"

/* Sets repeated[message of the stream] for each send after which the rank sends another message to
 * the same rank, with the same communicator and tag, before it receives anything, takes part in a
 * collective or one-sided operation, or enters or leaves a region of the program. So the last one
 * of such messages is not set. The flags are false before. False if out of memory. */
bool repeated_messages_mark(const struct trace *trace, const struct stream *stream, bool *repeated);

#endif
