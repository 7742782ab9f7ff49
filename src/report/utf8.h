/* Names of regions can be in any encoding; JSON and XML take UTF-8 only. */
#ifndef REPORT_UTF8_H
#define REPORT_UTF8_H

/* A copy of the text. Each byte that is not part of valid UTF-8 is replaced by the character
 * that it is in Latin-1. NULL when memory is out; free it. */
char *utf8_clean(const char *text);

#endif
