#include "CDivanSQLiteEngine.h"

#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

// The checksum is made of CRC-32C, whose step for eight bytes is one instruction on most machines.
// Each step waits for the previous one, so three of them run in parallel and are combined at the
// end. Any change within 32 neighbouring bits changes one of the three, and so the result.

// CRC-32C, four bits at a time; for machines without the instruction.
static uint32_t step_byte_slowly(uint32_t crc, uint8_t byte) {
    static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    crc ^= byte;
    crc = (crc >> 4) ^ table[crc & 15];
    return (crc >> 4) ^ table[crc & 15];
}

static uint32_t step_word_slowly(uint32_t crc, uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) crc = step_byte_slowly(crc, (uint8_t)(word >> shift));
    return crc;
}

// The lowest byte of a word comes first, on every machine.
static uint64_t ordered(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return ordered(word);
}

// The same text for each kind of step, so that the compiler makes a loop of each.
#define CHECKSUM(step_word, step_byte)                                                             \
    uint32_t first = (uint32_t)step_word(seed, count), second = ~seed, third = 0;                  \
    _Pragma("clang loop unroll_count(4)")                                                          \
    for (; count >= 24; bytes += 24, count -= 24) {                                                \
        first = (uint32_t)step_word(first, word_at(bytes));                                        \
        second = (uint32_t)step_word(second, word_at(bytes + 8));                                  \
        third = (uint32_t)step_word(third, word_at(bytes + 16));                                   \
    }                                                                                              \
    first = (uint32_t)step_word(first, (uint64_t)second << 32 | third);                            \
    for (; count >= 8; bytes += 8, count -= 8)                                                     \
        first = (uint32_t)step_word(first, word_at(bytes));                                        \
    for (; count > 0; bytes++, count--) first = step_byte(first, *bytes);                          \
    return first

