/* Names of regions can be in any encoding; JSON and XML take UTF-8 only. */
#ifndef REPORT_UTF8_H
#define REPORT_UTF8_H

/* A copy of the text in which each byte that is not part of valid UTF-8 stands as the character
 * that Latin-1 has for it. NULL when memory is out; free it. */
char *utf8_clean(const char *text);

#endif
