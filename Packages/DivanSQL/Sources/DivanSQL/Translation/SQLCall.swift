internal import DivanQuery

/// How a function of the language is called in SQL.
struct SQLCall {
    /// What a call returns.
    enum Result {
        /// 0, 1 or nothing.
        case boolean
        /// A number or text, which has one form only.
        case scalar
        /// A value of any type in exact form.
        case any
    }

    let name: String
    let result: Result

    init(_ function: QueryFunction) {
        (name, result) = Self.named(function)
    }

    /// Most functions have the same name as in the language.
    private static func named(_ function: QueryFunction) -> (String, Result) {
        switch function {
        case .arrayOf: ("divan_array", .any)
        case .contains: ("divan_contains", .boolean)
        case .arrayContains: ("divan_array_contains", .boolean)
        case .regexpContains, .regexpLike: ("divan_regexp_contains", .boolean)
        case .isArray: ("divan_is_array", .boolean)
        case .isAtom: ("divan_is_atom", .boolean)
        case .isBoolean: ("divan_is_boolean", .boolean)
        case .isNumber: ("divan_is_number", .boolean)
        case .isObject: ("divan_is_object", .boolean)
        case .isString: ("divan_is_string", .boolean)
        case .toBoolean: ("divan_to_boolean", .boolean)
        case .toArray: ("divan_to_array", .any)
        case .toAtom: ("divan_to_atom", .any)
        case .toNumber: ("divan_to_number", .scalar)
        case .toObject: ("divan_to_object", .any)
        case .toString: ("divan_to_string", .scalar)
        case .arrayIfNull, .greatest, .least, .ifNull, .ifMissingOrNull, .missingIf, .nullIf,
            .trim, .leftTrim, .rightTrim:
            ("divan_\(function.rawValue.lowercased())", .any)
        default:
            ("divan_\(function.rawValue.lowercased())", .scalar)
        }
    }
}
