/* Bytes of event files: compressed and whole numbers, and records that say how long they are. What
 * lies beyond the end is never used, but up to 8 bytes of it may be read. */
#ifndef TRACE_EVENT_BYTES_H
#define TRACE_EVENT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What is left of a chunk or a record. */
struct span {
    const uint8_t *at, *end;
    bool bad; /* beyond the end, or no number */
};

static const uint64_t low_bytes[] = {
    0,          0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
    UINT64_MAX,
};

/* A compressed number of up to `most` bytes. Reads up to 8 bytes too many (SLACK). */
static inline uint64_t span_number(struct span *b, uint8_t most)
{
    const size_t left = (size_t)(b->end - b->at);
    if (__builtin_expect(left == 0, 0)) {
        b->bad = true;
        return 0;
    }
    const uint8_t size = b->at[0];
    if (__builtin_expect(size > most || size >= left, 0)) {
        b->bad = b->bad || size != 0xff;
        b->at++;
        return UINT64_MAX;
    }
    uint64_t value;
    memcpy(&value, b->at + 1, sizeof value);
    b->at += 1 + size;
    return value & low_bytes[size];
}

static inline uint32_t span_number32(struct span *b)
{
    return (uint32_t)span_number(b, 4);
}

static inline uint64_t span_number64(struct span *b)
{
    return span_number(b, 8);
}

static inline uint8_t span_byte(struct span *b)
{
    if (b->at < b->end)
        return *b->at++;
    b->bad = true;
    return 0;
}

/* An uncompressed number. */
static inline uint64_t span_whole64(struct span *b)
{
    uint64_t value = 0;
    if (b->end - b->at < 8) {
        b->bad = true;
        return 0;
    }
    memcpy(&value, b->at, sizeof value);
    b->at += 8;
    return value;
}

/* The contents of a record that says how long it is; `b` is then behind it. */
static inline struct span span_record(struct span *b)
{
    uint64_t length = span_byte(b);
    if (__builtin_expect(length == 0xff, 0))
        length = span_whole64(b);
    if (__builtin_expect(length > (uint64_t)(b->end - b->at), 0)) {
        b->bad = true;
        return (struct span){b->end, b->end, true};
    }
    struct span inner = {b->at, b->at + length, false};
    b->at += length;
    return inner;
}

/* Whether all of a record has been read, and no more. */
static inline bool span_is_read(const struct span *record)
{
    return !record->bad && record->at == record->end;
}

#endif
