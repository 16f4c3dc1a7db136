#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

/// Whether every write to a file fails with ENOSPC, by whichever library it is made.
void simulated_disk_set_full(int is_full);

#endif
