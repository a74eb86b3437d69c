/* SPDX-License-Identifier: MIT
 *
 * returned_memory.h: a server that has a limit of memory gives the system back what it frees.
 */
#ifndef UBI_CLI_RETURNED_MEMORY_H
#define UBI_CLI_RETURNED_MEMORY_H

/**
 * From now on glibc's malloc keeps few free blocks: an arena per core and not eight, and large blocks always come from the system, where
 * otherwise each that is freed raises the size from which they do. What is resident is then near to what is in use. Other C libraries:
 * does nothing. To be called before threads are started; it concerns the whole process, and so is the program's to decide.
 */
void ubi__return_freed_memory(void);

#endif
