import DivanJSON
import DivanTestKit
import Testing

/// Plain collections made from a text, beside those that a tree makes.
@Suite struct PlainParserTests {
    /// A tree of what was made, with the values that `form` was asked for as they are.
    private static func tree(_ value: Any) -> JSON? {
        switch value {
        case let json as JSON: return json
        case let text as String: return .string(text)
        case let array as [Any]: return .array(array.compactMap(tree))
        case let members as [String: Any]:
            return .object(
                JSONObject(
                    members.compactMap { key, value in
                        tree(value).map { (key, $0) }
                    }
                )
            )
        default: return nil
        }
    }

    private static func plain(_ text: [UInt8], depth: Int = 128) throws -> JSON? {
        let limits = JSONLimits(depth: depth)
        return try JSON.plainDictionary(parsing: text.span, limits: limits) { $0 }.flatMap(tree)
    }

    /// Keys that Unicode holds for equal are one key of a dictionary, so they stay out here.
    private static func isPlain(_ json: JSON) -> Bool {
        switch json {
        case .array(let items): items.allSatisfy(isPlain)
        case .object(let members):
            Set(members.keys).count == members.count && members.allSatisfy { isPlain($0.value) }
        default: true
        }
    }

    @Test func `a canonical object becomes what its tree says`() throws {
        var count = 0
        for seed in UInt64(0)..<600 {
            var generator = SeededGenerator(seed: seed)
            let value = JSON.arbitrary(using: &generator)
            guard value.kind == .object, Self.isPlain(value) else { continue }
            count += 1
            #expect(try Self.plain(value.canonicalBytes()) == value, "seed \(seed)")
        }
        #expect(count > 50)
    }

    @Test func `an object with a type is handed over as a tree`() throws {
        let text = #"{"a":{"0":1,"@type":"blob","digest":"x"},"b":[{"@type":{"@type":1}}],"c":"s"}"#
        var asked: [JSON] = []
        let plain = try JSON.plainDictionary(parsing: Array(text.utf8).span) { json in
            asked.append(json)
            return json
        }
        #expect(plain?.count == 3)
        #expect(asked.contains(["0": 1, "@type": "blob", "digest": "x"]))
        #expect(asked.contains(["@type": ["@type": 1]]))
        #expect(try Self.plain(Array(text.utf8)) == JSON(parsing: text))
    }

    @Test(arguments: ["[1]", "3", #"{"b":1,"a":2}"#, #"{"a":1,"a":2}"#, #"{"x":[{"b":1,"a":2}]}"#])
    func `what only a tree tells is left to it`(_ text: String) throws {
        #expect(try Self.plain(Array(text.utf8)) == nil)
    }

    @Test(arguments: ["", "{", #"{"a":}"#, #"{"a":1}x"#, #"{"a":[1,]}"#, #"{"@type":}"#])
    func `a damaged text is refused`(_ text: String) {
        #expect(throws: JSONError.self) { try Self.plain(Array(text.utf8)) }
    }

    @Test func `the depth is bounded`() throws {
        let text = Array(#"{"a":[{"b":[1]}]}"#.utf8)
        #expect(try Self.plain(text, depth: 4) != nil)
        #expect(throws: JSONError.self) { try Self.plain(text, depth: 3) }
    }
}
