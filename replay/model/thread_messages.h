/* Messages between the threads of an evaluation (evaluate.h): one queue per pair of threads, which
 * one of them writes and the other reads, without locks. */
#ifndef REPLAY_MODEL_THREAD_MESSAGES_H
#define REPLAY_MODEL_THREAD_MESSAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A slot is filled, or all members have arrived at an instance. */
struct thread_message {
    int64_t value;
    uint32_t slot; /* or instance */
    bool is_instance;
};

/* 64 KiB per queue. A longer one would only let a fast thread run further ahead of a slow one. */
enum { THREAD_QUEUE_LENGTH = 1 << 12 };

/* The counters are on separate cache lines, because two threads write them. */
struct thread_queue {
    _Alignas(64) _Atomic uint64_t written;
    _Alignas(64) _Atomic uint64_t read; /* and applied */
    struct thread_message messages[THREAD_QUEUE_LENGTH];
};

struct thread_messages {
    struct thread_queue *queues; /* [from * count + to] */
    int count;                   /* of threads */
};

/* False if out of memory; nothing is left to free then. */
bool thread_messages_open(struct thread_messages *messages, int count);
void thread_messages_close(struct thread_messages *messages);
size_t thread_messages_memory(const struct thread_messages *messages); /* bytes */

/* Empties all queues, before the threads start. */
void thread_messages_reset(struct thread_messages *messages);

static inline struct thread_queue *thread_queue_of(const struct thread_messages *messages, int from,
                                                   int to)
{
    return &messages->queues[from * messages->count + to];
}

/* Called by the thread that writes the queue. False: the queue is full. */
static inline bool thread_queue_put(struct thread_queue *queue, struct thread_message message)
{
    const uint64_t written = atomic_load_explicit(&queue->written, memory_order_relaxed);
    if (written - atomic_load_explicit(&queue->read, memory_order_acquire) == THREAD_QUEUE_LENGTH)
        return false;
    queue->messages[written % THREAD_QUEUE_LENGTH] = message;
    atomic_store_explicit(&queue->written, written + 1, memory_order_release);
    return true;
}

/* The numbers of messages that all threads have read, and written. To learn that no message is
 * under way, ask for those read first: both numbers only grow. */
uint64_t thread_messages_read(const struct thread_messages *messages);
uint64_t thread_messages_written(const struct thread_messages *messages);

#endif
