#include "CDivanDatabaseFaults.h"

#include <sys/fsuid.h>

void divan_access_files_as(uint32_t user) { setfsuid(user); }
