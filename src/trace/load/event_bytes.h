/* Decodes the bytes of event files: compressed and whole numbers, and records with a length. May
 * read up to 8 bytes beyond the end of a span, but does not use them. */
#ifndef TRACE_EVENT_BYTES_H
#define TRACE_EVENT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bytes of a chunk or a record that have not been read yet. */
struct byte_span {
    const uint8_t *at, *end;
    bool bad; /* read beyond the end, or not a number */
};

static const uint64_t low_bytes[] = {
    0,          0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
    UINT64_MAX,
};

/* A compressed number of up to `most` bytes; UINT64_MAX if it is undefined. Reads 8 bytes after its
 * size, so a span must be followed by SLACK bytes of memory. */
static inline uint64_t byte_span_number(struct byte_span *b, uint8_t most)
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

static inline uint32_t byte_span_number32(struct byte_span *b)
{
    return (uint32_t)byte_span_number(b, 4);
}

static inline uint64_t byte_span_number64(struct byte_span *b)
{
    return byte_span_number(b, 8);
}

static inline uint8_t byte_span_byte(struct byte_span *b)
{
    if (b->at < b->end)
        return *b->at++;
    b->bad = true;
    return 0;
}

/* An uncompressed number. */
static inline uint64_t byte_span_whole64(struct byte_span *b)
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

/* The contents of a record that begins with its length. `b` continues after the record. */
static inline struct byte_span byte_span_record(struct byte_span *b)
{
    uint64_t length = byte_span_byte(b);
    if (__builtin_expect(length == 0xff, 0))
        length = byte_span_whole64(b);
    if (__builtin_expect(length > (uint64_t)(b->end - b->at), 0)) {
        b->bad = true;
        return (struct byte_span){b->end, b->end, true};
    }
    struct byte_span inner = {b->at, b->at + length, false};
    b->at += length;
    return inner;
}

/* True if a record has been read exactly to its end. */
static inline bool byte_span_is_read(const struct byte_span *record)
{
    return !record->bad && record->at == record->end;
}

#endif
