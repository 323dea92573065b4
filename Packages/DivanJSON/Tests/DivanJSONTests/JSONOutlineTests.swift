import DivanJSON
import DivanTestKit
import Testing

/// Members found in the text, compared with those of the tree.
@Suite struct JSONOutlineTests {
    private static func object(seed: UInt64) throws -> (tree: JSONObject, text: [UInt8]) {
        var generator = SeededGenerator(seed: seed)
        let members = (0..<12).map { ("key\($0)", JSON.arbitrary(using: &generator)) }
        let odd = JSON.arbitrary(using: &generator)
        let tree = JSONObject(members + (odd.object.map(Array.init) ?? []))
        return (tree, try JSON.object(tree).canonicalBytes())
    }

    @Test(arguments: UInt64(0)..<200)
    func `each member equals that of the tree`(seed: UInt64) throws {
        let (tree, text) = try Self.object(seed: seed)
        let outline = try JSONOutline(text)
        for (key, value) in tree { #expect(outline[key] == value) }
        #expect(outline["absent"] == nil)
        #expect(outline["key"] == nil)
    }

    @Test func `the last of equal keys counts, however they are escaped`() throws {
        let text = #" { "a" : 1 , "\u0061" : [2] , "b" : {"a":3} , "é" : 4 } "#
        let outline = try JSONOutline(Array(text.utf8))
        #expect(outline["a"] == [2])
        #expect(outline["b"] == ["a": 3])
        #expect(outline["é"] == 4)
        #expect(outline["e\u{301}"] == nil)
        #expect(try JSONOutline(Array("{}".utf8))["a"] == nil)
    }

    @Test(arguments: [
        "", "[]", "1", "{", #"{"a":1"#, #"{"a":1}}"#, #"{"a":tru}"#, #"{"a":1,}"#, #"{a:1}"#,
        #"{"a":"\x"}"#, #"{"a":1,"b":[1,}"#,
    ])
    func `a malformed object is rejected as by the parser`(_ text: String) {
        #expect(throws: JSONError.self) { try JSONOutline(Array(text.utf8)) }
    }

    @Test func `depth and length are limited`() throws {
        let deep = Array((#"{"a":"# + String(repeating: "[", count: 9)).utf8)
        let text = deep + [UInt8](repeating: UInt8(ascii: "]"), count: 9) + [UInt8(ascii: "}")]
        #expect(try JSONOutline(text, limits: JSONLimits(depth: 10))["a"] != nil)
        #expect(throws: JSONError.self) { try JSONOutline(text, limits: JSONLimits(depth: 9)) }
        #expect(throws: JSONError.self) {
            try JSONOutline(text, limits: JSONLimits(byteCount: text.count - 1))
        }
    }
}
