import DivanJSON
import DivanTestKit
import Testing

/// Plain collections parsed from a text, compared with those made from a tree.
@Suite struct PlainParserTests {
    /// A tree of the result, with the values passed to `form` unchanged.
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

    /// Keys that Unicode considers equal are one key of a dictionary, so they are excluded here.
    private static func isPlain(_ json: JSON) -> Bool {
        switch json {
        case .array(let items): items.allSatisfy(isPlain)
        case .object(let members):
            Set(members.keys).count == members.count && members.allSatisfy { isPlain($0.value) }
        default: true
        }
    }

    @Test func `a canonical object is parsed to the same value as its tree`() throws {
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

    @Test func `an object with an @type key is passed on as a tree`() throws {
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
    func `text that is not a canonical object is left to the tree parser`(_ text: String) throws {
        #expect(try Self.plain(Array(text.utf8)) == nil)
    }

    @Test(arguments: ["", "{", #"{"a":}"#, #"{"a":1}x"#, #"{"a":[1,]}"#, #"{"@type":}"#])
    func `malformed text is rejected`(_ text: String) {
        #expect(throws: JSONError.self) { try Self.plain(Array(text.utf8)) }
    }

    @Test func `the depth is limited`() throws {
        let text = Array(#"{"a":[{"b":[1]}]}"#.utf8)
        #expect(try Self.plain(text, depth: 4) != nil)
        #expect(throws: JSONError.self) { try Self.plain(text, depth: 3) }
    }

    // MARK: Shapes

    private static func plain(_ text: String, _ shapes: inout ObjectShapes) throws -> JSON? {
        try JSON.plainDictionary(parsing: Array(text.utf8).span, shapes: &shapes) { $0 }
            .flatMap(tree)
    }

    @Test func `the result does not depend on the objects parsed before`() throws {
        let seed = TestSeed.choose()
        var generator = SeededGenerator(seed: seed)
        let keys = ["@id", "a", "b", "c", "day", "e\u{301}", "flight", "\u{E9}", "\u{FC}ber"]
        /// An object with some of the keys, and lists and objects among its values.
        func object(depth: Int) -> JSON {
            var members: [JSONObject.Member] = []
            for key in keys where UInt8.random(in: 0...9, using: &generator) < 8 {
                // Both are one key of a dictionary.
                if key == "\u{E9}", members.contains(where: { $0.key == key }) { continue }
                members.append((key, value(depth: depth)))
            }
            if UInt8.random(in: 0...30, using: &generator) == 0 { members.append(("@type", "x")) }
            return .object(JSONObject(members))
        }
        func value(depth: Int) -> JSON {
            switch UInt8.random(in: 0...5, using: &generator) {
            case 0 where depth < 4: object(depth: depth + 1)
            case 1 where depth < 4: .array((0..<3).map { _ in object(depth: depth + 1) })
            case 2: .string(String(repeating: "long ", count: 5))
            case 3: .int(.random(in: -9...9, using: &generator))
            case 4: .null
            default: "short"
            }
        }
        var shapes = ObjectShapes()
        for number in 0..<TestLength.of(300, long: 2_000) {
            let json = object(depth: 1)
            guard case .object(let members) = json, members["@type"] == nil else { continue }
            let text = try String(decoding: json.canonicalBytes(), as: UTF8.self)
            #expect(try Self.plain(text, &shapes) == json, "seed \(seed), document \(number)")
        }
    }

    @Test func `similar documents are parsed, and malformed ones are rejected`() throws {
        var shapes = ObjectShapes()
        let text = #"{"a":[{"x":1,"y":{"z":"1"}},{"x":2,"y":{"z":"2"}}],"b":"text"}"#
        for _ in 0..<3 { #expect(try Self.plain(text, &shapes) == JSON(parsing: text)) }
        // Truncated anywhere, also in white space, and with a byte that is not allowed anywhere.
        for end in 0..<text.utf8.count {
            let cut = String(decoding: Array(text.utf8)[..<end], as: UTF8.self)
            #expect(throws: JSONError.self) { try Self.plain(cut, &shapes) }
        }
        let spread = text.map { "\($0)" == ":" ? " : " : "\($0)" }.joined()
        #expect(try Self.plain(spread, &shapes) == JSON(parsing: text))
        #expect(try Self.plain(text, &shapes) == JSON(parsing: text))
    }

    @Test(arguments: [
        #"{"a":1,"b":2,"c":3}"#, #"{"a":1}"#, #"{"a":1,"c":3}"#, #"{"a":1,"b":2,"c":3,"d":4}"#,
        #"{"b":2}"#, #"{}"#, #"{"a":1,"aa":2,"b":3}"#, #"{"a":[],"b":{},"c":{"a":{}}}"#,
    ])
    func `an object with other keys than the expected ones keeps its own keys`(
        _ text: String
    ) throws {
        var shapes = ObjectShapes()
        for _ in 0..<20 {
            let expected = #"{"a":"x","b":"y","c":"z"}"#
            #expect(try Self.plain(expected, &shapes) == JSON(parsing: expected))
            #expect(try Self.plain(text, &shapes) == JSON(parsing: text))
        }
    }

    @Test(arguments: [
        #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"b":2,"b":3}"#, #"{"a":1,"b":2,"aa":3}"#,
        #"{"a":1,"c":2,"b":3}"#, #"{"a":1,"b":2,"":3}"#,
    ])
    func `unsorted keys are detected after expected ones`(_ text: String) throws {
        var shapes = ObjectShapes()
        for _ in 0..<20 {
            _ = try Self.plain(#"{"a":1,"b":2,"c":3}"#, &shapes)
            #expect(try Self.plain(text, &shapes) == nil)
        }
    }

    /// Each turns out to have a type only after everything inside it.
    @Test func `nested objects with an @type key are not parsed repeatedly`() throws {
        var text = "[\(repeatElement("0", count: 1_000).joined(separator: ","))]"
        for _ in 0..<100 { text = #"{"0":\#(text),"@type":"x"}"# }
        var itemCount = 0
        let plain = try JSON.plainDictionary(parsing: Array(#"{"a":\#(text)}"#.utf8).span) { json in
            var value = json
            while let inner = value["0"] { value = inner }
            itemCount += value.array?.count ?? 1
            return json
        }
        // 101,000 without the limit.
        #expect(plain == nil && itemCount < 15_000)
    }
}
