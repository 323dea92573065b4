import DivanDelta
import DivanJSON
import DivanTestKit
import Testing

@Suite struct TextPatchTests {
    private let filler = String(repeating: "0123456789", count: 8)

    @Test func `patches the middle of a long text`() {
        let delta = JSONDelta.make(
            from: ["s": .string(filler + "old" + filler)],
            to: ["s": .string(filler + "new!" + filler)]
        )
        #expect(delta == ["s": ["80=3-4+new!|80=", 0, 2]])
    }

    @Test func `never splits a character`() throws {
        // é and è differ in their second byte, 東 and 来 in the last two.
        for (left, right) in [("é", "è"), ("東", "来"), ("😀", "😁"), ("e\u{301}", "é")] {
            let old: JSON = ["s": .string(filler + left + filler)]
            let new: JSON = ["s": .string(filler + right + filler)]
            let delta = JSONDelta.make(from: old, to: new)
            #expect(delta["s"]?.array?.count == 3)
            #expect(try JSONDelta.apply(delta, to: old) == new)
        }
    }

    @Test(arguments: [("", "x"), ("x", ""), ("ab", "b"), ("aa", "a"), ("a", "aa"), ("x", "yy")])
    func `finds the common start and end without overlap`(left: String, right: String) throws {
        let old: JSON = ["s": .string(filler + left + filler)]
        let new: JSON = ["s": .string(filler + right + filler)]
        #expect(try JSONDelta.apply(JSONDelta.make(from: old, to: new), to: old) == new)
    }

    @Test func `replaces a short text and one that changed completely`() {
        #expect(JSONDelta.make(from: ["s": "old"], to: ["s": "new"]) == ["s": "new"])
        let other = String(repeating: "x", count: 80)
        let delta = JSONDelta.make(from: ["s": .string(filler)], to: ["s": .string(other)])
        #expect(delta == ["s": .string(other)])
    }

    @Test(arguments: [
        ("2=2-1=3+XYZ|", "heoXYZ"), ("5=", "hello"), ("5-", ""), ("5-1+||", "|"),
        ("0=5=0-0+|", "hello"), ("5=2+é|", "helloé"), ("1+=|5=", "=hello"),
    ])
    func `applies operations by byte count`(patch: String, expected: String) throws {
        let result = try JSONDelta.apply(["s": [.string(patch), 0, 2]], to: ["s": "hello"])
        #expect(result == ["s": .string(expected)])
    }

    @Test(
        arguments: [
            ("", .empty), ("2=2-", .wrongLength(oldByteCount: 5)),
            ("9999999999=", .wrongLength(oldByteCount: 5)), ("6-", .wrongLength(oldByteCount: 5)),
            ("99999999999999999999=", .badCount(offset: 0)), ("=", .badCount(offset: 0)),
            ("5= ", .badCount(offset: 2)), (" 5=", .badCount(offset: 0)),
            ("-5=", .badCount(offset: 0)),
            ("5", .unknownOperator(offset: 1)), ("5x", .unknownOperator(offset: 1)),
            ("5=3+XYZ", .unclosedInsertion(offset: 4)), ("5=3+XY|", .unclosedInsertion(offset: 4)),
            ("5=3+XYZW", .unclosedInsertion(offset: 4)),
        ] as [(String, TextPatch.Problem)]
    )
    func `rejects a malformed patch`(patch: String, problem: TextPatch.Problem) {
        let error = #expect(throws: DeltaError.self) {
            try JSONDelta.apply(["s": [.string(patch), 0, 2]], to: ["s": "hello"])
        }
        #expect(error?.reason == .textPatch(problem))
    }

    @Test func `rejects a patch that splits a character`() {
        let error = #expect(throws: DeltaError.self) {
            try JSONDelta.apply(["s": ["1=1-", 0, 2]], to: ["s": "é"])
        }
        #expect(error?.reason == .textPatch(.splitCharacter))
    }
}
