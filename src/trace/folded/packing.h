/* Numbers and texts as bytes, and their compression by liblzma. */
#ifndef LOOPS_PACKING_H
#define LOOPS_PACKING_H

#include "base/array.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Both directions of a serialization are one function: it calls code_number for each number, which
 * either appends it to `written` or sets it from `read`. */
struct coder {
    bool decoding;
    bool failed;          /* memory is out, or the bytes end too early or make no sense */
    struct bytes written; /* owned by the caller: bytes_clear */
    const unsigned char *read;
    size_t size, at; /* of `read` */
};

/* A number below 2^7 takes one byte, below 2^14 two, and so on. */
void code_number(struct coder *coder, uint64_t *number);
void code_u32(struct coder *coder, uint32_t *number);
void code_u8(struct coder *coder, uint8_t *number);
void code_bool(struct coder *coder, bool *value);
/* The same for the difference to `expected`, which may be negative. */
void code_near(struct coder *coder, uint64_t *number, uint64_t expected);
void code_u32_near(struct coder *coder, uint32_t *number, uint32_t expected);
/* `size` bytes as they are. */
void code_bytes(struct coder *coder, void *data, size_t size);
/* A number of items that have at least a bit each in `read` or elsewhere: fails if `limit` is less.
 */
void code_count(struct coder *coder, uint32_t *count, uint64_t limit);

/* From signed differences to numbers that are small if the difference is, and back. */
static inline uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t unzigzag(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

/* What is compressed: texts and small numbers with repetitions, or symbols of durations, which are
 * noise with an uneven distribution. */
enum packing { PACKING_NUMBERS, PACKING_NOISE };

/* Text that both sides know beforehand: repetitions of it take next to no space. */
struct dictionary {
    const void *data;
    size_t size;
};

/* Appends the compressed bytes to `packed`. False when memory is out. The result depends on the
 * arguments only. */
bool packing_compress(enum packing packing, struct dictionary known, const void *data, size_t size,
                      struct bytes *packed);

/* Makes `data`, which is empty, the `size` bytes that were compressed with the same `known`. The
 * caller frees it with bytes_clear; after a failure nothing is left to free. STATUS_INPUT if the
 * packed bytes are invalid or do not give `size` bytes, STATUS_ENVIRONMENT if out of memory; the
 * caller words the error. Memory is taken in proportion to `packed_size`, even if `size` is wrong.
 */
enum status packing_expand(enum packing packing, struct dictionary known, const void *packed,
                           size_t packed_size, size_t size, struct bytes *data);

/* CRC-32 of IEEE 802.3. */
uint32_t checksum(const void *data, size_t size);

#endif
