/* Names of regions can have any encoding; JSON and XML accept only UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

/* Copies the text. Each byte that is not part of valid UTF-8 is taken as a character of Latin-1.
 * NULL when memory is out; free it. */
char *utf8_clean(const char *text);

/* The length in bytes of the valid character at `text`, which is not empty; 0 if it is not valid:
 * overlong forms, surrogates and values beyond U+10FFFF are not (RFC 3629). */
int utf8_character_length(const char *text);

#endif
