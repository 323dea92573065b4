/// Eight lower-case hexadecimal digits, a byte each in the order of the text, and their value.
///
/// Eight at a time because each revision's ID is read and written several times on its way from
/// one database to another, and branches on a digest's digits cannot be predicted.
struct HexadecimalDigits {
    /// The text, the first digit in the highest byte.
    let bytes: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let lowHalves: UInt64 = 0x0F0F_0F0F_0F0F_0F0F

    /// Takes eight bytes of text.
    init(bytes: UInt64) {
        self.bytes = bytes
    }

    /// Spells a number.
    init(_ value: UInt32) {
        var nibbles = UInt64(value)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & Self.lowHalves
        bytes = Self.spelled(nibbles)
    }

    /// The number; `nil` unless all bytes are digits.
    var value: UInt32? {
        // Of the digits, only letters have bit 6: "a" is 0x61, and means 1 + 9. Other characters
        // have a value too, but it is spelled differently.
        let letters = bytes >> 6 & Self.ones
        var nibbles = ((bytes & Self.lowHalves) &+ (letters &* 9)) & Self.lowHalves
        guard Self.spelled(nibbles) == bytes else { return nil }
        nibbles = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: nibbles | nibbles >> 16)
    }

    /// The digits of eight numbers below 16: from 10 on, adding 6 carries into the fifth bit.
    private static func spelled(_ nibbles: UInt64) -> UInt64 {
        let letters = (nibbles &+ (ones &* 6)) >> 4 & ones
        return nibbles &+ (ones &* 0x30) &+ (letters &* 0x27)
    }
}
