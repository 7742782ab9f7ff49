#include "patterns/delay_list.h"

enum { MOST_BYTES = 10 }; /* of a number of 64 bits */

static size_t write_number(unsigned char *bytes, uint64_t number)
{
    size_t count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (unsigned char)(number | 0x80);
    bytes[count++] = (unsigned char)number;
    return count;
}

static uint64_t read_number(const unsigned char **place)
{
    uint64_t number = 0;
    int shift = 0;
    for (; **place & 0x80; ++*place, shift += 7)
        number |= (uint64_t)(**place & 0x7f) << shift;
    return number | (uint64_t) * (*place)++ << shift;
}

bool delay_list_put(struct bytes *lists, struct delay delay)
{
    unsigned char bytes[2 * MOST_BYTES];
    size_t count = write_number(bytes, (uint64_t)delay.path + 1);
    count += write_number(bytes + count, (uint64_t)delay.ticks);
    return bytes_put(lists, bytes, count);
}

bool delay_list_end(struct bytes *lists)
{
    return bytes_put(lists, "", 1);
}

bool delay_list_next(const unsigned char **place, struct delay *delay)
{
    uint64_t path = read_number(place);
    if (path == 0)
        return false;
    delay->path = (uint32_t)(path - 1);
    delay->ticks = (int64_t)read_number(place);
    return true;
}
