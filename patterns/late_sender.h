/* The wait of a call for its messages, shared with the patterns that build on it. */
#ifndef PATTERNS_LATE_SENDER_H
#define PATTERNS_LATE_SENDER_H

#include "patterns/pattern.h"

/* Ticks that the call waits for a late sender, 0 if it does not; `*message` is then the received
 * message that is waited for. */
int64_t late_sender_wait(const struct search_rank *rank, const struct call *call,
                         uint32_t *message);

/* The same for a late receiver; `*message` is then the message that is sent. */
int64_t late_receiver_wait(const struct search_rank *rank, const struct call *call,
                           uint32_t *message);

#endif
