#include "CDivanSQLite.h"

#include <stddef.h>

int divan_read_head(const char *path, uint8_t *head, int count) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    if (vfs == NULL) return SQLITE_ERROR;
    // A VFS may look for what SQLite stores after a name.
    sqlite3_filename name = sqlite3_create_filename(path, "", "", 0, NULL);
    sqlite3_file *file = sqlite3_malloc(vfs->szOsFile);
    int code = SQLITE_NOMEM;
    if (name != NULL && file != NULL) {
        file->pMethods = NULL;
        code = vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL);
        if (code == SQLITE_OK) code = file->pMethods->xRead(file, head, count, 0);
        if (file->pMethods) file->pMethods->xClose(file);
    }
    sqlite3_free(file);
    sqlite3_free_filename(name);
    return code == SQLITE_IOERR_SHORT_READ ? SQLITE_DONE : code;
}
