/* Mutations of what a file of folded loops has packed. Without them, nearly every mutation ends at
 * a checksum, or in liblzma. */
#ifndef TESTS_FUZZ_FOLDED_FILE_H
#define TESTS_FUZZ_FOLDED_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Changes `size` bytes at random, of at most `room`, and returns how many there are then. */
typedef size_t mutate_function(uint8_t *data, size_t size, size_t room);

/* Changes the file's index, or a part of one of its streams, by `mutate`, and packs everything
 * again with sizes and checksums that fit; or changes the file as it is, and only mends the
 * checksums of its header and index. Returns the new size. */
size_t folded_file_mutate(uint8_t *data, size_t size, size_t room, unsigned seed,
                          mutate_function *mutate);

#endif
