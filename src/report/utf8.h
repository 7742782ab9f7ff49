/* Names of regions can have any encoding; JSON and XML accept only UTF-8. */
#ifndef REPORT_UTF8_H
#define REPORT_UTF8_H

/* Copies the text. Each byte that is not part of valid UTF-8 is taken as a character of Latin-1.
 * NULL when memory is out; free it. */
char *utf8_clean(const char *text);

#endif
