#ifndef CDIVAN_VERSIONS_H
#define CDIVAN_VERSIONS_H

/// A library that the program runs with: its name and version, null behind the last.
const char *divan_library(int index);

/// The commit that the program was built from; empty when the build was not told.
const char *divan_commit(void);

#endif
