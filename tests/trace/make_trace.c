/* make_trace SPEC DIRECTORY: writes an OTF2 archive from a text (text_trace.h). */
#include "text_trace.h"

int main(int argc, char **argv)
{
    char message[256];
    FILE *spec = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!spec) {
        fprintf(stderr, "usage: make_trace SPEC DIRECTORY\n");
        return 2;
    }
    bool written = text_trace_write(spec, argv[2], message, sizeof message);
    fclose(spec);
    if (!written)
        fprintf(stderr, "make_trace: %s\n", message);
    return written ? 0 : 2;
}
