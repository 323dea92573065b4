import DivanCrypto
import DivanTestKit
import Testing

/// The test cases of RFC 4231, in one piece and split at every position.
@Suite struct HMACTests {
    private static let cases: [(key: [UInt8], text: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xCD, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8
            ),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(arguments: HMACTests.cases.indices)
    func `HMAC-SHA-256 gives the codes of RFC 4231`(index: Int) {
        let (key, text, code) = Self.cases[index]
        var whole = HMACSHA256(key: key.span)
        whole.update(text.span)
        #expect(whole.finalize().hexText == code)
        let differing = text.cutsThatDiffer { pieces in
            var hmac = HMACSHA256(key: key.span)
            for piece in pieces { hmac.update(piece.span) }
            return hmac.finalize().hexText
        }
        #expect(differing.isEmpty)
    }

    @Test
    func `a copy of a value with a key computes another code with that key`() {
        let keyed = HMACSHA256(key: Array("Jefe".utf8).span)
        var first = keyed
        first.update(Array("another text".utf8).span)
        var second = keyed
        second.update(Array("what do ya want for nothing?".utf8).span)
        #expect(first.finalize() != second.finalize())
        var third = keyed
        third.update(Array("what do ya want for nothing?".utf8).span)
        #expect(
            third.finalize().hexText
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
    }
}
