/// A value written out in a query; arrays and objects are built by expressions.
public enum QueryLiteral: Hashable, Sendable {
    /// No value at all.
    case missing
    /// `NULL`.
    case null
    /// `TRUE` or `FALSE`.
    case boolean(Bool)
    /// A number without a fraction or an exponent.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text; compared by its bytes.
    case string(String)

    /// Whether both are the same value of the same type; text by its bytes.
    public static func == (left: QueryLiteral, right: QueryLiteral) -> Bool {
        left.value == right.value
    }

    /// Hashes the same content that equality compares.
    public func hash(into hasher: inout Hasher) {
        value.hash(into: &hasher)
    }

    private var value: QueryValue {
        switch self {
        case .missing: .missing
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        }
    }
}
