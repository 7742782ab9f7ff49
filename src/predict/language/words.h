/* Single words of a script: numbers, units, texts. */
#ifndef PREDICTION_LANGUAGE_WORDS_H
#define PREDICTION_LANGUAGE_WORDS_H

#include "predict/language/reader.h"

/* The number at the start of `text`. Refuses numbers that a double cannot hold. */
double word_number(struct script_reader *reader, const char *text, struct script_position place);

/* The number and the unit that follows it, in seconds or bytes. A word that is not a unit is left
 * alone if there is a blank before it. Returns the number of bytes that were used. */
size_t word_number_with_unit(struct script_reader *reader, const char *text,
                             struct script_position place, double *number);

/* The names of units, for messages. */
void word_units_add(struct script_reader *reader, struct candidates *candidates);

/* The text between the quotes of `quoted`: \" and \\ are a quote and a backslash. */
const char *word_text(struct script_reader *reader, const char *quoted, size_t length,
                      struct script_position place);

/* Length of the character of UTF-8 at `text`, which has `left` > 0 bytes; 0 if it is none. */
size_t word_character(const char *text, size_t left);
/* Number of characters in `length` bytes. */
uint32_t word_characters(const char *text, size_t length);

#endif
