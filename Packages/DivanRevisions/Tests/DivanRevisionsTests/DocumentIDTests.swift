import DivanRevisions
import DivanTestKit
import Testing

@Suite struct DocumentIDTests {
    /// Three spellings of one letter, equal by Unicode's rules.
    private static let spellings = ["\u{212B}", "\u{C5}", "A\u{30A}"]

    @Test func `canonically equivalent texts are different IDs`() throws {
        let ids = try Self.spellings.map { try DocumentID(checking: $0) }
        #expect(Set(Self.spellings).count == 1, "String takes them for one")
        #expect(Set(ids).count == 3)
        #expect(Dictionary(grouping: ids, by: \.self).count == 3)
        for (offset, id) in ids.enumerated() {
            #expect(ids.firstIndex(of: id) == offset)
            #expect(Array(id.text.utf8) == Array(Self.spellings[offset].utf8))
        }
    }

    @Test func `generated IDs start with their time, sort by it and are unique`() throws {
        var generator = SeededGenerator(seed: 7)
        let made = (0..<1_000).map { number in
            DocumentID(madeAt: 0x0123_4567_89AB + UInt64(number / 10), using: &generator)
        }
        #expect(Set(made).count == made.count)
        #expect(made.allSatisfy { $0.text.utf8.count == 32 })
        #expect(made[0].text.hasPrefix("0123456789ab"))
        #expect(made[9].text.hasPrefix("0123456789ab") && made[10] > made[9])
        #expect(try made.allSatisfy { try DocumentID(checking: $0.text) == $0 })
        let late = DocumentID(madeAt: .max, using: &generator)
        #expect(late.text.hasPrefix("ffffffffffff"))
        #expect(late.text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
    }

    @Test func `IDs are sorted by their bytes`() throws {
        let texts = ["A\u{30A}", "B", "a", "\u{C5}", "\u{212B}", "\u{1F600}"]
        let ids = try texts.map { try DocumentID(checking: $0) }
        #expect(ids.reversed().sorted() == ids)
        #expect(texts.reversed().sorted() != texts, "String sorts them otherwise")
    }

    @Test(arguments: [
        "", "_", "_id", "a\nb", "\u{7F}", String(repeating: "x", count: 241),
        String(repeating: "é", count: 121), "nul\u{0}",
    ])
    func `an invalid ID is rejected`(_ text: String) {
        #expect(throws: DocumentIDError.self) { try DocumentID(checking: text) }
    }

    @Test(arguments: [
        "a", " ", "a_b", "'; DROP TABLE docs_1; --", "%_", "東京😀", "a/b",
        String(repeating: "é", count: 120),
    ])
    func `any other text is a valid ID`(_ text: String) throws {
        #expect(try DocumentID(checking: text).text.utf8.elementsEqual(text.utf8))
        #expect(try DocumentID(received: text) == DocumentID(checking: text))
    }

    @Test func `IDs that other implementations allow can be received`() throws {
        for text in ["a\nb", "\u{7F}", String(repeating: "x", count: 255)] {
            #expect(try DocumentID(received: text).text == text)
        }
        for text in ["", "_local", "nul\u{0}", String(repeating: "x", count: 256)] {
            #expect(throws: DocumentIDError.self) { try DocumentID(received: text) }
        }
    }

    @Test func `generated IDs are recognized by their form`() {
        var generator = SystemRandomNumberGenerator()
        let generated = [
            DocumentID(madeAt: 1_800_000_000_000, using: &generator),
            "~Qw3-x_1tQw3-x_1tQw3-x_", "-Qw3-x_1tQw3-x_1tQw3-x_",
            "F47AC10B-58CC-4372-A567-0E02B2C3D479", "018f3c2e-7b5a-7c3d-9e8f-0a1b2c3d4e5f",
        ]
        for id in generated { #expect(id.isGenerated, "\(id)") }
        let others: [DocumentID] = [
            "user::1", "", "~Qw3-x_1tQw3-x_1tQw3-x", "~Qw3-x_1tQw3-x_1tQw3.x_",
            "d41d8cd98f00b204e9800998ecf8427e", "0190zz00000000000000000000000000",
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-41d1-80b4x00c04fd430c8",
        ]
        for id in others { #expect(!id.isGenerated, "\(id)") }
    }

    @Test func `the error states the problem and a remedy`() {
        let error = #expect(throws: DocumentIDError.self) {
            try DocumentID(checking: String(repeating: "x", count: 300))
        }
        #expect(error?.reason == .length(300, limit: 240))
        #expect(error?.excerpt.count == 80)
        #expect(
            error?.description.hasSuffix(
                "300 bytes exceed the limit of 240; use 1 to 240 bytes, no control characters, "
                    + "no leading underscore"
            ) == true
        )
    }
}
