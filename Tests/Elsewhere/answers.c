// Runs those parts of Divan's C code that depend on the machine, and prints each answer: `make elsewhere`
// compares the output of two machines.
//
// If a machine has instructions for it, JSON is skipped sixteen bytes at a time and checksums are computed
// with them; elsewhere plain C does the same. Distances of vectors are computed with the fastest
// instructions of the machine. Lengths and offsets are those at which one changes to the
// other. The questions to ICU and the C library are in `questions.sql`, one per line.
#include "CDivanBLIP.h"
#include "CDivanFullText.h"
#include "CDivanSQL.h"
#include "CDivanSQLiteEngine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// In vectors.c.
void print_vectors(void);

static uint64_t state = 88172645463325252u;

/// The next number of a sequence that is the same everywhere (xorshift64).
static uint32_t draw(uint32_t bound) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

static void fail(sqlite3 *connection, const char *what) {
    fprintf(stderr, "%s: %s\n", what, connection ? sqlite3_errmsg(connection) : "not found");
    exit(1);
}

// MARK: Checksums

static void tell_checksums(void) {
    static uint8_t bytes[4096 + 64];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)draw(256);
    for (size_t offset = 0; offset < 17; offset++)
        for (size_t count = 0; count < 300; count++) {
            const uint8_t *start = bytes + offset;
            uint32_t sum = divan_checksum(7, start, count);
            if (sum != divan_checksum_slowly(7, start, count)) fail(NULL, "the slow checksum in the quick one");
            printf("%zu+%zu %" PRIx32 " %" PRIx32 " %" PRIx32 "\n", offset, count, sum,
                   divan_crc32(3, start, count), divan_crc32_parts(0, start, count / 3, start + count / 3, count));
        }
    printf("whole %" PRIx32 " %" PRIx32 "\n", divan_checksum(0, bytes, 4096), divan_crc32(0, bytes, 4096));
}

// MARK: JSON

static void append_text(char *json) {
    static const char *const pieces[] = {"a", "word ", "\\\"", "\\\\", "\\n", "\\u00e9", "é", "語", "{", "]", ",", ":"};
    strcat(json, "\"");
    for (uint32_t left = draw(40); left > 0; left--) strcat(json, pieces[draw(sizeof pieces / sizeof *pieces)]);
    strcat(json, "\"");
}

static void append_value(char *json, int depth) {
    static const char *const words[] = {"true", "false", "null", "0", "-7", "12345678901", "0.1", "-1.5e-9", "1e300"};
    uint32_t kind = draw(depth > 3 ? 2 : 4);
    if (kind == 0) strcat(json, words[draw(sizeof words / sizeof *words)]);
    if (kind == 1) append_text(json);
    if (kind < 2) return;
    strcat(json, kind == 2 ? "[" : "{");
    for (uint32_t i = 0, count = draw(6); i < count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%s\"k%" PRIu32 "\":", i ? "," : "", i);
        strcat(json, kind == 3 ? key : i ? "," : "");
        append_value(json, depth + 1);
    }
    strcat(json, kind == 2 ? "]" : "}");
}

static void tell_rows(sqlite3 *connection, sqlite3_stmt *statement) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        for (int column = 0; column < sqlite3_column_count(statement); column++) {
            // Blobs contain null, booleans and containers as text.
            const void *bytes = sqlite3_column_blob(statement, column);
            int count = sqlite3_column_bytes(statement, column);
            printf(" %d ", sqlite3_column_type(statement, column));
            if (bytes) fwrite(bytes, 1, (size_t)count, stdout);
            printf("\n");
        }
    if (code != SQLITE_DONE) printf(" error %s\n", sqlite3_errmsg(connection));
}

static void tell_properties(sqlite3 *connection) {
    sqlite3_stmt *statement;
    const char *question =
        "SELECT divan_value1(?1, '.k3'), divan_result1(?1, '.k1.k0'), divan_value1(?1, '.k2[1]'), divan_value1(?1, '.none'),"
        " (SELECT group_concat(quote(value)) FROM divan_items1(divan_body1(?1))), divan_index_text1(divan_body1(?1))";
    if (sqlite3_prepare_v2(connection, question, -1, &statement, NULL) != SQLITE_OK) fail(connection, question);
    static char json[1 << 20];
    for (int round = 0; round < 3000; round++) {
        strcpy(json, "{");
        for (uint32_t i = 0, count = draw(8); i < count; i++) {
            char key[24];
            snprintf(key, sizeof key, "%s\"k%" PRIu32 "\":", i ? "," : "", i);
            strcat(json, key);
            append_value(json, 0);
        }
        strcat(json, "}");
        printf("%s\n", json);
        sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
        tell_rows(connection, statement);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
}

// MARK: Questions

static void tell_answers(sqlite3 *connection, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail(NULL, path);
    char line[4096];
    while (fgets(line, sizeof line, file)) {
        sqlite3_stmt *statement;
        if (line[0] == '-' || line[0] == '\n') continue;
        printf("%s", line);
        if (sqlite3_prepare_v2(connection, line, -1, &statement, NULL) != SQLITE_OK) fail(connection, line);
        tell_rows(connection, statement);
        sqlite3_finalize(statement);
    }
    fclose(file);
}

int main(int count, char **words) {
    if (count != 2) fail(NULL, "usage: answers questions.sql");
    sqlite3 *connection;
    if (sqlite3_open(":memory:", &connection) != SQLITE_OK) fail(connection, "open");
    if (divan_add_sql_functions(connection, NULL) != SQLITE_OK) fail(connection, "functions");
    if (divan_add_full_text(connection) != SQLITE_OK) fail(connection, "full text");
    if (divan_add_checksums(connection) != SQLITE_OK) fail(connection, "checksums");
    tell_checksums();
    print_vectors();
    tell_properties(connection);
    tell_answers(connection, words[1]);
    return sqlite3_close(connection) == SQLITE_OK ? 0 : 1;
}
