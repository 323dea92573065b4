import DivanBLIP
import Testing

/// Properties as an ordered list of pairs, and as peers read them.
@Suite struct BLIPPropertiesTests {
    @Test
    func `forEachPair visits every pair in order, including repeated and empty ones`() {
        let properties: BLIPProperties = ["Profile": "rev", "id": "a", "rev": "", "id": "b"]
        var pairs: [String] = []
        func text(_ bytes: Span<UInt8>) -> String {
            bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
        properties.forEachPair { name, value in
            pairs.append(text(name) + "=" + text(value))
        }
        #expect(pairs == ["Profile=rev", "id=a", "rev=", "id=b"])
        #expect(properties["id"] == "a")
        #expect(properties["Id"] == nil)
        #expect(properties["i"] == nil)
    }

    @Test
    func `properties keep their order, and the first value of a name is returned`() {
        let properties: BLIPProperties = ["b": "1", "a": "2", "b": "3", "": ""]
        #expect(properties.map(\.name) == ["b", "a", "b", ""])
        #expect(properties.map(\.value) == ["1", "2", "3", ""])
        #expect(properties["b"] == "1")
        #expect(properties[""] == "")
        #expect(properties["B"] == nil)
        #expect(properties.utf8("a").map(Array.init) == [0x32])
        #expect(properties.byteCount == 14)
        #expect("\(properties)" == "[b, a, b, ]")
    }

    @Test
    func `a property can be set, replaced and removed`() {
        var properties = BLIPProperties()
        #expect(properties.isEmpty)
        properties["id"] = "doc"
        properties["rev"] = "1-a"
        properties["id"] = "a longer document ID"
        #expect(properties == ["id": "a longer document ID", "rev": "1-a"])
        properties["id"] = nil
        properties["none"] = nil
        #expect(properties == ["rev": "1-a"])
        properties.append(contentsOf: ["x": "y"])
        #expect(properties == ["rev": "1-a", "x": "y"])
    }

    @Test
    func `NUL characters are removed`() {
        var properties: BLIPProperties = ["a\0b": "c\0d"]
        #expect(properties["ab"] == "cd")
        properties["ab"] = "\0e\0"
        #expect(properties == ["ab": "e"])
    }

    @Test(arguments: [
        ("true", true), ("TRUE", true), ("YES", true), ("1", true), ("-7", true), ("false", false),
        ("no", false), ("0", false), ("", false), ("maybe", false), ("1x", false),
    ])
    func `Booleans are parsed like in Couchbase Lite`(value: String, isTrue: Bool) {
        let properties: BLIPProperties = ["flag": value]
        #expect(properties.bool("flag") == isTrue)
        #expect(!properties.bool("other"))
    }

    @Test
    func `UTF-8 and integer values are encoded like strings`() {
        var properties = BLIPProperties()
        properties.append(named: "id", utf8: "d\u{0}é".utf8.span)
        properties.append(named: "none", utf8: "".utf8.span)
        for number in [0, 9, 10, 99, 1_234_567_890, UInt64.max] {
            properties.append(named: "sequence", number)
        }
        properties.append(named: "Profile", "rev")
        var expected: BLIPProperties = ["id": "dé", "none": ""]
        for number in [0, 9, 10, 99, 1_234_567_890, UInt64.max] {
            expected.append("sequence", String(number))
        }
        expected.append("Profile", "rev")
        #expect(properties == expected)
    }

    @Test
    func `integers are parsed as decimal`() {
        var properties: BLIPProperties = ["a": "200", "b": "-1", "c": "0x10", "d": "9e3", "e": ""]
        for number in [0, 999_999_999_999_999_999, 1_000_000_000_000_000_000, Int.max] {
            properties["g"] = String(number)
            #expect(properties.integer("g") == number)
        }
        properties["g"] = "9223372036854775808"
        #expect(properties.integer("g") == nil)
        #expect(properties.integer("a") == 200)
        #expect(properties.integer("b") == -1)
        for name in ["c", "d", "e", "f"] { #expect(properties.integer(name) == nil) }
    }
}
