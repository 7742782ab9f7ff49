#include "base/mpi/part.h"

#include "base/mpi/mail.h"

#include <assert.h>

enum { TAG = 0 };

void part_send(const struct processes *processes, const void *piece, size_t size)
{
    struct mail_sending sending = {0};
    assert(size <= PART_PIECE);
    mail_start(processes, &sending, 0, TAG, piece, size);
    mail_finish(processes, &sending);
}

size_t part_receive(const struct processes *processes, int from, void *piece)
{
    return mail_wait(processes, from, TAG, piece, PART_PIECE);
}
