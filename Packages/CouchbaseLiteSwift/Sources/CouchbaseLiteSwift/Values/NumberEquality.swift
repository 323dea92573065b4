public import Foundation

// swift-format-ignore: AvoidRetroactiveConformances
/// Makes a boxed number equal the plain one inside `AnyHashable`, as on Apple's systems.
///
/// Documents return `NSNumber`, and code from Apple's systems compares them with `NSDictionary(dictionary:
/// document.toDictionary()).isEqual(to: ["rooms": 120])`. Foundation on Linux does this for its other classes but not
/// for `NSNumber`, so 120 would not equal 120. The conformance affects the whole program.
extension NSNumber: @retroactive _HasCustomAnyHashableRepresentation {
    // swift-format-ignore: NoLeadingUnderscores
    /// The plain number or boolean; `nil` for a decimal number, which keeps its own rules.
    public func _toCustomAnyHashable() -> AnyHashable? {
        if self is NSDecimalNumber { return nil }
        // A C string of one character, valid as long as the number.
        return switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): AnyHashable(doubleValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): AnyHashable(uint64Value)
        case UInt8(ascii: "c") where type(of: self) != NSNumber.self: AnyHashable(boolValue)
        default: AnyHashable(int64Value)
        }
    }
}
