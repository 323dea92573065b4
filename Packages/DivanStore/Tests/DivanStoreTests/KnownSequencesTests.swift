import DivanRevisions
import DivanTestKit
import Testing

// The set and its stored form are not public.
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// What remotes have, as sequences.
@Suite struct KnownSequencesTests {
    private func decoded(_ text: String) -> KnownSequences? {
        KnownSequences(encoded: Array(text.utf8))
    }

    @Test(arguments: ["", "1:1-1", "1:1-100,120-130;2:7-9", "4294967295:0-18446744073709551614"])
    func `the stored form round-trips`(text: String) throws {
        let known = try #require(decoded(text))
        #expect(known.encoded == Array(text.utf8))
    }

    @Test(
        arguments: [
            ":", "1", "1:", "1:1", "1:1-", "1:2-1", "0:1-2", "4294967296:1-2", "1:1-2,", "1:1-2;",
            "1:1-2;3", "a:1-2", "1:-2", "1:1-18446744073709551615", "1:1-18446744073709551616",
            "1:1-2 ", "1;1-2", "1:1,2", "\u{0}",
        ]
    )
    func `a malformed stored form is rejected`(text: String) {
        #expect(decoded(text) == nil)
    }

    @Test func `a sequence is removed for every remote`() throws {
        var known = try #require(decoded("1:1-9;2:5-5"))
        #expect(known.holders(of: 5).map(\.rawValue) == [1, 2])
        let (wasThere, isThere) = (known.remove(5), known.remove(5))
        #expect(wasThere && !isThere)
        #expect(String(decoding: known.encoded, as: UTF8.self) == "1:1-4,6-9")
    }

    @Test(arguments: UInt64(0)..<40)
    func `random sets round-trip`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var known = KnownSequences()
        for _ in 0..<Int.random(in: 1..<60, using: &generator) {
            let remote = RemoteID(rawValue: UInt32.random(in: 1..<4, using: &generator))
            let first = UInt64.random(in: 0..<2_000, using: &generator)
            var sequences = known[remote]
            sequences.insert(first..<(first + UInt64.random(in: 1..<50, using: &generator)))
            known[remote] = sequences
        }
        #expect(KnownSequences(encoded: known.encoded) == known, "seed \(seed)")
    }
}
