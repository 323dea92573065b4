#ifndef CDIVAN_VERSIONS_H
#define CDIVAN_VERSIONS_H

/// The name and version of a library that the program runs with; null after the last.
const char *divan_library(int index);

/// The commit that the program was built from; empty if the build was not given one.
const char *divan_commit(void);

#endif
