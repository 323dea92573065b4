#include "include/CDivanSQL.h"
#include "compiled.h"
#include "value.h"

#include <string.h>

static const divan_function_list *const lists[] = {
    &divan_property_functions, &divan_container_functions, &divan_array_functions,
    &divan_operator_functions, &divan_type_functions,      &divan_number_functions,
    &divan_string_functions,   &divan_pattern_functions,   &divan_date_functions,
    &divan_aggregate_functions, &divan_vector_functions,    &divan_condition_functions,
};

const divan_function *divan_function_at(int number) {
    for (unsigned index = 0; index < sizeof lists / sizeof lists[0]; index++) {
        if (number < lists[index]->count) return &lists[index]->functions[number];
        number -= lists[index]->count;
    }
    return NULL;
}

/// Adds a function under a name, for each number of arguments that it accepts.
static int add_name(
    sqlite3 *connection, const char *name, const divan_function *function, intptr_t data,
    const divan_setup *setup) {
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    const int most = function->most_count;
    for (int count = most == divan_unlimited ? most : function->least_count; count <= most; count++) {
        void *made = function->make_data ? function->make_data(setup, data) : (void *)data;
        if (function->make_data && !made) return SQLITE_NOMEM;
        // SQLite frees the data, even if this fails.
        int code = sqlite3_create_function_v2(
            connection, name, count, flags, made, function->finish ? NULL : function->call,
            function->finish ? function->call : NULL, function->finish, function->free_data);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

/// Adds a function with its present number, and with earlier ones so that a schema with them can be read; such an
/// index is recreated before anything is written.
static int add(sqlite3 *connection, const divan_function *function, const divan_setup *setup) {
    char name[40];
    for (int number = 1; number <= function->version; number++) {
        sqlite3_snprintf(sizeof name, name, "%s%d", function->name, number);
        int code = add_name(connection, name, function, function->data, setup);
        if (code != SQLITE_OK) return code;
    }
    if (!(function->traits & divan_may_fail)) return SQLITE_OK;
    sqlite3_snprintf(sizeof name, name, "divan_stored%s1", function->name + strlen("divan"));
    return add_name(connection, name, function, 1, setup);
}

int divan_add_sql_functions(sqlite3 *connection, const divan_unpacking *unpacking) {
    divan_setup setup = {unpacking, divan_make_compilations()};
    if (!setup.compilations) return SQLITE_NOMEM;
    int code = SQLITE_OK;
    const divan_function *function;
    for (int number = 0; code == SQLITE_OK && (function = divan_function_at(number)); number++)
        code = add(connection, function, &setup);
    divan_release_compilations(setup.compilations);
    if (code == SQLITE_OK) code = divan_add_items(connection);
    return code == SQLITE_OK ? divan_add_collations(connection) : code;
}
