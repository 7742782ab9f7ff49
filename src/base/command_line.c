#include "base/command_line.h"

#include "base/launcher.h"

#include <stdio.h>
#include <string.h>

static struct bytes text; /* ends with a zero byte; never freed */

void command_line_set(const char *program, int argc, char *const *argv, int processes)
{
    char launcher[40] = "";
    if (processes > 1)
        snprintf(launcher, sizeof launcher, "mpirun -np %d ", processes);
    bytes_clear(&text);
    bool allocated = bytes_put(&text, launcher, strlen(launcher)) && shell_put_word(&text, program);
    for (int i = 1; i < argc && allocated; i++)
        allocated = bytes_put(&text, " ", 1) && shell_put_word(&text, argv[i]);
    if (!allocated || !bytes_put(&text, "", 1))
        bytes_clear(&text);
}

const char *command_line_text(void)
{
    return text.data;
}
