#include "exchange/exports/protobuf.h"

#include <assert.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, VARINT_MOST = 10 };

static void put(struct protobuf *protobuf, const void *data, size_t size)
{
    if (!protobuf->out_of_memory)
        protobuf->out_of_memory = !bytes_put(&protobuf->bytes, data, size);
}

/* Returns the number of bytes. */
static size_t encode(uint64_t value, unsigned char bytes[VARINT_MOST])
{
    size_t size = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[size++] = (unsigned char)(value | 0x80);
    bytes[size++] = (unsigned char)value;
    return size;
}

static void put_number(struct protobuf *protobuf, uint64_t value)
{
    unsigned char bytes[VARINT_MOST];
    put(protobuf, bytes, encode(value, bytes));
}

static void put_key(struct protobuf *protobuf, unsigned field, unsigned wire)
{
    assert(field > 0);
    put_number(protobuf, (uint64_t)field << 3 | wire);
}

void protobuf_varint(struct protobuf *protobuf, unsigned field, uint64_t value)
{
    put_key(protobuf, field, WIRE_VARINT);
    put_number(protobuf, value);
}

void protobuf_fixed64(struct protobuf *protobuf, unsigned field, uint64_t value)
{
    unsigned char bytes[sizeof value];
    for (size_t i = 0; i < sizeof value; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    put_key(protobuf, field, WIRE_FIXED64);
    put(protobuf, bytes, sizeof bytes);
}

void protobuf_text(struct protobuf *protobuf, unsigned field, const char *text)
{
    const size_t size = strlen(text);
    put_key(protobuf, field, WIRE_LENGTH);
    put_number(protobuf, size);
    put(protobuf, text, size);
}

/* One byte is kept free for the length; the message moves if it needs more. */
size_t protobuf_open(struct protobuf *protobuf, unsigned field)
{
    put_key(protobuf, field, WIRE_LENGTH);
    put(protobuf, "", 1);
    return protobuf->bytes.size;
}

void protobuf_close(struct protobuf *protobuf, size_t opened)
{
    assert(protobuf->out_of_memory || (opened > 0 && opened <= protobuf->bytes.size));
    unsigned char length[VARINT_MOST];
    const size_t size = protobuf->bytes.size - opened, room = encode(size, length);
    put(protobuf, length, room - 1); /* more room, filled below */
    if (protobuf->out_of_memory)
        return;
    char *message = protobuf->bytes.data + opened;
    memmove(message + room - 1, message, size);
    memcpy(message - 1, length, room);
}

bool protobuf_flush(struct protobuf *protobuf, FILE *stream)
{
    if (protobuf->out_of_memory)
        return false;
    protobuf->flushed += protobuf->bytes.size;
    if (stream && protobuf->bytes.size > 0)
        fwrite(protobuf->bytes.data, 1, protobuf->bytes.size, stream);
    protobuf->bytes.size = 0;
    return true;
}

void protobuf_clear(struct protobuf *protobuf)
{
    bytes_clear(&protobuf->bytes);
}
