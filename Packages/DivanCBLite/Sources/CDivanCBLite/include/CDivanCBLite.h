#ifndef CDIVANCBLITE_H
#define CDIVANCBLITE_H

// Whether a process has a file open for writing, or holds a lock on it; 0 if that cannot be found out.
int divan_cblite_is_open_for_writing(const char *path);

#endif
