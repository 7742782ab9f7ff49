/* What the C library keeps of freed memory. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

/* Gives freed memory back to the system: between stages whose blocks are of other sizes, so that
 * the next one's do not come on top of the gaps. What is taken anew then costs page faults: a
 * millisecond for 5 MB or so. */
void memory_give_back(void);

#endif
