/* The wait of a call for its messages (doc/methods.md, section 8). With e and l enter and leave of
 * the call that completes a message's own end, and o the enter of the call that posts the other
 * end:
 *
 *     late sender     a receive waits  max(0, min(o, l) - e)
 *     late receiver   a send waits     max(0, o - e),  0 if l < o: it was buffered
 *
 * A call that completes several messages has the longest of these waits. The Test calls do not
 * wait. Send, Ssend and the Wait calls wait for receivers; a call that also waits for a late sender
 * counts only as that. */
#ifndef PATTERNS_MESSAGE_WAITS_H
#define PATTERNS_MESSAGE_WAITS_H

#include "patterns/pattern.h"

/* Ticks that the call waits for a late sender, 0 if it does not. Sets `*message` to the received
 * message that it waits for; otherwise `*message` stays unchanged. */
int64_t late_sender_wait(const struct search_rank *rank, const struct search_call *call,
                         uint32_t *message);

/* The same for a late receiver; `*message` is the message that is sent. */
int64_t late_receiver_wait(const struct search_rank *rank, const struct search_call *call,
                           uint32_t *message);

#endif
