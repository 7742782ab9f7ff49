/* The name by which the archive and filters call a C++ function. */
#ifndef MEASURE_FUNCTION_NAME_H
#define MEASURE_FUNCTION_NAME_H

#include <stdbool.h>
#include <string.h>

/* Turns "void ns::f<int>(int) const" into "ns::f<int>", the name of the region. */
static inline void function_name_strip(char *text)
{
    static const char anonymous[] = "(anonymous namespace)";
    int depth = 0;
    char *last_space = NULL, *at = text;
    bool is_operator = strstr(text, "operator") != NULL;
    for (; *at; at++) {
        if (strncmp(at, anonymous, sizeof anonymous - 1) == 0) {
            at +=
                sizeof anonymous - 2; /* to its end: neither arguments nor a type before a blank */
            continue;
        }
        depth += (*at == '<') - (*at == '>');
        if (depth == 0 && *at == ' ' && !is_operator)
            last_space = at;
        if (depth == 0 && *at == '(' && at > text)
            break;
    }
    if (*at == '(' && !is_operator)
        *at = '\0';
    if (last_space)
        memmove(text, last_space + 1, strlen(last_space + 1) + 1);
}

#endif
