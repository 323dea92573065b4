import DivanJSON

/// A number as it is compared: by its value, as in a query, so that no integer counts as another one.
///
/// A number with more digits than an integer or a double can hold counts as the nearest double.
enum ExactNumber: Comparable {
    case integer(Int128)
    case double(Double)

    /// `nil` if the value is no number.
    init?(_ value: JSON) {
        switch value {
        case .int(let value): self = .integer(Int128(value))
        case .uint(let value): self = .integer(Int128(value))
        case .double(let value): self = .double(value)
        case .long(let value): self = .double(value.double)
        case .null, .bool, .string, .array, .object: return nil
        }
    }

    static func == (left: ExactNumber, right: ExactNumber) -> Bool {
        !(left < right) && !(right < left)
    }

    static func < (left: ExactNumber, right: ExactNumber) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.integer(let left), .double(let right)): compare(left, right) < 0
        case (.double(let left), .integer(let right)): compare(right, left) > 0
        }
    }

    /// Negative, zero or positive: not every integer is a double.
    private static func compare(_ left: Int128, _ right: Double) -> Int {
        // All integers are within 64 bits and a sign.
        if right < -0x1p64 { return 1 }
        if right > 0x1p64 { return -1 }
        let whole = Int128(right)  // cut towards zero
        if left != whole { return left < whole ? -1 : 1 }
        let rest = right - right.rounded(.towardZero)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}
