#include "replay/model/thread_messages.h"

#include <assert.h>
#include <stdlib.h>

static size_t queue_count(const struct thread_messages *messages)
{
    return (size_t)messages->count * (size_t)messages->count;
}

bool thread_messages_open(struct thread_messages *messages, int count)
{
    assert(count > 1);
    messages->count = count;
    messages->queues =
        aligned_alloc(_Alignof(struct thread_queue), thread_messages_memory(messages));
    if (!messages->queues)
        messages->count = 0;
    return messages->queues != NULL;
}

void thread_messages_close(struct thread_messages *messages)
{
    free(messages->queues);
    *messages = (struct thread_messages){NULL, 0};
}

size_t thread_messages_memory(const struct thread_messages *messages)
{
    return queue_count(messages) * sizeof *messages->queues;
}

void thread_messages_reset(struct thread_messages *messages)
{
    for (size_t i = 0; i < queue_count(messages); i++) {
        atomic_init(&messages->queues[i].written, 0);
        atomic_init(&messages->queues[i].read, 0);
    }
}

uint64_t thread_messages_read(const struct thread_messages *messages)
{
    uint64_t read = 0;
    for (size_t i = 0; i < queue_count(messages); i++)
        read += atomic_load(&messages->queues[i].read);
    return read;
}

uint64_t thread_messages_written(const struct thread_messages *messages)
{
    uint64_t written = 0;
    for (size_t i = 0; i < queue_count(messages); i++)
        written += atomic_load(&messages->queues[i].written);
    return written;
}
