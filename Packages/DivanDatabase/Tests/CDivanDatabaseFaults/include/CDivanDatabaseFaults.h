// An SQLite VFS whose calls can be made to fail, and whose changes can be recorded, for tests of
// what happens then.
#ifndef C_DIVAN_DATABASE_FAULTS_H
#define C_DIVAN_DATABASE_FAULTS_H

#include <stdint.h>

/// Makes the VFS the default one; returns 0, or SQLite's code. May be called again.
int divan_faults_install(void);

/// Counts the writes, truncations, syncs and deletions of files whose path begins with `prefix`.
///
/// From call number `first` on, `failing` calls fail with `error_number`, EIO or ENOSPC; with a
/// `first` of 0 none fails. Syncs that do not fail are not carried out, since the process survives.
/// One prefix at a time.
void divan_faults_arm(const char *prefix, int64_t first, int64_t failing, int error_number);

/// Counts and fails every sync of such files, and nothing else.
void divan_faults_arm_syncs(const char *prefix, int error_number);

/// Counts the reads of such files, and fails them as `divan_faults_arm` does.
void divan_faults_arm_reads(const char *prefix, int64_t first, int64_t failing, int error_number);

/// Begins to record the operations on such files. Syncs are recorded but not carried out.
void divan_faults_record(const char *prefix);

/// Inserts a number chosen by the caller between the events.
void divan_faults_mark(int64_t number);

/// Ends the recording and points to it; it is valid until the next one begins. Returns its size in bytes.
///
/// Each event is a letter ('w'rite, 't'runcate, 's'ync, 'd'elete, 'm'ark), the length of the path as
/// uint16, the path, the offset, size or number as int64, the count of bytes as int64, and those bytes;
/// in native byte order.
int64_t divan_faults_recorded(const uint8_t **bytes);

/// Stops counting and failing; returns how many calls there were.
int64_t divan_faults_disarm(void);

/// Makes this thread access files as a user, until it ends; only root may. Other threads stay as they are.
void divan_access_files_as(uint32_t user);

#endif
