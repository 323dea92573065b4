import DivanDelta
import DivanJSON
import DivanTestKit
import Testing

@Suite struct JSONDeltaTests {
    /// Pairs that are partly alike, with keys and texts that a careless delta would confuse.
    @Test(arguments: UInt64(0)..<500)
    func `applying the delta of two values gives the second value`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let old = JSON.arbitraryBody(using: &generator)
        let new = seed % 3 == 0 ? .arbitraryBody(using: &generator) : old.edited(using: &generator)
        let delta = JSONDelta.make(from: old, to: new)
        #expect(try JSONDelta.apply(delta, to: old) == new, "seed \(seed)")
        #expect((delta == [:]) == (old == new), "seed \(seed)")
        let sent = try JSON(parsing: try delta.canonicalBytes())
        #expect(sent == delta, "seed \(seed)")
    }

    /// Deltas made for another value, and damaged ones: a value or an error, never a trap.
    @Test(arguments: UInt64(0)..<300)
    func `applying a delta to another value gives a value or an error`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let old = JSON.arbitraryBody(using: &generator)
        let other = JSON.arbitraryBody(using: &generator)
        let delta = JSONDelta.make(from: other, to: other.edited(using: &generator))
        for delta in [delta, delta.edited(using: &generator), .arbitrary(using: &generator)] {
            guard let result = try? JSONDelta.apply(delta, to: old) else { continue }
            #expect(throws: Never.self) { try result.canonicalBytes() }
        }
    }

    @Test(
        arguments: [
            (1, 1.0, [1.0]), ("a", "b", ["b"]), ([:], [], [[]]), ([1], [:], [[:]]), ([], [], [:]),
            ([], [1], [[1]]), (1, 1, [:]), ([1], [1, 2], ["1-": [2]]),
        ] as [(JSON, JSON, JSON)]
    )
    func `wraps a value that replaces the root`(old: JSON, new: JSON, delta: JSON) throws {
        #expect(JSONDelta.make(from: old, to: new) == delta)
        #expect(try JSONDelta.apply(delta, to: old) == new)
    }

    @Test(
        arguments: [
            (["a": []], .nothingToChange, ["a"]), (["a": [1, 2]], .nothingToChange, ["a"]),
            (["a": [:]], .nothingToChange, ["a"]),
            (["n": ["x": 1]], .notAContainer(.number), ["n"]),
            (["n": [1, 2, 3]], .unknownOperation, ["n"]),
            (["n": [1, 2, 3, 4]], .unknownOperation, ["n"]),
            (["n": [1, 2, "2"]], .unknownOperation, ["n"]), ([], .rootDeleted, []),
            (["l": ["1": []]], .deletionInsideArray, ["l", "1"]),
            (["l": ["1-": 5]], .remainderNotAnArray, ["l", "1"]),
            (["l": ["3-": 5]], .remainderNotAnArray, ["l"]),
            (["n": ["1=", 0, 2]], .notAString, ["n"]), (["s": [1, 0, 2]], .notAString, ["s"]),
        ] as [(JSON, DeltaError.Reason, [String])]
    )
    func `an error states what does not fit and where`(
        delta: JSON,
        reason: DeltaError.Reason,
        path: [String]
    ) {
        let old: JSON = ["n": 1, "l": [1, 2, 3], "s": "text"]
        let error = #expect(throws: DeltaError.self) { try JSONDelta.apply(delta, to: old) }
        #expect(error?.reason == reason)
        #expect(error?.path == path)
    }

    @Test(
        arguments: [
            (["7": 1], [1, 2, 3]), (["5-": [1]], [1, 2, 3]), (["-1": 1], [1, 2, 3]),
            (["01": 9], [1, 2, 3]), (["+1": 9], [1, 2, 3]), (["-": 9], [1, 2, 3]),
            (["1000000000": 9, "99999999999999999999": 9], [1, 2, 3]), (["x": 9], [1, 2, 3]),
            (["1": 9, "1-": [7]], [1, 9, 3]), (["0": [[4]], "2-": []], [[4], 2]),
        ] as [(JSON, JSON)]
    )
    func `parses the keys of an array patch`(delta: JSON, expected: JSON) throws {
        #expect(try JSONDelta.apply(delta, to: [1, 2, 3]) == expected)
    }

    @Test func `decides whether a delta is worth sending`() {
        #expect(!JSONDelta.isWorthSending(deltaByteCount: 5, bodyByteCount: 199))
        #expect(JSONDelta.isWorthSending(deltaByteCount: 240, bodyByteCount: 200))
        #expect(!JSONDelta.isWorthSending(deltaByteCount: 241, bodyByteCount: 200))
    }

    @Test func `an error states what to do`() {
        let error = #expect(throws: DeltaError.self) {
            try JSONDelta.apply(["s": ["9=", 0, 2]], to: ["s": "text"])
        }
        #expect(
            error?.description == """
                JSON delta at "/s": text patch: counts do not add up to the old string's 4 bytes; \
                request the full body
                """
        )
    }

    /// The example of the README.
    @Test func `converts one body into the next`() throws {
        let old = try JSON(parsing: #"{"name":"Divan","stars":5,"tags":["sync"]}"#)
        let new = try JSON(parsing: #"{"name":"Divan","stars":6,"tags":["sync","json"]}"#)
        let delta = JSONDelta.make(from: old, to: new)
        let text = try delta.canonicalBytes()  // {"stars":6,"tags":{"1-":["json"]}}
        let result = try JSONDelta.apply(JSON(parsing: text), to: old)

        #expect(result == new)
        #expect(String(decoding: text, as: UTF8.self) == #"{"stars":6,"tags":{"1-":["json"]}}"#)
    }

    /// The key is a peer's, and the message is sent back to it.
    @Test func `an error message shortens a long key`() {
        let key = String(repeating: "\u{7F}", count: 1 << 20)
        let delta = JSON.object(JSONObject([(key: key, value: .array([]))]))
        let error = #expect(throws: DeltaError.self) { try JSONDelta.apply(delta, to: [:]) }
        #expect((error?.description.utf8.count ?? .max) < 2_000)
    }
}
