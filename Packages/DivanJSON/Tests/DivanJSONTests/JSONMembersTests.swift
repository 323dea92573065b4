import DivanTestKit
import Testing

@testable import DivanJSON

/// Members that stay text, compared with those of a tree.
@Suite struct JSONMembersTests {
    /// A text of an object as a person or another program may write it: with white space, members in any order,
    /// keys twice, and other spellings of strings and numbers.
    private static func loose(_ value: JSON, _ generator: inout SeededGenerator) -> String {
        let space = ["", "", " ", "\n\t"].randomElement(using: &generator) ?? ""
        switch value {
        case .array(let items):
            let texts = items.map { loose($0, &generator) }
            return "[" + space + texts.joined(separator: space + ",") + "]"
        case .object(let object):
            var members = object.shuffled(using: &generator).map { ($0.key, $0.value) }
            if let member = members.first, Bool.random(using: &generator) {
                members.insert((member.0, .null), at: 0)
            }
            let texts = members.map { key, value in
                loose(.string(key), &generator) + space + ":" + loose(value, &generator)
            }
            return "{" + texts.joined(separator: "," + space) + space + "}"
        case .string(let text) where Bool.random(using: &generator):
            let units = text.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            return "\"" + units.joined() + "\""
        default:
            let bytes = (try? value.canonicalBytes()) ?? []
            return String(decoding: bytes, as: UTF8.self) + space
        }
    }

    private static func text(seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...12, using: &generator)
        let members = (0..<count).map { ("key\($0)", JSON.arbitrary(using: &generator)) }
        let odd = JSON.arbitrary(using: &generator)
        let tree = JSONObject(members + (odd.object.map(Array.init) ?? []))
        let isLoose = Bool.random(using: &generator)
        let text = isLoose ? loose(.object(tree), &generator) : nil
        return text.map { Array($0.utf8) } ?? ((try? JSON.object(tree).canonicalBytes()) ?? [])
    }

    private static func members(_ text: [UInt8], _ limit: Int) throws -> JSONMembers {
        try #require(try JSONMembers(text[...], whole: text, .default, longByteCount: limit))
    }

    @Test(arguments: UInt64(0)..<50)
    func `unparsed text has the same canonical form as its tree`(seed: UInt64) throws {
        let text = Self.text(seed: seed)
        let tree = try #require(try JSON(parsing: text).object)
        for limit in [2, 8, 40, 200] {
            let members = try Self.members(text, limit)
            #expect(try members.canonicalBytes() == JSON.object(tree).canonicalBytes())
            #expect(
                try members.canonicalBytes(replacing: { _, _ in nil })
                    == JSON.object(tree).canonicalBytes()
            )
            for (key, value) in tree {
                #expect(members[key] == value)
                #expect(members.contains(key))
            }
            #expect(members["absent"] == nil)
            #expect(!members.contains("absent"))
        }
    }

    @Test(arguments: UInt64(0)..<50)
    func `changed members are written like those of a tree`(seed: UInt64) throws {
        let text = Self.text(seed: seed)
        var generator = SeededGenerator(seed: seed)
        var tree = try #require(try JSON(parsing: text).object)
        var members = try Self.members(text, 8)
        for key in ["", "_id", "key1", "key5", "zz", "é"] + tree.keys.prefix(3) {
            let value = Bool.random(using: &generator) ? nil : JSON.arbitrary(using: &generator)
            tree[key] = value
            members[key] = value
            #expect(members[key] == value)
            #expect(members.contains(key) == (value != nil))
        }
        #expect(try members.canonicalBytes() == JSON.object(tree).canonicalBytes())
    }

    @Test(arguments: UInt64(0)..<50)
    func `malformed text is rejected exactly when the parser rejects it`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var text = Self.text(seed: seed)
        for _ in 0..<40 {
            let place = Int.random(in: 0..<text.count, using: &generator)
            text[place] =
                Array("{}[]\",:\\u0e-.t \u{1}é".utf8).randomElement(using: &generator) ?? 0
            let isValid = (try? JSON(parsing: text)) != nil
            let isObject = (try? JSON(parsing: text))?.object != nil
            do {
                let read = try JSONMembers(text[...], whole: nil, .default, longByteCount: 2)
                #expect(
                    isValid && (read != nil) == isObject,
                    "\(String(decoding: text, as: UTF8.self))"
                )
            } catch {
                #expect(!isValid, "\(String(decoding: text, as: UTF8.self))")
            }
        }
    }

    @Test func `a long string is written in pieces that split no character or escape`() throws {
        for unit in ["é", "😀", #"\ud83d\ude00"#, #"\n"#, #"\u00e9x"#, #"\u007f"#, "a\u{7F}"] {
            for shift in 0..<4 {
                let filler = String(repeating: "x", count: shift)
                let count = 70_000 / unit.utf8.count
                let content = filler + String(repeating: unit, count: count)
                let text = Array(#"{"b": ["\#(content)"], "a": "\#(content)"}"#.utf8)
                let members = try #require(try JSONMembers(parsing: text))
                #expect(members.tree == nil)
                #expect(try members.canonicalBytes() == JSON(parsing: text).canonicalBytes())
            }
        }
    }

    @Test func `each long object that may be a blob is passed as a whole, like short containers`()
        throws
    {
        let numbers = String(repeating: "1,", count: 40_000) + "1"
        let blob = #"{"@type":"blob","data":"\#(String(repeating: "a", count: 70_000))"}"#
        let text =
            #"{"a":[\#(numbers),{"deep":{"@type":"blob"}}],"b":{"c":[\#(blob),\#(numbers)]}}"#
        let members = try #require(try JSONMembers(parsing: Array(text.utf8)))
        #expect(members.mayHoldBlobs)
        var seen: [String] = []
        let bytes = try members.canonicalBytes { key, value in
            seen.append("\(key) \(value.kind)")
            return value.object?["@type"] == nil ? nil : .string("replaced")
        }
        #expect(seen == ["a object", "b object"])
        let expected = text.replacing(blob, with: #""replaced""#)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func `canonical text is returned without being rewritten`() throws {
        let text = Array(#"{"a":[\#(String(repeating: "1,", count: 40_000))1]}"#.utf8)
        let members = try #require(try JSONMembers(parsing: text))
        #expect(!members.mayHoldBlobs)
        let bytes = try members.canonicalBytes()
        let isShared = bytes.withUnsafeBufferPointer { bytes in
            text.withUnsafeBufferPointer { $0.baseAddress == bytes.baseAddress }
        }
        #expect(isShared)
    }

    @Test func `depth and length are limited`() throws {
        let deep = String(repeating: "[", count: 9) + String(repeating: "]", count: 9)
        let text = Array(#"{"a":\#(deep),"b":"\#(String(repeating: "b", count: 70_000))"}"#.utf8)
        #expect(try JSONMembers(parsing: text, limits: JSONLimits(depth: 10)) != nil)
        #expect(throws: JSONError.self) {
            try JSONMembers(parsing: text, limits: JSONLimits(depth: 9))
        }
        #expect(throws: JSONError.self) {
            try JSONMembers(parsing: text, limits: JSONLimits(byteCount: text.count - 1))
        }
    }
}
