/// A value that is written out in a query; arrays and objects are built by expressions.
public enum QueryLiteral: Hashable, Sendable {
    /// No value at all.
    case missing
    /// `NULL`.
    case null
    /// `TRUE` or `FALSE`.
    case boolean(Bool)
    /// A number without fraction and exponent.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text; compared by its bytes.
    case string(String)

    /// Whether both are the same value of the same type; text by its bytes.
    public static func == (left: QueryLiteral, right: QueryLiteral) -> Bool {
        switch (left, right) {
        case (.missing, .missing), (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .missing: hasher.combine(0)
        case .null: hasher.combine(1)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
        }
    }
}
