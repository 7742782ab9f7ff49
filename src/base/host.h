/* The host of a process, which is a running kernel: containers on it have other names, but the same
 * cores and clock. */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include <stddef.h>
#include <stdint.h>

/* A text that the kernel makes when it boots; "" if there is none. */
void host_boot_id(char *text, size_t size);

/* Equal for processes of one host only. From the host's name if there is no boot id. */
uint64_t host_identity(void);

#endif
