import DivanRevisions
import DivanTestKit
import Testing

@Suite struct RevisionIDTests {
    @Test(arguments: [1, 9, 10, 99, 100, 999_999_999, 1_000_000_000, RevisionID.maximumGeneration])
    func `the text of an ID round-trips for all lengths`(generation: UInt64) throws {
        for byteCount in [1, 3, 8, 20, 39, 40] {
            let digits = (0..<2 * byteCount).map { String(15 - $0 % 16, radix: 16) }
            let text = "\(generation)-\(digits.joined())"
            let id = try #require(RevisionID(text))
            var bytes: [UInt8] = [7]
            id.appendText(to: &bytes)
            #expect(bytes == [7] + Array(text.utf8))
            #expect(id.description == text)
            #expect(id.digest == digits.joined())
        }
    }

    @Test(arguments: try Vectors.load().litecore)
    func `computes the same digests as Couchbase Lite`(_ vector: Vectors.Case) throws {
        let made = try RevisionID.digesting(
            parent: try vector.parentRevID.map(id),
            isTombstone: vector.deleted,
            canonicalBody: Array(vector.canonicalBody.utf8).span
        )
        #expect(made.description == vector.revID)
    }

    @Test func `computes the digest of a child of the longest ID`() throws {
        let parent = try id("4294967294-" + String(repeating: "ab", count: 40))
        let child = try RevisionID.digesting(
            parent: parent,
            isTombstone: false,
            canonicalBody: Array("{}".utf8).span
        )
        #expect(child.generation == RevisionID.maximumGeneration)
    }

    @Test(arguments: [
        "1-ab", "12-00", "4294967294-00ff", "4294967295-ab",
        "3-0123456789abcdef0123456789abcdef01234567", "7-faded0001122334455667788",
    ])
    func `keeps the text of a valid ID`(_ text: String) throws {
        let parsed = try id(text)
        #expect(parsed.description == text)
        #expect("\(parsed.generation)-\(parsed.digest)" == text)
        #expect(decoded(parsed.encoded) == parsed)
    }

    @Test(arguments: [
        "", "-", "1", "1-", "-ab", "0-ab", "01-ab", "+1-ab", "-1-ab", "1-a", "1-AB", "1-abc",
        "1-xy", "1 -ab", "1-ab ", "1-junk", "4294967296-ab", "9223372036854775808-ab",
        "99999999999999999999-ab", "1-" + String(repeating: "ab", count: 41), "1--ab", "é-ab",
    ])
    func `rejects any other text`(_ text: String) {
        #expect(RevisionID(text) == nil)
    }

    @Test(arguments: 0..<8)
    func `accepts only hexadecimal digits at every position`(place: Int) {
        let digits = Set("0123456789abcdef".utf8)
        for byte in UInt8.min...UInt8.max {
            var text = Array("1-01234567".utf8)
            text[2 + place] = byte
            let id = RevisionID(utf8: text.span)
            #expect((id != nil) == digits.contains(byte), "byte \(byte)")
            #expect(id.map { Array($0.description.utf8) } ?? text == text)
        }
    }

    @Test func `sorts by generation, then by the bytes of the digest`() throws {
        let sorted = try ids(
            "1-ff,2-00,2-0000,2-01,2-0100000000000000,2-010000000000000000,2-ff,10-00"
        )
        #expect(sorted.shuffled().sorted() == sorted)
        #expect(Set(sorted + sorted).count == sorted.count)
    }

    @Test(arguments: UInt64(0)..<100)
    func `decodes only bytes that it would encode`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for count in 0..<52 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard let parsed = decoded(bytes) else { continue }
            #expect(parsed.encoded == bytes, "seed \(seed)")
            #expect(RevisionID("\(parsed)") == parsed, "seed \(seed)")
        }
    }

    @Test func `reserves a first byte of 0 for other kinds of IDs`() {
        #expect(decoded([0, 1, 2]) == nil)
        #expect(decoded([0x81, 0x00, 0xAB]) == nil)
        #expect(decoded([1]) == nil)
        #expect(decoded([]) == nil)
    }

    @Test func `no revision can follow the highest generation`() throws {
        let last = try id("4294967295-ab")
        #expect(throws: RevisionError.generationOverflow(RevisionID.maximumGeneration)) {
            try child(of: last)
        }
        var tree = RevisionTree()
        try tree.receive("4294967295-ab")
        #expect(throws: RevisionError.generationOverflow(RevisionID.maximumGeneration)) {
            try tree.save("edit")
        }
        #expect(tree.revisions.count == 1)
    }

    @Test func `a revision ID is stored inline`() {
        #expect(MemoryLayout<RevisionID>.size <= 56)
    }
}

private func child(of parent: RevisionID) throws -> RevisionID {
    try .digesting(parent: parent, isTombstone: false, canonicalBody: Array("{}".utf8).span)
}

private func decoded(_ bytes: [UInt8]) -> RevisionID? { RevisionID(encoded: bytes.span) }

/// The part of `revids.json` that concerns Couchbase Lite.
struct Vectors: Decodable {
    struct Case: Decodable, Sendable {
        let parentRevID: String?
        let deleted: Bool
        let canonicalBody: String
        let revID: String
    }
    let litecore: [Case]

    static func load() throws -> Vectors { try Fixture("revids.json").decoded(as: Vectors.self) }
}
