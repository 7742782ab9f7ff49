/* The host of a process, which is a running kernel: containers on it have other names, but the same
 * cores and clock. */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include <stddef.h>
#include <stdint.h>

/* A text that the kernel makes when it boots; "" if there is none. */
void host_boot_id(char *text, size_t size);

/* Equal for two processes only if they run on one host. Made from the boot id, or from the host's
 * name where the kernel has none. */
uint64_t host_identity(void);

#endif
