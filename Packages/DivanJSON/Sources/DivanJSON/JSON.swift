/// A JSON value as a tree.
///
/// Numbers keep the form of the text: an integer stays an integer, a number with a fraction or an exponent stays a
/// double, and a number with more digits than these types can represent keeps its text. Two values are equal if
/// they have the same kind and the same content; strings are compared by their UTF-8 bytes, not by Unicode
/// equivalence, because peers compute digests of bytes.
///
/// Source: RFC 8259; `revisions.md` §3.
public enum JSON: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer that fits in a signed 64-bit integer.
    case int(Int64)
    /// An integer above `Int64.max`; smaller ones are always `int`.
    case uint(UInt64)
    /// A number with a fraction or exponent, or `-0`.
    case double(Double)
    /// A number that would lose digits as a double, including an integer that does not fit in 64 bits.
    case long(LongNumber)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSON])
    /// Values under keys.
    case object(JSONObject)

    /// The kind of a value; all numbers are one kind.
    public enum Kind: String, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool
        /// A number of any form.
        case number
        /// Text in quotes.
        case string
        /// Values in brackets.
        case array
        /// Members in braces.
        case object
    }

    /// The kind of this value.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int, .uint, .double, .long: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}

extension JSON {
    /// Wraps any integer of at most 1,023 bits, which is within the range of a double.
    public init(_ value: some FixedWidthInteger) {
        if let integer = Int64(exactly: value) {
            self = .int(integer)
        } else if let integer = UInt64(exactly: value) {
            self = .uint(integer)
        } else {
            self = .long(LongNumber(text: value.description))
        }
    }

    /// Creates the number with exactly the value of `value`, so that reading it returns the same `Float`.
    ///
    /// It is not the number with the shortest text: `Float(0.1)` is 0.10000000149011612, not 0.1 (`revisions.md`
    /// §3).
    public init(_ value: Float) {
        self = .double(Double(value))
    }

    /// The string, or `nil` if this is not a string.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The boolean, or `nil` if this is not a boolean.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, or `nil` if this is not an integer or exceeds `Int64`.
    public var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The number as a double, rounded if it has more digits than a double, or `nil` if this is not a number.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        case .long(let value): value.double
        default: nil
        }
    }

    /// The number as an integer, or `nil` if it has a fraction or does not fit.
    @inlinable
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        switch self {
        case .int(let value): Integer(exactly: value)
        case .uint(let value): Integer(exactly: value)
        case .double(let value): Integer(exactly: value)
        case .long(let value): Integer(value.text)
        default: nil
        }
    }

    /// The items, or `nil` if this is not an array.
    public var array: [JSON]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// The members, or `nil` if this is not an object.
    public var object: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of `key`, or `nil` if this is not an object or does not have the key.
    public subscript(key: String) -> JSON? { object?[key] }
}

// No `nil` literal: `object[key] = nil` must remove the member, not store `null`.
extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates a double, even for an integral value such as `1.0`.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral items: JSON...) { self = .array(items) }
    /// Creates an object; if a key occurs twice, the last value is used.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(JSONObject(members.map { (key: $0.0, value: $0.1) }))
    }
}

extension RandomAccessCollection<UInt8> {
    /// The text without the byte order mark that some programs write before UTF-8.
    ///
    /// The parser rejects the mark, because peers compute digests of bytes; readers of files and requests remove
    /// it.
    ///
    /// Source: RFC 8259 §8.1.
    public var withoutByteOrderMark: SubSequence {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }
}