uint32_t divan_checksum_slowly(uint32_t seed, const uint8_t *bytes, uint64_t count) {
    CHECKSUM(step_word_slowly, step_byte_slowly);
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t
checksum_fast(uint32_t seed, const uint8_t *bytes, uint64_t count) {
    CHECKSUM(_mm_crc32_u64, _mm_crc32_u8);
}

uint32_t divan_checksum(uint32_t seed, const uint8_t *bytes, uint64_t count) {
    return __builtin_cpu_supports("sse4.2") ? checksum_fast(seed, bytes, count)
                                            : divan_checksum_slowly(seed, bytes, count);
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
uint32_t divan_checksum(uint32_t seed, const uint8_t *bytes, uint64_t count) {
    CHECKSUM(__crc32cd, __crc32cb);
}
#else
uint32_t divan_checksum(uint32_t seed, const uint8_t *bytes, uint64_t count) {
    return divan_checksum_slowly(seed, bytes, count);
}
#endif

// Values

enum { body_seed = 1, head_seed = 2, tree_seed = 3, expiration_seed = 4, value_seed = 5 };

static uint32_t integer_checksum(uint32_t seed, int64_t integer) {
    uint8_t bytes[9] = {SQLITE_INTEGER};
    const uint64_t word = ordered((uint64_t)integer);
    memcpy(bytes + 1, &word, sizeof word);
    return divan_checksum(seed, bytes, sizeof bytes);
}

static uint32_t bytes_checksum(uint32_t seed, const uint8_t *bytes, int count) {
    return divan_checksum(seed, bytes, count > 0 ? (uint64_t)count : 0);
}

/// What a value adds to a checksum; NULL adds nothing.
static uint32_t value_checksum(uint32_t seed, sqlite3_value *value) {
    switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
        return 0;
    case SQLITE_INTEGER:
        return integer_checksum(seed, sqlite3_value_int64(value));
    default: {
        const uint8_t *bytes = sqlite3_value_blob(value);
        return bytes_checksum(seed, bytes, sqlite3_value_bytes(value));
    }
    }
}

// Rows

/// The half that covers all columns but the body, which it includes by its checksum.
///
/// Tree and expiration change alone, so what they add can be removed again.
static uint32_t head_checksum(const divan_row *row, int64_t body_byte_count, uint32_t body,
                              uint32_t tree, uint32_t expiration) {
    const uint64_t numbers[4] = {
        ordered((uint64_t)row->sequence), ordered((uint64_t)row->flags),
        ordered((uint64_t)body_byte_count), ordered(body),
    };
    uint32_t head = divan_checksum(head_seed, (const uint8_t *)numbers, sizeof numbers);
    head = bytes_checksum(head, (const uint8_t *)row->document_id, row->document_id_byte_count);
    head = bytes_checksum(head, row->revision_id, row->revision_id_byte_count);
    return head ^ tree ^ expiration;
}

static int64_t joined(uint32_t head, uint32_t body) { return (int64_t)((uint64_t)head << 32 | body); }

static uint32_t tree_checksum(const divan_row *row) {
    return row->tree ? bytes_checksum(tree_seed, row->tree, row->tree_byte_count)
                     : integer_checksum(tree_seed, row->known_at);
}

static uint32_t body_checksum(const divan_row *row) {
    return bytes_checksum(body_seed, (const uint8_t *)row->body, row->body_byte_count);
}

int64_t divan_row_checksum(const divan_row *row) {
    uint32_t body = body_checksum(row);
    uint32_t expiration =
        row->expires ? integer_checksum(expiration_seed, row->expiration) : 0;
    return joined(
        head_checksum(row, row->plain_body_byte_count, body, tree_checksum(row), expiration), body);
}

/// The columns of a row that are used as they are, whatever their type.
static divan_row plain_columns(sqlite3_value **values) {
    divan_row row = {0};
    row.sequence = sqlite3_value_int64(values[0]);
    row.document_id = sqlite3_value_blob(values[1]);
    row.document_id_byte_count = sqlite3_value_bytes(values[1]);
    row.revision_id = sqlite3_value_blob(values[2]);
    row.revision_id_byte_count = sqlite3_value_bytes(values[2]);
    row.flags = sqlite3_value_int64(values[3]);
    return row;
}

/// The head's half for a row that was read from values, whose body has the checksum `body`.
static uint32_t found_head_checksum(const divan_found_row *found, sqlite3_value **values,
                                    uint32_t body) {
    return head_checksum(&found->columns, found->told_body_byte_count, body,
                         tree_checksum(&found->columns),
                         found->columns.expires ? value_checksum(expiration_seed, values[4]) : 0);
}

/// The verdict of the checksum, the ninth value, on the row that was read from the values, and whose body
/// has this type.
static divan_soundness soundness(const divan_found_row *found, sqlite3_value **values,
                                 int body_type) {
    const divan_row *row = &found->columns;
    if (sqlite3_value_type(values[8]) == SQLITE_NULL) return divan_without_checksum;
    if (sqlite3_value_type(values[8]) != SQLITE_INTEGER
        || sqlite3_value_type(values[1]) != SQLITE_TEXT
        || sqlite3_value_type(values[2]) != SQLITE_BLOB)
        return divan_damaged_head;
    const uint64_t expected = (uint64_t)sqlite3_value_int64(values[8]);
    const uint32_t body = (uint32_t)expected;
    if (found_head_checksum(found, values, body) != expected >> 32) return divan_damaged_head;
    const int type =
        divan_is_packed((const uint8_t *)row->body, row->body_byte_count) ? SQLITE_BLOB : SQLITE_TEXT;
    return body_type == type && body_checksum(row) == body ? divan_sound : divan_damaged_body;
}

/// Reads the first eight values of a row, or seven without the body, from a statement's columns or a
/// function's arguments.
static void read_row(sqlite3_value **values, int with_body, divan_found_row *found) {
    divan_row *row = &found->columns;
    *row = plain_columns(values);
    row->expires = sqlite3_value_type(values[4]) != SQLITE_NULL;
    row->expiration = row->expires ? sqlite3_value_int64(values[4]) : 0;
    if (sqlite3_value_type(values[5]) == SQLITE_INTEGER) {
        row->known_at = sqlite3_value_int64(values[5]);
    } else {
        const uint8_t *tree = sqlite3_value_blob(values[5]);
        row->tree = tree ? tree : (const uint8_t *)"";
        row->tree_byte_count = tree ? sqlite3_value_bytes(values[5]) : 0;
    }
    found->told_body_byte_count = sqlite3_value_int64(values[6]);
    if (with_body) {
        row->body = sqlite3_value_blob(values[7]);
        row->body_byte_count = sqlite3_value_bytes(values[7]);
    }
}

void divan_get_row(sqlite3_stmt *statement, int with_body, divan_found_row *found) {
    // Such values are safe on one thread at a time, like the connection.
    sqlite3_value *values[9];
    const int count = with_body ? 9 : 7;
    for (int column = 0; column < count; column++)
        values[column] = sqlite3_column_value(statement, column);
    read_row(values, with_body, found);
    found->soundness =
        with_body ? soundness(found, values, sqlite3_value_type(values[7])) : divan_sound;
}

divan_soundness divan_judge_long_row(sqlite3_stmt *statement, divan_found_row found, const char *body,
                                     int byte_count) {
    sqlite3_value *values[9];
    for (int column = 0; column < 9; column++)
        values[column] = sqlite3_column_value(statement, column);
    found.columns.body = body;
    found.columns.body_byte_count = byte_count;
    const int type = sqlite3_value_int(values[7]) ? SQLITE_TEXT : SQLITE_BLOB;
    return soundness(&found, values, type);
}

int divan_find_row(sqlite3_stmt *statement, const char *document_id, int byte_count, int with_body,
                   divan_found_row *found) {
    int code = sqlite3_bind_text(statement, 1, document_id, byte_count, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code != SQLITE_ROW) return code;
    divan_get_row(statement, with_body, found);
    const divan_row *row = &found->columns;
    if (row->document_id_byte_count != byte_count
        || memcmp(row->document_id, document_id, (size_t)byte_count) != 0)
        found->soundness = divan_damaged_head;
    return code;
}

// Functions of SQL

/// divan_checksum(value, …): over the values in their order.
static void checksum_of_values(sqlite3_context *context, int count, sqlite3_value **values) {
    uint32_t checksum = value_seed;
    for (int place = 0; place < count; place++)
        checksum = integer_checksum(checksum, value_checksum(value_seed, values[place]));
    sqlite3_result_int64(context, checksum);
}

static void exchange(sqlite3_context *context, uint32_t seed, sqlite3_value **values) {
    if (sqlite3_value_type(values[0]) != SQLITE_INTEGER) {
        sqlite3_result_value(context, values[0]);
        return;
    }
    uint32_t change = value_checksum(seed, values[1]) ^ value_checksum(seed, values[2]);
    sqlite3_result_int64(
        context, sqlite3_value_int64(values[0]) ^ (int64_t)((uint64_t)change << 32));
}

/// divan_with_tree(checksum, old, new): the checksum of a row whose tree is replaced.
static void with_tree(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    exchange(context, tree_seed, values);
}

/// divan_with_expiration(checksum, old, new): the same for its expiration.
static void with_expiration(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    exchange(context, expiration_seed, values);
}

/// divan_soundness(the columns of a row, …, body, checksum).
static void soundness_of_row(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    divan_found_row found;
    read_row(values, 1, &found);
    sqlite3_result_int(context, soundness(&found, values, sqlite3_value_type(values[7])));
}

/// divan_row_checksum(the columns of a row, …, body).
static void checksum_of_row(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    divan_found_row found;
    read_row(values, 1, &found);
    uint32_t body = body_checksum(&found.columns);
    sqlite3_result_int64(context, joined(found_head_checksum(&found, values, body), body));
}

int divan_add_checksums(sqlite3 *connection) {
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    static const struct {
        const char *name;
        int count;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"divan_checksum", -1, checksum_of_values},
        {"divan_with_tree", 3, with_tree},
        {"divan_with_expiration", 3, with_expiration},
        {"divan_soundness", 9, soundness_of_row},
        {"divan_row_checksum", 8, checksum_of_row},
    };
    for (unsigned place = 0; place < sizeof functions / sizeof *functions; place++) {
        int code = sqlite3_create_function_v2(connection, functions[place].name,
                                              functions[place].count, flags, NULL,
                                              functions[place].function, NULL, NULL, NULL);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}
