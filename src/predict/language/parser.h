/* From the text of a script to its tree of syntax. scanner.l divides the text into words (flex),
 * grammar.y builds the tree (bison); doc/predict-language.md has the same grammar for readers. */
#ifndef PREDICTION_LANGUAGE_PARSER_H
#define PREDICTION_LANGUAGE_PARSER_H

#include "predict/language/syntax.h"

/* The declarations of a script, in order, as children of a SYNTAX_LIST. `text` has `size` bytes
 * followed by two zero bytes, as flex needs it. Ends the reading at the first error. */
struct syntax *parser_parse(struct script_reader *reader, char *text, size_t size);

/* Whether the grammar has this word, so that it cannot be a name. */
bool parser_has_keyword(const char *word);

#endif
