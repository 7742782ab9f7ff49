#include "report/text/output.h"

#include "base/utf8.h"
#include "base/files.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 40, TEXT_LEAST = 16 };
static const char ellipsis[] = "...";

static int width_of(FILE *stream, bool is_terminal)
{
    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    long width = columns ? strtol(columns, &end, 10) : 0;
    struct winsize window = {0};
    if (end && (*end || width > 10000))
        width = 0;
    if (width <= 0 && is_terminal)
        width = ioctl(fileno(stream), TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col
                                                                                 : WIDTH_DEFAULT;
    return width <= 0 ? 0 : width < WIDTH_LEAST ? WIDTH_LEAST : (int)width;
}

static bool is_coloured(bool is_terminal)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return is_terminal && !(none && *none) && !(terminal && strcmp(terminal, "dumb") == 0);
}

struct text_output text_output_of(FILE *stream)
{
    const int descriptor = fileno(stream); /* -1: in memory */
    const bool is_terminal = descriptor >= 0 && files_is_terminal(descriptor);
    struct text_output out = {stream, width_of(stream, is_terminal), "", "", "", ""};
    if (is_coloured(is_terminal)) {
        out.bold = "\033[1m";
        out.alarm = "\033[1;31m";
        out.good = "\033[32m";
        out.plain = "\033[0m";
    }
    return out;
}

void text_heading(const struct text_output *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(out->file, "\n%s", out->bold);
    vfprintf(out->file, format, arguments);
    fprintf(out->file, "%s\n", out->plain);
    va_end(arguments);
}

/* Bytes of the character at `text`; a byte that is not valid UTF-8 is one of Latin-1. */
static int character_length(const char *text)
{
    const int length = utf8_character_length(text);
    return length ? length : 1;
}

static int count_characters(const char *text)
{
    int count = 0;
    for (; *text; text += character_length(text))
        count++;
    return count;
}

/* The address of the n-th character. */
static const char *character_at(const char *text, int n)
{
    for (; *text && n > 0; n--)
        text += character_length(text);
    return text;
}

/* Writes up to `end`, with question marks for control characters: ASCII's and U+0080 to U+009F. */
static void write_clean(FILE *file, const char *text, const char *end)
{
    while (text < end) {
        const int length = character_length(text);
        const unsigned char byte = (unsigned char)*text;
        if (length == 1 && (byte < 0x20 || (byte >= 0x7F && byte < 0xA0)))
            fputc('?', file);
        else if (length == 1 && byte >= 0x80)
            fprintf(file, "%c%c", 0xC0 | byte >> 6, 0x80 | (byte & 0x3F));
        else if (length == 2 && byte == 0xC2 && (unsigned char)text[1] < 0xA0)
            fputc('?', file);
        else
            fwrite(text, (size_t)length, 1, file);
        text += length;
    }
}

/* Writes the beginning and the end of the text in `room` columns. */
static void write_ends(FILE *file, const char *text, int count, int room)
{
    const int left = room - (int)strlen(ellipsis), begin = left / 3, end = left - begin;
    const char *head = character_at(text, begin), *tail = character_at(text, count - end);
    const char *slash = strchr(tail, '/');
    if (slash && count_characters(slash) >= end / 2)
        tail = slash;
    for (slash = head; slash > text && slash[-1] != '/';)
        slash--;
    if (slash > text && *tail == '/')
        head = slash;
    write_clean(file, text, head);
    fputs(ellipsis, file);
    write_clean(file, tail, text + strlen(text));
}

void text_end_line(const struct text_output *out, int used, const char *text)
{
    assert(used >= 0 && text);
    const int count = count_characters(text);
    int room = out->width ? out->width - used : count;
    if (room < TEXT_LEAST)
        room = TEXT_LEAST;
    if (count <= room)
        write_clean(out->file, text, text + strlen(text));
    else
        write_ends(out->file, text, count, room);
    fputc('\n', out->file);
}
