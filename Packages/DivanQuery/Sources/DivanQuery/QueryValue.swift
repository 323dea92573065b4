public import DivanJSON

/// A value of a parameter or in a row.
public enum QueryValue: Hashable, Sendable {
    /// No value at all.
    case missing
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number without a fraction or an exponent.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text.
    case string(String)
    /// An array or object as JSON text; canonical if it was created by a query or written locally.
    case container([UInt8])
    /// Bytes that are not JSON: the content of a blob.
    case binary([UInt8])
}

extension QueryValue {
    /// Whether both are the same value of the same type; text and numbers by their bytes.
    public static func == (left: QueryValue, right: QueryValue) -> Bool {
        switch (left, right) {
        case (.missing, .missing), (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): ExactText(left) == ExactText(right)
        case (.container(let left), .container(let right)): left == right
        case (.binary(let left), .binary(let right)): left == right
        default: false
        }
    }

    /// Hashes the same content that equality compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .missing: hasher.combine(0)
        case .null: hasher.combine(1)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .string(let value): hasher.combine(ExactText(value))
        case .container(let value), .binary(let value): hasher.combine(value)
        }
    }

    /// Converts a JSON value; a number that is not a 64-bit integer becomes a double.
    ///
    /// An array or object with an infinite number or NaN, which parsed JSON never contains, becomes an empty
    /// `container`, which must not be passed to a query.
    public init(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .boolean(value)
        case .int(let value): self = .integer(value)
        case .string(let text): self = .string(text)
        case .array, .object:
            let limits = JSONLimits(depth: .max)
            self = .container((try? json.canonicalBytes(limits: limits)) ?? [])
        case .uint, .double, .long: self = .double(json.double ?? 0)
        }
    }

    /// Converts the value of a parameter like ``init(_:)``, but null becomes MISSING, because applications pass
    /// null to omit a filter.
    public static func parameter(_ json: JSON) -> QueryValue {
        json.isNull ? .missing : QueryValue(json)
    }

    /// The value as JSON; `nil` for MISSING.
    ///
    /// A double keeps its value, even if it is infinite, which JSON text cannot represent. Binary content is
    /// represented by its number of bytes.
    public var json: JSON? {
        switch self {
        case .missing: nil
        case .null: .null
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .double(let value): .double(value)
        case .string(let text): .string(text)
        case .container(let bytes): (try? JSON(parsing: bytes, limits: Self.limits)) ?? .null
        case .binary(let bytes): .string("(\(bytes.count) bytes)")
        }
    }

    /// As long as SQLite allows, and deeper than a document: a query puts containers around what it finds.
    private static let limits = JSONLimits(depth: QueryLimits.valueDepth, byteCount: .max)

    /// Like ``json``, with null instead of values that JSON text cannot represent.
    public var writableJSON: JSON? {
        if case .double(let value) = self, !value.isFinite { .null } else { json }
    }
}
