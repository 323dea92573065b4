internal import CDivanSQL
internal import DivanJSON
internal import DivanQuery

/// A function in SQL: a row of the table by which C registers the functions.
struct SQLFunction: Sendable {
    /// What a call returns, if not MISSING or null.
    enum Result: Sendable {
        /// 0 or 1.
        case boolean
        /// A number or text, which has one form only.
        case scalar
        /// A value of any type in exact form.
        case exact
        /// A value of any type in plain form.
        case plain
    }

    /// The name without its number.
    let name: String
    /// The numbers of arguments that it accepts.
    let argumentCounts: ClosedRange<Int>
    let result: Result
    /// The number of its meaning.
    ///
    /// A name may occur in the schema of a file, as part of an index, and must keep its meaning as long as such a
    /// file exists: another meaning gets another number.
    let version: Int
    /// Whether it depends on letters, their case or white space, which a new version of Unicode may change.
    let dependsOnUnicode: Bool
    /// Whether it fails for some arguments: an index calls a form that returns MISSING then, since a document with
    /// such values could not be saved otherwise.
    let mayFail: Bool

    private init(_ row: divan_function) {
        name = String(cString: row.name)
        let most = Int(row.most_count) == divan_unlimited ? Int.max : Int(row.most_count)
        argumentCounts = Int(row.least_count)...most
        result =
            switch row.result {
            case divan_returns_boolean: .boolean
            case divan_returns_exact: .exact
            case divan_returns_plain: .plain
            default: .scalar
            }
        version = Int(row.version)
        dependsOnUnicode = Int(row.traits) & Int(divan_reads_letters) != 0
        mayFail = Int(row.traits) & Int(divan_may_fail) != 0
    }

    /// A function that the table does not have; SQLite refuses it.
    private init(unknown name: String) {
        self.name = name
        (argumentCounts, result, version) = (0...Int.max, .exact, 1)
        (dependsOnUnicode, mayFail) = (false, false)
    }

    // MARK: Names

    /// The name in a query.
    var current: String { "\(name)\(version)" }

    /// The name in the schema of a file.
    var stored: String { mayFail ? "\(storedName)1" : current }

    /// The same without its number.
    var storedName: String { mayFail ? "divan_stored" + name.dropFirst("divan".count) : name }

    // MARK: Table

    /// All functions.
    static let all: [SQLFunction] = {
        var functions: [SQLFunction] = []
        while let row = divan_function_at(Int32(clamping: functions.count)) {
            functions.append(SQLFunction(row.pointee))
        }
        return functions
    }()

    private static let table = Dictionary(
        uniqueKeysWithValues: all.map { (ExactText($0.name), $0) }
    )

    /// The function with a name.
    static func named(_ name: String) -> SQLFunction {
        table[ExactText(name)] ?? SQLFunction(unknown: name)
    }

    /// The function with one of the names that translations call.
    static subscript(name: Name) -> SQLFunction { named(name.rawValue) }

    /// The functions that translations call in addition to those with a name in the language.
    enum Name: String, CaseIterable {
        case value = "divan_value"
        case result = "divan_result"
        case body = "divan_body"
        case bodyResult = "divan_body_result"
        case member = "divan_member"
        case memberResult = "divan_member_result"
        case plain = "divan_plain"
        case canonical = "divan_canonical"
        case boolean = "divan_boolean"
        case array = "divan_array"
        case object = "divan_object"
        case join = "divan_join"
        case concat = "divan_concat"
        case container = "divan_container"
        case indexText = "divan_index_text"
        case isItem = "divan_is_item"
        case like = "divan_like"
        case terms = "divan_terms"
        case joinTerms = "divan_join_terms"
        case calculate = "divan_calculate"
        case textKey = "divan_text_key"
        case rowCount = "divan_row_count"
        case arrayCountOfProperty = "divan_array_count_property"
        case sum = "divan_sum"
        case average = "divan_avg"
        case arrayOfRows = "divan_array_agg"
        case vector = "divan_vector"
        case equals = "divan_equals"
        case anyEquals = "divan_any_equals"
        case likeProperty = "divan_like_property"
    }
}

extension QueryFunction {
    /// How it is called in SQL.
    var inSQL: SQLFunction { .named("divan_\(nameInSQL)") }

    /// Most functions have the same name as in the language.
    private var nameInSQL: String {
        switch self {
        case .arrayOf: "array"
        case .regexpLike: "regexp_contains"
        case .isArray, .isAtom, .isBoolean, .isNumber, .isObject, .isString:
            "is_\(rawValue.dropFirst("IS".count).lowercased())"
        case .toArray, .toAtom, .toBoolean, .toNumber, .toObject, .toString:
            "to_\(rawValue.dropFirst("TO".count).lowercased())"
        default: rawValue.lowercased()
        }
    }
}
