/// A literal value in a query; arrays and objects are expressions.
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

    /// Why a number has no literal.
    static let exceedsNumbers =
        "the number fits neither in 64 bits nor exactly in a double"

    /// The value of a number as it is written: an integer if it has 64 bits, else the nearest double.
    ///
    /// `nil` for a number beyond all doubles, and for one that would become the least integer.
    init?(digits text: String) {
        if let integer = Int64(text) {
            self = .integer(integer)
        } else if let double = Double(text), double.isFinite, double != Double(Int64.min) {
            self = .double(double)
        } else {
            return nil
        }
    }

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
