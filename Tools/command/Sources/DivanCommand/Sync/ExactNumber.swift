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
        case (.integer(let left), .double(let right)): left.compared(with: right) < 0
        case (.double(let left), .integer(let right)): right.compared(with: left) > 0
        }
    }
}
