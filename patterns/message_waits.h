/* The wait of a call for its messages (doc/methods.md, section 8). With e and l enter and leave of
 * the call that completes a message's own end, and o the enter of the call that posts the other
 * end:
 *
 *     late sender     a receive waits  max(0, min(o, l) - e)
 *     late receiver   a send waits     max(0, o - e),  0 if l < o: then the message was buffered
 *
 * A call that completes several messages waits for the one that takes longest. The Test calls do
 * not wait. For receivers Send, Ssend and the Wait calls wait; one that waits for a late sender
 * counts as that alone. */
#ifndef PATTERNS_MESSAGE_WAITS_H
#define PATTERNS_MESSAGE_WAITS_H

#include "patterns/pattern.h"

/* Ticks that the call waits for a late sender, 0 if it does not. `*message` is set to the received
 * message that it waits for, and not touched if it waits for none. */
int64_t late_sender_wait(const struct search_rank *rank, const struct search_call *call,
                         uint32_t *message);

/* The same for a late receiver; `*message` is the message that is sent. */
int64_t late_receiver_wait(const struct search_rank *rank, const struct search_call *call,
                           uint32_t *message);

#endif
