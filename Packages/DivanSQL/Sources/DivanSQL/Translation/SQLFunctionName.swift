internal import DivanJSON

/// The names of functions in SQL, with the number of their version.
///
/// A name may occur in the schema of a file, as part of an index, and must keep its meaning as long as such a
/// file exists: another meaning gets another number.
enum SQLFunctionName {
    /// Those that now have a second version.
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
        "divan_abs",
        "divan_ceil",
        "divan_floor",
        "divan_power",
        "divan_div",
        "divan_idiv",
        "divan_round",
        "divan_round_even",
        "divan_trunc",
        "divan_to_number",
        "divan_array_sum",
        "divan_array_avg",
        "divan_array_max",
        "divan_array_min",
        "divan_euclidean_distance",
        "divan_calculate",
    ]
    /// Those that fail for some arguments: an index calls a form that returns MISSING then, since a document with
    /// such values could not be saved otherwise.
    private static let failing: Set<ExactText> = [
        "divan_like", "divan_regexp_contains", "divan_regexp_position", "divan_regexp_replace",
    ]
    /// Those that depend on letters, their case, or white space, as spelled in a schema.
    private static let literate =
        [
            "divan_lower", "divan_upper", "divan_trim", "divan_ltrim", "divan_rtrim",
            "divan_contains",
        ] + failing.map { stored($0.text) }
    /// The first versions in a schema, and the calls that replace them.
    private static let outdated = Dictionary(
        uniqueKeysWithValues: second.map {
            (ExactText($0.text + "1"), current($0.text, inSchema: true))
        }
    )

    /// A name with its current number.
    static func current(_ name: String, inSchema: Bool) -> String {
        let exact = ExactText(name)
        if inSchema, failing.contains(exact) { return stored(name) + "1" }
        return name + (second.contains(exact) ? "2" : "1")
    }

    private static func stored(_ name: String) -> String {
        "divan_stored" + name.dropFirst("divan".count)
    }

    /// Whether a text of the schema calls functions whose results change with the Unicode library.
    static func dependsOnUnicode(_ sql: String) -> Bool { literate.contains { sql.contains($0) } }

    /// A text of the schema with the current name of each function; `nil` if nothing changes.
    static func renewed(_ sql: String) -> String? {
        var renewed = ""
        var rest = Substring(sql)
        while let end = rest.utf8.firstIndex(of: UInt8(ascii: "(")) {
            let start = rest[..<end].utf8.lastIndex { !isOfName($0) }
            let name = rest[(start.map { rest.utf8.index(after: $0) } ?? rest.startIndex)..<end]
            renewed += rest[..<name.startIndex]
            renewed += outdated[ExactText(String(name))] ?? String(name)
            renewed += "("
            rest = rest[rest.utf8.index(after: end)...]
        }
        renewed += rest
        return ExactText(renewed) == ExactText(sql) ? nil : renewed
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
