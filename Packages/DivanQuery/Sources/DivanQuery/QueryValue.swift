/// A value of the language, as a parameter brings it and a row shows it.
public enum QueryValue: Hashable, Sendable {
    /// No value at all.
    case missing
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number without fraction and exponent.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text.
    case string(String)
    /// An array or object as JSON text; canonical where a query built it or this peer wrote it.
    case container([UInt8])
    /// Bytes that are no JSON: the content of a blob.
    case binary([UInt8])
}
