extension [UInt8] {
    /// Reads hexadecimal digits of either case; spaces and line breaks between bytes are skipped.
    ///
    /// Returns `nil` for any other character and for half a byte.
    public init?(hex text: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            if high == nil, character == UInt8(ascii: " ") || character == UInt8(ascii: "\n") {
                continue
            }
            guard let digit = hexDigit(character) else { return nil }
            if let half = high {
                bytes.append(half << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
        self = bytes
    }

    /// The bytes as lower-case hexadecimal digits without spaces.
    public var hexText: String { self[...].hexText }

    /// Deterministic bytes that no codec can compress.
    public static func random(
        count: Int,
        using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes as lower-case hexadecimal digits without spaces.
    public var hexText: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(count * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

private func hexDigit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
}
