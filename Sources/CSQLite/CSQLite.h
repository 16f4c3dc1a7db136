#include <sqlite3.h>

/* Turns off SQLite's statistics about its memory, which take a lock for each piece. To be called
   before the first connection is opened. */
static inline int csqlite_skip_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
