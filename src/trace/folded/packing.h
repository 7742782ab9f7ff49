/* Serialization of numbers and texts, and compression by liblzma. */
#ifndef TRACE_FOLDED_PACKING_H
#define TRACE_FOLDED_PACKING_H

#include "base/array.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* One function implements both directions of a serialization: it calls code_number for each number,
 * which either appends the number to `written` or sets it from `read`. */
struct coder {
    bool decoding;
    bool failed;          /* memory is out, or the bytes end too early or are invalid */
    struct bytes written; /* owned by the caller: bytes_clear */
    const unsigned char *read;
    size_t size, at; /* of `read` */
};

/* A number below 2^7 takes one byte, below 2^14 two, and so on. */
void code_number(struct coder *coder, uint64_t *number);
void code_u32(struct coder *coder, uint32_t *number);
void code_u8(struct coder *coder, uint8_t *number);
void code_bool(struct coder *coder, bool *value);
/* Codes the difference to `expected`, which may be negative. */
void code_near(struct coder *coder, uint64_t *number, uint64_t expected);
void code_u32_near(struct coder *coder, uint32_t *number, uint32_t expected);
/* `size` bytes as they are. */
void code_bytes(struct coder *coder, void *data, size_t size);
/* Codes a number of items. Fails if it is above `limit`, so that a damaged number does not allocate
 * too much memory. */
void code_count(struct coder *coder, uint32_t *count, uint64_t limit);

/* Maps signed differences to unsigned numbers so that small differences give small numbers, and
 * back. */
static inline uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t unzigzag(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

/* The contents of a block: texts and small numbers with repetitions, or symbols of durations, which
 * are noise with an uneven distribution. */
enum packing { PACKING_NUMBERS, PACKING_NOISE };

/* Text that writer and reader have in advance. Repetitions of it take almost no space. */
struct dictionary {
    const void *data;
    size_t size;
};

/* Compresses a block and appends it to `packed`. False if out of memory. The result depends on
 * the arguments only. */
bool packing_compress(enum packing packing, struct dictionary known, const void *data, size_t size,
                      struct bytes *packed);

/* Decompresses a block of `size` bytes that was compressed with the same `known` into `data`, which
 * must be empty. The caller frees it with bytes_clear; after a failure nothing is left to free.
 * STATUS_INPUT if the compressed bytes are not those of a block of this size, STATUS_ENVIRONMENT if
 * out of memory; the caller writes the message. Allocates no more memory than the block takes, even
 * if `size` is too large. */
enum status packing_expand(enum packing packing, struct dictionary known, const void *packed,
                           size_t packed_size, size_t size, struct bytes *data);

/* CRC-32 of IEEE 802.3. */
uint32_t block_checksum(const void *data, size_t size);

#endif
