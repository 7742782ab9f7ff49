#include "patterns/exchange.h"

enum status exchange_records(const struct processes *processes, bool complete,
                             struct outbox *outbox, char **received, size_t *size,
                             struct error *error)
{
    enum status status = complete ? STATUS_OK : error_memory(error, "the pattern search");
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        return processes_exchange(processes, outbox, received, size, NULL, error);
    if (outbox)
        outbox_clear(outbox, processes->size);
    return status;
}
