public import DivanJSON
public import Foundation

/// Conversion of values to the types that a model expects.
extension JSON {
    /// Converts the number 0 or 1 to a boolean if one is expected, and vice versa.
    func meant(as type: any Decodable.Type) -> JSON {
        switch (self, type) {
        case (_, is Bool.Type):
            switch integer(UInt8.self) {
            case 0: .bool(false)
            case 1: .bool(true)
            default: self
            }
        case (.bool(let bool), is any FixedWidthInteger.Type), (.bool(let bool), is Double.Type),
            (.bool(let bool), is Float.Type):
            .int(bool ? 1 : 0)
        default:
            self
        }
    }

    /// The number in single precision; `nil` if it would be infinite.
    var float: Float? {
        double.map { Float($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The number that `decimal` is, with all its digits; `nil` for not-a-number.
    init?(_ decimal: Decimal) {
        guard !decimal.isNaN, let number = try? JSON(parsing: decimal.description)
        else { return nil }
        self = number
    }

    /// The number in decimal digits, as far as `Decimal` has room for them.
    @_spi(Modern) public var decimal: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .uint(let value): Decimal(value)
        // By its digits: `Decimal(12.1)` has some that nobody wrote.
        case .double(let value): Decimal(string: "\(value)")
        case .long(let value): Decimal(string: value.text)
        default: nil
        }
    }
}
