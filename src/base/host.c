#include "base/host.h"

#include "base/map.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void host_boot_id(char *text, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    text[0] = '\0';
    if (!file)
        return;
    if (fgets(text, (int)size, file))
        text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

uint64_t host_identity(void)
{
    char text[320] = "";
    uint64_t identity = 0;
    host_boot_id(text, sizeof text);
    if (!text[0])
        gethostname(text, sizeof text - 1);
    for (const char *at = text; *at; at++)
        identity = map_mix(identity ^ (unsigned char)*at);
    return identity;
}
