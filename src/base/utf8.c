#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

int utf8_character_length(const char *characters)
{
    const unsigned char *text = (const unsigned char *)characters;
    int length = text[0] < 0x80   ? 1
                 : text[0] < 0xC2 ? 0
                 : text[0] < 0xE0 ? 2
                 : text[0] < 0xF0 ? 3
                                  : 4;
    if (text[0] > 0xF4)
        return 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) /* also true for the 0 at the end */
            return 0;
    if ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F) ||
        (text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F))
        return 0;
    return length;
}

char *utf8_clean(const char *text)
{
    const unsigned char *in = (const unsigned char *)text;
    char *clean = malloc(2 * strlen(text) + 1), *out = clean;
    while (clean && *in) {
        int length = utf8_character_length((const char *)in);
        if (length == 0) {
            *out++ = (char)(0xC0 | *in >> 6);
            *out++ = (char)(0x80 | (*in++ & 0x3F));
        } else {
            memcpy(out, in, (size_t)length);
            out += length;
            in += length;
        }
    }
    if (clean)
        *out = '\0';
    return clean;
}
