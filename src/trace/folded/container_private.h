/* The layout of an archive of folded loops, for writer and reader. All numbers are little-endian.
 *
 *   header   32 bytes: the mark, sizes of the packed and the unpacked index, CRC-32 of the packed
 *            index, CRC-32 of the header's first 28 bytes
 *   index    packed: quantum, definitions, call tree, a struct section for each stream, Cartesian
 *            grids if there are any or threads follow, and the MPI processes of the ranks if
 * threads of a process are ranks streams  in the order of the index: packed numbers, packed
 * symbols, low bits
 *
 * Checksums cover all bytes, and the index determines the size of the file. */
#ifndef TRACE_FOLDED_CONTAINER_PRIVATE_H
#define TRACE_FOLDED_CONTAINER_PRIVATE_H

#include "trace/folded/packing.h"
#include "trace/folded/streams.h"
#include "trace/trace.h"

#define CONTAINER_MARK "SILASLP1" /* the last character is the version of the format */
enum {
    MARK_SIZE = 8,
    HEADER_SIZE = 32,
    DICTIONARY_MOST =
        1 << 20, /* bytes of rank 0's numbers in the dictionary for the other streams */
};

/* A stream in the file. */
struct section {
    uint32_t location;
    uint32_t crc; /* of all its bytes */
    uint64_t numbers, numbers_packed;
    uint64_t symbols, symbols_packed;
    uint64_t low;
};

static inline uint64_t section_size(const struct section *section)
{
    return section->numbers_packed + section->symbols_packed + section->low;
}

/* The position of a stream in the file, chosen so that the streams of a process are adjacent for
 * any number of processes: ranks in their order, each with its master thread first; locations
 * without a rank, which the first process owns, after those of rank 0. */
static inline uint64_t section_order(const struct trace *trace, uint32_t location)
{
    const struct location *l = &trace->definitions->locations[location];
    uint64_t rank = l->rank == INDEX_NONE ? 0 : l->rank;
    uint64_t class = l->rank == INDEX_NONE ? 2 : !l->master;
    return rank << 34 | class << 32 | location;
}

/* Codes the fields of a section; `before` is the section before it. */
void section_code(struct coder *coder, struct section *section, const struct section *before);

/* Appends the packed bytes of a stream to `packed`, and sets the section except its location. False
 * when memory is out. */
bool section_pack(struct section *section, struct dictionary known,
                  const struct stream_bytes *bytes, struct bytes *packed);

/* Sets both checksums of a header [HEADER_SIZE] for a packed index. */
void header_sign(unsigned char *header, const void *packed, size_t packed_size);
/* Makes a complete header. */
void header_make(unsigned char *header, const struct bytes *packed, size_t index_size);

#endif
