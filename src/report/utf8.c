#include "report/utf8.h"

#include <stdlib.h>
#include <string.h>

/* The length in bytes of the valid character at `text`; 0 if it is not valid. Overlong forms,
 * surrogates and values beyond U+10FFFF are not valid (RFC 3629). */
static int character_length(const unsigned char *text)
{
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
        int length = character_length(in);
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
