#include "exchange/schedules/ti_line.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_LINE 100000000 /* bytes */
#define BLANKS       " \t\r\n"

enum status ti_line_open(struct ti_line *line, const char *path, struct error *error)
{
    *line = (struct ti_line){.path = path, .error = error};
    line->file = fopen(path, "r");
    if (!line->file)
        line->status = error_set(error, STATUS_INPUT, "cannot read %s: %s", path, strerror(errno));
    return line->status;
}

void ti_line_close(struct ti_line *line)
{
    if (line->file)
        fclose(line->file);
    free(line->text);
    line->file = NULL;
    line->text = NULL;
}

void ti_line_refuse(struct ti_line *line, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (line->status != STATUS_OK)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    long column = line->word ? line->word - line->text + 1 : 1;
    line->status = error_set(line->error, STATUS_INPUT, "%s:%u:%ld: %s", line->path, line->number,
                             column, text);
}

/* Goes to the next of the line's runs if the present one has ended; false: there is none. */
static bool enter_run(struct ti_line *line)
{
    if (line->number >= line->runs->first && line->number < line->runs->last)
        return true;
    if (line->number >= line->runs->last) {
        line->runs++;
        if (--line->run_count == 0)
            return false;
    }
    line->number = line->runs->first - 1;
    if (fseeko(line->file, (off_t)line->runs->offset, SEEK_SET) != 0)
        line->status = error_set(line->error, STATUS_ENVIRONMENT, "cannot read %s: %s", line->path,
                                 strerror(errno));
    return line->status == STATUS_OK;
}

bool ti_line_next(struct ti_line *line)
{
    while (line->status == STATUS_OK) {
        errno = 0;
        if (line->runs && !enter_run(line))
            return false;
        ssize_t length = getline(&line->text, &line->room, line->file);
        line->offset = line->end;
        line->end += (uint64_t)length;
        line->number++;
        line->word = line->next = line->text;
        if (length < 0) {
            if (ferror(line->file) || errno == ENOMEM)
                line->status = error_set(line->error, STATUS_ENVIRONMENT, "cannot read %s: %s",
                                         line->path, strerror(errno ? errno : EIO));
            return false;
        }
        if (strlen(line->text) != (size_t)length || length > LONGEST_LINE) {
            line->word += strlen(line->text);
            ti_line_refuse(line, "this is not text");
            return false;
        }
        char *first = line->text + strspn(line->text, BLANKS);
        if (*first && *first != '#')
            return true;
    }
    return false;
}

const char *ti_line_word(struct ti_line *line, const char *what)
{
    if (line->status != STATUS_OK)
        return NULL;
    line->word = line->next + strspn(line->next, BLANKS);
    if (!*line->word) {
        if (what)
            ti_line_refuse(line, "expected %s, not the end of the line", what);
        return NULL;
    }
    line->next = line->word + strcspn(line->word, BLANKS);
    if (*line->next)
        *line->next++ = '\0';
    return line->word;
}

size_t ti_line_words_left(const struct ti_line *line)
{
    size_t count = 0;
    for (const char *at = line->next + strspn(line->next, BLANKS); *at; count++) {
        at += strcspn(at, BLANKS);
        at += strspn(at, BLANKS);
    }
    return count;
}

bool ti_line_has_more(struct ti_line *line)
{
    return line->status == STATUS_OK && line->next[strspn(line->next, BLANKS)] != '\0';
}

double ti_line_number(struct ti_line *line, const char *what)
{
    const char *word = ti_line_word(line, what);
    char *end = NULL;
    if (!word)
        return 0;
    double number = strtod(word, &end);
    if (end == word || *end || !isfinite(number) || number < 0)
        ti_line_refuse(line, "expected %s, not \"%.40s\"", what, word);
    return line->status == STATUS_OK ? number : 0;
}

uint64_t ti_line_whole(struct ti_line *line, const char *what, uint64_t most)
{
    assert(most <= 1ull << 53);
    double number = ti_line_number(line, what);
    if (line->status == STATUS_OK && number != floor(number))
        ti_line_refuse(line, "%s is a whole number, not %s", what, line->word);
    if (line->status == STATUS_OK && number > (double)most)
        ti_line_refuse(line, "%s is at most %llu, not %s", what, (unsigned long long)most,
                       line->word);
    return line->status == STATUS_OK ? (uint64_t)number : 0;
}
