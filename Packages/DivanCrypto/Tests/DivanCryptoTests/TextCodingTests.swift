import DivanCrypto
import DivanTestKit
import Testing

/// Base64 and hexadecimal text: exact both ways, and strict when reading.
@Suite struct TextCodingTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `Base64 encodes the examples of RFC 4648`(plain: String, text: String) {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes.span) == text)
        #expect(Base64.decode(text) == bytes)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9v ", "Zm 9v", "Zm9v\n", "Zm-_", "=Zg=",
        "====",
        "Zg==Zg==", "Zmé=",
    ])
    func `Base64 rejects text that it would not write`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: UInt64(0)..<50)
    func `Base64 and hexadecimal round-trip any bytes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = [UInt8].random(count: Int(seed), using: &generator)
        #expect(Base64.decode(Base64.encode(bytes.span)) == bytes)
        #expect(Hex.decode(Hex.encode(bytes.span)) == bytes)
        #expect(Hex.encode(bytes.span) == bytes.hexText)
    }

    @Test
    func `hexadecimal digits of either case are accepted, and nothing else`() {
        #expect(Hex.decode("00fFA9") == [0x00, 0xFF, 0xA9])
        for text in ["0", "0g", " 00", "0x00", "éé"] { #expect(Hex.decode(text) == nil) }
    }

    @Test
    func `compares secrets by content and length`() {
        #expect(isEqual([1, 2, 3], [1, 2, 3]))
        #expect(!isEqual([1, 2, 3], [1, 2, 4]))
        #expect(!isEqual([1, 2, 3], [1, 2]))
        #expect(isEqual([], []))
    }

    @Test
    func `random bytes have the requested count and differ`() {
        let source = SystemRandomSource()
        #expect(source.bytes(0).isEmpty)
        #expect(source.bytes(33).count == 33)
        #expect(source.bytes(16) != source.bytes(16))
    }

    private func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        isEqualInConstantTime(left.span, right.span)
    }
}
