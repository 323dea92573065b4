// A VFS of SQLite whose writes can be made to fail, for tests of what happens then.
#ifndef C_DIVAN_STORE_FAULTS_H
#define C_DIVAN_STORE_FAULTS_H

#include <stdint.h>

/// Makes the VFS the default one; returns 0, or SQLite's code. May be called again.
int divan_faults_install(void);

/// Counts the writes, truncations, syncs and deletions of files whose path begins with `prefix`.
///
/// From the call number `first` on, `failing` calls fail with `error_number`, EIO or ENOSPC; a
/// `first` of 0 fails none. Syncs that do not fail are not carried out: the process lives on.
/// One prefix at a time.
void divan_faults_arm(const char *prefix, int64_t first, int64_t failing, int error_number);

/// Counts and fails every sync of such files, and nothing else.
void divan_faults_arm_syncs(const char *prefix, int error_number);

/// Stops counting and failing; returns how many calls there were.
int64_t divan_faults_disarm(void);

#endif
