internal import DivanJSON

/// The names of functions in SQL, with the number of their meaning.
///
/// A name may stand in the schema of a file, as part of an index, and means the same for as long as there is
/// one: another meaning has another number.
enum SQLFunctionName {
    /// Those that have a second meaning by now.
    private static let second: Set<ExactText> = [
        "divan_str_to_millis",
        "divan_str_to_utc",
        "divan_str_to_tz",
        "divan_millis_to_str",
        "divan_millis_to_utc",
        "divan_millis_to_tz",
        "divan_date_diff_str",
        "divan_date_diff_millis",
        "divan_date_add_str",
        "divan_date_add_millis",
        "divan_array",
        "divan_object",
        "divan_join",
        "divan_index_text",
        "divan_concat",
        "divan_to_array",
        "divan_to_string",
        "divan_contains",
        "divan_like",
        "divan_regexp_contains",
        "divan_regexp_position",
        "divan_regexp_replace",
    ]
    /// What the schema called, and calls in its place.
    private static let renewals =
        [
            ("divan_like1(", "divan_stored_like1("),
            ("divan_regexp_contains1(", "divan_stored_regexp_contains1("),
            ("divan_regexp_position1(", "divan_stored_regexp_position1("),
            ("divan_regexp_replace1(", "divan_stored_regexp_replace1("),
        ] + second.map { ("\($0.text)1(", "\($0.text)2(") }

    /// A name as it is called today.
    static func numbered(_ name: String) -> String {
        name + (second.contains(ExactText(name)) ? "2" : "1")
    }

    /// A text of the schema, with each function as it is called today.
    static func renewed(_ sql: String) -> String {
        renewals.reduce(into: sql) { sql, name in sql = sql.replacing(name.0, with: name.1) }
    }
}
