/* Protocol buffers, as far as writing needs them
 * (https://protobuf.dev/programming-guides/encoding): a message is a sequence of fields, each a
 * number with the kind of its value, then the value:
 *
 *     0  varint    seven bits per byte, the lowest first; the top bit says that more follow
 *     1  fixed64   eight bytes, the lowest first
 *     2  length    a varint N, then N bytes: text, or a message in the same encoding
 *
 * The buffer notes if memory is out; later calls then do nothing. */
#ifndef EXPORTS_PROTOBUF_H
#define EXPORTS_PROTOBUF_H

#include "base/array.h"

#include <stdint.h>
#include <stdio.h>

struct protobuf { /* all zero: empty */
    struct bytes bytes;
    uint64_t flushed; /* bytes, since the caller set it to 0 */
    bool out_of_memory;
};

void protobuf_varint(struct protobuf *protobuf, unsigned field, uint64_t value);
void protobuf_fixed64(struct protobuf *protobuf, unsigned field, uint64_t value);
/* The text must be UTF-8: readers may refuse anything else. */
void protobuf_text(struct protobuf *protobuf, unsigned field, const char *text);

/* A message in the message: all fields up to protobuf_close, which gets what protobuf_open has
 * returned. */
size_t protobuf_open(struct protobuf *protobuf, unsigned field);
void protobuf_close(struct protobuf *protobuf, size_t opened);

/* Writes what the buffer holds, and empties it. `stream` NULL: only counts the bytes. False when
 * memory was out. Errors of writing are found by ferror. */
bool protobuf_flush(struct protobuf *protobuf, FILE *stream);
void protobuf_clear(struct protobuf *protobuf);

#endif
