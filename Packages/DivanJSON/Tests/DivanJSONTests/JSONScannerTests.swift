import DivanJSON
import DivanTestKit
import Testing

@Suite struct JSONScannerTests {
    @Test(arguments: [
        (#"{"_id":1}"#, true), (#"{"a":{"_id":1}}"#, false), (#"[{"_id":1}]"#, false),
        (#"{"a_":1}"#, false), (#"{"\u005fid":1}"#, true), (#"{"":1}"#, false),
    ])
    func `detects an underscore key at the top level only`(text: String, isSeen: Bool) throws {
        #expect(try summary(of: text).hasUnderscoreKey == isSeen)
    }

    @Test(arguments: [
        (#"{"a":[{"@type":"blob","digest":"sha1-x"}]}"#, true, true),
        (#"{"@type":"blob"}"#, true, false), (#"{"@type":"blobs"}"#, false, false),
        (#"{"digest":"x"}"#, false, true), (#"{"digests":"@type"}"#, false, false),
        (#"{"@type":"\u0062lob"}"#, true, false), (#"{"@type":1}"#, false, false),
        (#"{"a":"digest","b":"@type"}"#, false, false), (#"{"dig\u0065st":1}"#, false, true),
    ])
    func `detects possible blobs`(text: String, mayBe: Bool, hasDigest: Bool) throws {
        let summary = try summary(of: text)
        #expect(summary.mayHaveBlobs == mayBe)
        #expect(summary.hasDigestKey == hasDigest)
    }

    @Test(
        arguments: [
            ("{}", .object), (" [1]", .array), (#""x""#, .string), ("-1", .number),
            ("true", .bool), ("false", .bool), ("null", .null),
        ] as [(String, JSON.Kind)]
    )
    func `reports the kind of value`(text: String, kind: JSON.Kind) throws {
        #expect(try summary(of: text).kind == kind)
    }

    @Test(arguments: [
        #"{"a":1,"b":[{"c":-7,"d":0}]}"#, #"{"b":1.50,"a":1e3,"_x":"é"}"#, #"{"\u005fid":"\/"}"#,
        #"{"a":{"digest":"sha1-x"}}"#, #"{"longer than eight":{"@type":"blob"}}"#, "[-0]", "12",
    ])
    func `gives the same summary without the check for canonical form`(_ text: String) throws {
        let full = try summary(of: text)
        let quick = try JSONScanner.validate(Array(text.utf8).span, checksSpelling: false)
        #expect(!quick.isCanonical)
        #expect(quick.kind == full.kind)
        #expect(quick.hasRepeatedKey == full.hasRepeatedKey)
        #expect(quick.hasUnderscoreKey == full.hasUnderscoreKey)
        #expect(quick.hasDigestKey == full.hasDigestKey)
        #expect(quick.mayHaveBlobs == full.mayHaveBlobs)
    }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"{"":1,"":2}"#,
        #"{"longer than eight":1,"b":1,"longer than eight":2}"#, #"[{"x":{"b":1,"a":1,"b":1}}]"#,
        #"{"é":1,"b":2,"\u00E9":3}"#, #"{"😀":1,"\uD83D\uDE00":3}"#,
    ])
    func `accepts a duplicate key and reports it`(_ text: String) throws {
        #expect(try !summary(of: text).isCanonical)
        #expect(try summary(of: text).hasRepeatedKey)
        #expect(try summary(of: #"{"z":\#(text),"a":"\u0062"}"#).hasRepeatedKey)
        let quick = try JSONScanner.validate(Array(text.utf8).span, checksSpelling: false)
        #expect(quick.hasRepeatedKey)
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":1,"b":2,"a":3}"#, #"{"a":3,"b":2}"#),
        (#"{"a":1,"\u0061":2}"#, #"{"a":2}"#), (#"{"":1,"":2,"":3}"#, #"{"":3}"#),
        (#"[{"x":{"b":1,"a":1,"b":{"c":1}}}]"#, #"[{"x":{"a":1,"b":{"c":1}}}]"#),
        (#"{"é":1,"b":2,"\u00E9":3}"#, #"{"b":2,"é":3}"#),
    ])
    func `the last value of a duplicate key counts`(text: String, meaning: String) throws {
        #expect(try JSON(parsing: text) == JSON(parsing: meaning))
    }

    @Test(arguments: [
        #"{"é":1,"e\u0301":2}"#, #"{"a":{"a":1},"b":{"a":1}}"#, #"{"b":1,"a":{"b":1}}"#,
        #"{"a\u0000":1,"a":2}"#, #"{"aaaaaaaab":1,"aaaaaaaaa":1,"aaaaaaaa":1}"#,
    ])
    func `accepts keys that differ in one byte`(_ text: String) throws {
        #expect(reason(of: text) == nil)
        #expect(try !summary(of: text).hasRepeatedKey)
    }

    /// 20,000 keys in descending order, equal in their first eight bytes: n log n, not n².
    @Test func `sorts a large object whose keys share a prefix`() throws {
        let keys = (0..<20_000).map { "collision\($0)" }
        let members = keys.reversed().map { #""\#($0)":0"# }.joined(separator: ",")
        #expect(try !summary(of: "{\(members)}").hasRepeatedKey)
        #expect(try summary(of: #"{\#(members),"collision77":1}"#).hasRepeatedKey)
        let doubled = try JSON(parsing: #"{\#(members),"collision77":1}"#)
        #expect(doubled["collision77"] == 1)
        #expect(doubled.object?.keys == keys.sorted())
    }

    /// Objects of few and many members, with keys sorted or not, equal in their first bytes or not.
    @Test(arguments: UInt64(0)..<200)
    func `finds a duplicate key among any others`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var isRepeated = false
        func object(depth: Int) -> String {
            let most = [2, 8, 40, 90].randomElement(using: &generator) ?? 2
            let count = Int.random(in: 0...most, using: &generator)
            var keys = (0..<count).map { _ in
                let prefix = ["", "k", "alike in eight "].randomElement(using: &generator) ?? ""
                return prefix + String(UInt16.random(in: 0..<2_000, using: &generator))
            }
            if Bool.random(using: &generator) {
                keys.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            }
            if Set(keys).count < count { isRepeated = true }
            let members = keys.map { key in
                let goesDeeper = depth > 0 && Int.random(in: 0..<8, using: &generator) == 0
                let escaped = Int.random(in: 0..<9, using: &generator) == 0 ? "\\u00" : ""
                let name = key.first.flatMap(\.asciiValue).map { first in
                    escaped.isEmpty ? key : escaped + String(first, radix: 16) + key.dropFirst()
                }
                return #""\#(name ?? key)":\#(goesDeeper ? object(depth: depth - 1) : "0")"#
            }
            return "{\(members.joined(separator: ","))}"
        }
        let text = object(depth: 3)
        #expect(try summary(of: text).hasRepeatedKey == isRepeated)
        let quick = try JSONScanner.validate(Array(text.utf8).span, checksSpelling: false)
        #expect(quick.hasRepeatedKey == isRepeated)
    }

    /// Valid and damaged texts: without `isCanonical` the result is otherwise the same.
    @Test(arguments: UInt64(0)..<TestLength.of(30, long: 200))
    func `a quick scan gives the same result as a full one`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<4).map { _ in JSON.arbitrary(using: &generator) }
        let members = zip(["list", "list of", "list of what", "_list"], values).map {
            (key: $0, value: $1)
        }
        let bytes = try JSON.object(JSONObject(members)).canonicalBytes()
        compareLooks(at: bytes, seed)
        for _ in 0..<40 {
            var damaged = bytes
            let offset = Int.random(in: bytes.indices, using: &generator)
            let other = Int.random(in: bytes.indices, using: &generator)
            damaged[offset] =
                Bool.random(using: &generator)
                ? bytes[other] : .random(in: 0...255, using: &generator)
            compareLooks(at: damaged, seed)
            compareLooks(at: Array(bytes.prefix(offset)), seed)
        }
    }

    @Test(arguments: [
        #"{"list":[{"a":0,"b":0},{"b":0,"b":0}],"end":"of the text"}"#,
        #"{"list":[{"a":0,"b":0,"c":0},{"a":0,"c":0,"c":0}],"end":"of the text"}"#,
        #"{"list":[{"a":0,"b":0},{"a":{"a":0},"a":0}],"end":"of the text"}"#,
        #"{"list":[{"a":0,"b":0},[{"b":0}],{"b":0,"b":0}],"end":"of the text"}"#,
        #"{"list":[{"nine long":0},{"nine long":0,"nine long":0}],"end":"of the text"}"#,
    ])
    func `a quick scan finds a duplicate key that the previous object does not have`(
        text: String
    ) throws {
        let summary = try JSONScanner.validate(Array(text.utf8).span, checksSpelling: false)
        #expect(summary.hasRepeatedKey)
    }

    /// Objects in arrays, each with the keys of the previous one, or nearly; others between and in them.
    @Test(arguments: UInt64(0)..<100)
    func `a quick scan does not confuse adjacent objects`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let every = [
            "", "a", "b", "_id", "digest", "seventh", "eighthly", "nine long", "nine lonh",
            "sixteen letters.", "sixteen letters,", "seventeen letters", "@type",
            "one of thirty-one letters more",
        ]
        let names = Array(every.shuffled(using: &generator).prefix(4))
        func name() -> String { names.randomElement(using: &generator) ?? "" }
        let others = ["0.5", "-12.250", "1.5e3", "-0.0", "0e1", "null", "false", #""a\"b\\""#]
        func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 0 ? 15 : 9), using: &generator) {
            case 0..<4: "\(Int.random(in: -9...99, using: &generator))"
            case 4: others.randomElement(using: &generator) ?? ""
            case 5..<9: #""\#(name())""#
            case 9..<13: object(of: Array(names.shuffled(using: &generator).prefix(2)), depth - 1)
            default: neighbours(depth - 1)
            }
        }
        func object(of keys: [String], _ depth: Int) -> String {
            "{" + keys.map { #""\#($0)":"# + value(depth) }.joined(separator: ",") + "}"
        }
        func neighbours(_ depth: Int) -> String {
            var keys = Array(
                names.shuffled(using: &generator).prefix(Int.random(in: 0...6, using: &generator))
            )
            let elements = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                let place = Int.random(in: 0...keys.count, using: &generator)
                switch Int.random(in: 0..<16, using: &generator) {
                case 0: keys.insert(name(), at: place)
                case 1 where place < keys.count: keys[place] = name()
                case 2 where place < keys.count: keys.remove(at: place)
                case 3: return value(depth)
                default: break
                }
                return object(of: keys, depth)
            }
            return "[" + elements.joined(separator: ",") + "]"
        }
        for _ in 0..<40 {
            var text = Array(#"{"list":\#(neighbours(2)),"end":"of the text"}"#.utf8)
            compareLooks(at: text, seed)
            let place = Int.random(in: 0..<text.count, using: &generator)
            text[place] = #""{}[],:.-+0e\u ab"#.utf8.randomElement(using: &generator) ?? 0
            compareLooks(at: text, seed)
        }
    }

    /// Without `isCanonical` the result is otherwise the same.
    private func compareLooks(at text: [UInt8], _ seed: UInt64) {
        func told(_ summary: JSONSummary?) -> [Bool]? {
            summary.map {
                [
                    $0.kind == .object, $0.hasRepeatedKey, $0.hasUnderscoreKey, $0.hasDigestKey,
                    $0.mayHaveBlobs,
                ]
            }
        }
        let full = try? JSONScanner.validate(text.span)
        let quick = try? JSONScanner.validate(text.span, checksSpelling: false)
        let isAlike = told(quick) == told(full) && quick?.isCanonical != true
        #expect(isAlike, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
    }

    @Test func `limits depth and length`() {
        let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        #expect(reason(of: deepest) == nil)
        #expect(reason(of: "[\(deepest)]") == .tooDeep(limit: 128))
        #expect(reason(of: String(repeating: #"{"a":"#, count: 129)) == .tooDeep(limit: 128))
        let limits = JSONLimits(byteCount: 4)
        let error = #expect(throws: JSONError.self) {
            try JSONScanner.validate(Array("12345".utf8).span, limits: limits)
        }
        #expect(error?.reason == .tooLong(byteCount: 5, limit: 4))
    }

    /// Every byte replaced, every truncation: both readers agree, and neither traps.
    @Test(arguments: UInt64(0)..<100)
    func `agrees with the parser on damaged text`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = try JSON.arbitrary(using: &generator).canonicalBytes()
        for _ in 0..<20 {
            let offset = Int.random(in: bytes.indices, using: &generator)
            bytes[offset] = .random(in: 0...255, using: &generator)
            _ = reason(of: bytes)
            _ = reason(of: Array(bytes.prefix(offset)))
        }
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xC3], [0xE6, 0x9D],
            [0xF0, 0x9F, 0x98], [0xFF], [0xE6, 0x9D, 0x41], [0xF0, 0x9F, 0x41, 0x80],
        ] as [[UInt8]]
    )
    func `rejects invalid UTF-8 at any position`(_ bytes: [UInt8]) {
        for count in 0..<10 {
            let text = [0x22] + Array(repeating: 0x61, count: count) + bytes + [0x22]
            #expect(reason(of: text) == .invalidUTF8, "after \(count) letters")
        }
    }

    @Test(arguments: [
        #""\uD800""#, #""\uDC00""#, #""\uD800\uD800""#, #""\uD83Dx""#, #""\uD83D\n""#,
    ])
    func `rejects a lone surrogate`(_ text: String) {
        #expect(reason(of: text) == .loneSurrogate)
    }

    private func summary(of text: String) throws -> JSONSummary {
        try JSONScanner.validate(Array(text.utf8).span)
    }
}
