#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

/// Whether every write to a file fails with ENOSPC, by whichever library it is made.
void simulated_disk_set_full(int is_full);

/// Whether every change to a disk fails with EIO: a process that was killed changes nothing more.
void simulated_disk_set_away(int is_away);

#endif
