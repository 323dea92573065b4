// A simulated disk under SQLite: it fails when told to, and on a power cut it keeps only a part
// of what was not synced.
#ifndef C_DIVAN_DISK_H
#define C_DIVAN_DISK_H

#include <stdint.h>

/// The files of one directory.
typedef struct divan_disk divan_disk;

/// Which calls fail.
typedef enum {
    DIVAN_DISK_NOTHING_FAILS,
    DIVAN_DISK_WRITES_FAIL,
    DIVAN_DISK_SYNCS_FAIL,
    DIVAN_DISK_READS_FAIL,
} divan_disk_fault;

/// Puts a disk under the files whose paths begin with `prefix`; NULL without memory, or if SQLite
/// refuses the VFS, which is the default one from the first disk on.
///
/// `seed` determines all randomness. The prefix must not be that of another existing disk.
divan_disk *divan_disk_new(const char *prefix, uint64_t seed);

/// Removes it; its files must be closed.
void divan_disk_free(divan_disk *disk);

/// From now on, `percentage` of such calls fail with `error_number`, EIO or ENOSPC.
///
/// What a failing sync should have brought to the disk is abandoned: no later sync brings it.
void divan_disk_break(divan_disk *disk, divan_disk_fault fault, int error_number, int percentage);

/// Makes syncs succeed without doing anything: a bug that a simulation must notice.
void divan_disk_skip_syncs(divan_disk *disk);

/// Cuts the power before the call `count` from now that changes or syncs something, 0 being the
/// next one; every later call fails.
void divan_disk_cut_power(divan_disk *disk, int64_t count);

/// Whether the power is gone.
int divan_disk_is_cut(const divan_disk *disk);

/// Writes to files that begin with `prefix` what is left if the power is cut now: everything that
/// was synced, and some of the later changes. Returns 0, or -1.
int divan_disk_write_remains(divan_disk *disk, const char *prefix);

#endif
