#include "include/CDivanSQL.h"
#include "value.h"

int divan_add_functions(sqlite3 *connection, const divan_function *functions, int count) {
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    for (int index = 0; index < count; index++) {
        const divan_function *function = &functions[index];
        // Any function may occur in the schema of a file, as part of an index: the number says which
        // meaning it has, and another meaning gets another number. Earlier ones exist so that a schema
        // with them can be read; such an index is recreated before anything is written.
        for (int number = 1; number <= (function->meaning ? function->meaning : 1); number++) {
            char name[40];
            sqlite3_snprintf(sizeof name, name, "%s%d", function->name, number);
            int code = sqlite3_create_function_v2(
                connection, name, function->argument_count, flags, (void *)function->data,
                function->call, NULL, NULL, NULL);
            if (code != SQLITE_OK) return code;
        }
    }
    return SQLITE_OK;
}

int divan_add_sql_functions(sqlite3 *connection, const divan_unpacking *unpacking) {
    static int (*const parts[])(sqlite3 *) = {
        divan_add_containers, divan_add_arrays,  divan_add_operators,
        divan_add_types,      divan_add_numbers,    divan_add_strings, divan_add_patterns,
        divan_add_dates,      divan_add_aggregates, divan_add_items,   divan_add_collations,
        divan_add_vectors,
    };
    int code = divan_add_properties(connection, unpacking);
    if (code != SQLITE_OK) return code;
    for (unsigned index = 0; index < sizeof parts / sizeof parts[0]; index++) {
        code = parts[index](connection);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}
