#if !__has_include(<unicode/ucol.h>)
#error "The headers of ICU are missing; run: sudo apt-get install libicu-dev"
#endif

#include "include/CDivanSQL.h"
#include "value.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/ucol.h>
#include <unicode/uvernum.h>

// Collations are created when a statement first names one: `divan_unicode`, then `_ci` if case
// is ignored, `_ai` if accents are ignored, then `_in_` and a locale.

const char *divan_unicode_version(void) { return U_ICU_VERSION; }

static int compare(
    void *collator, int left_count, const void *left, int right_count, const void *right) {
    UErrorCode error = U_ZERO_ERROR;
    // The order does not matter once the statement must stop; its rows are dropped.
    if (!divan_work((int64_t)left_count + right_count)) return 0;
    return ucol_strcollUTF8(collator, left, left_count, right, right_count, &error);
}

static void close_collator(void *collator) { ucol_close(collator); }

/// Skips `part` if `text` begins with it.
static bool passes(const char **text, const char *part) {
    size_t count = strlen(part);
    if (strncmp(*text, part, count) != 0) return false;
    *text += count;
    return true;
}

static void
make_collation(void *ignored, sqlite3 *connection, int encoding, const char *name) {
    (void)ignored;
    (void)encoding;
    const char *rest = name;
    if (!passes(&rest, "divan_unicode")) return;
    bool ignores_case = passes(&rest, "_ci"), ignores_accents = passes(&rest, "_ai");
    const char *locale = passes(&rest, "_in_") ? rest : "";
    UErrorCode error = U_ZERO_ERROR;
    UCollator *collator = ucol_open(locale, &error);
    if (U_FAILURE(error)) return;
    if (ignores_accents) ucol_setStrength(collator, UCOL_PRIMARY);
    else if (ignores_case) ucol_setStrength(collator, UCOL_SECONDARY);
    if (ignores_accents && !ignores_case)
        ucol_setAttribute(collator, UCOL_CASE_LEVEL, UCOL_ON, &error);
    int code = sqlite3_create_collation_v2(
        connection, name, SQLITE_UTF8, collator, compare, close_collator);
    if (code != SQLITE_OK) ucol_close(collator);
}

int divan_add_collations(sqlite3 *connection) {
    return sqlite3_collation_needed(connection, NULL, make_collation);
}
