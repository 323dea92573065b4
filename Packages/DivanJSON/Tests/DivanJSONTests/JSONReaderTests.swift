import DivanJSON
import DivanTestKit
import Testing

@Suite struct JSONReaderTests {
    @Test func `reads a changes list and keeps the original text of sequences`() throws {
        let body =
            #"[[12,"doc","3-abc",0,28], ["1:2","d\u006fc2","1-00"] ,[{"a": 1.50},"x","2-11",1]]"#
        var reader = JSONReader(Array(body.utf8))
        var found: [String] = []
        try reader.beginArray()
        while try reader.nextElement() {
            try reader.beginArray()
            #expect(try reader.nextElement())
            let sequence = String(decoding: try reader.readRaw(), as: UTF8.self)
            #expect(try reader.nextElement())
            let document = try reader.readString()
            #expect(try reader.nextElement())
            let revision = String(decoding: try reader.readStringBytes(), as: UTF8.self)
            var flags = 0
            if try reader.nextElement() {
                flags = try reader.readInteger()
                while try reader.nextElement() { try reader.skip() }
            }
            found.append("\(sequence) \(document) \(revision) \(flags)")
        }
        try reader.finish()
        #expect(found == ["12 doc 3-abc 0", #""1:2" doc2 1-00 0"#, #"{"a": 1.50} x 2-11 1"#])
    }

    @Test func `reads an object key by key`() throws {
        var reader = JSONReader(
            Array(#" { "a" : true , "b" : [ ] , "c":{}, "d":null } "#.utf8)[...]
        )
        var keys: [String] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            keys.append(key)
            if key == "a" {
                #expect(try reader.readBool())
            } else if key == "c" {
                try reader.beginObject()
                #expect(try reader.nextKey() == nil)
            } else {
                #expect(try reader.readValue() == (key == "b" ? [] : .null))
            }
        }
        try reader.finish()
        #expect(keys == ["a", "b", "c", "d"])
    }

    @Test(arguments: ["[1 2]", "[1,]", "[,1]", "[1", "[", "[1}", "[1]x"])
    func `rejects a malformed array`(_ text: String) {
        #expect(throws: JSONError.self) {
            var reader = JSONReader(Array(text.utf8))
            try reader.beginArray()
            while try reader.nextElement() { try reader.skip() }
            try reader.finish()
        }
    }

    @Test func `reports the expected kind and keeps its position`() throws {
        var reader = JSONReader(Array("[1.5]".utf8))
        try reader.beginArray()
        #expect(try reader.nextElement())
        #expect(reason { try reader.readString() } == .wrongKind(expected: .string))
        #expect(reason { try reader.readBool() } == .wrongKind(expected: .bool))
        #expect(reason { try reader.beginObject() } == .wrongKind(expected: .object))
        #expect(reason { try reader.readInteger(as: Int.self) } == .integerOutOfRange)
        #expect(try reader.peekKind() == .number)
        #expect(try reader.readDouble() == 1.5)
        #expect(try !reader.nextElement())
    }

    @Test func `reads integers within the range of their type`() throws {
        var reader = JSONReader(Array("[256,-1,18446744073709551615]".utf8))
        try reader.beginArray()
        #expect(try reader.nextElement())
        #expect(reason { try reader.readInteger(as: UInt8.self) } == .integerOutOfRange)
        #expect(try reader.readInteger(as: UInt16.self) == 256)
        #expect(try reader.nextElement())
        #expect(try reader.readInteger(as: Int.self) == -1)
        #expect(try reader.nextElement())
        #expect(try reader.readInteger(as: UInt64.self) == .max)
    }

    @Test func `validates values that it skips`() {
        var reader = JSONReader(Array(#"{"a":1,"b":02}"#.utf8))
        #expect(reason { try reader.skip() } != nil)
        var empty = JSONReader([])
        #expect(reason { try empty.peekKind() } == .unexpectedEnd)
    }

    @Test func `reads a slice of a larger message`() throws {
        let message = Array(#"noise[1,{"b":2}]noise"#.utf8)
        var reader = JSONReader(message[5..<16])
        try reader.beginArray()
        #expect(try reader.nextElement())
        try reader.skip()
        #expect(try reader.nextElement())
        let raw = try reader.readRaw()
        #expect(raw.startIndex == 8)
        #expect(Array(raw) == Array(#"{"b":2}"#.utf8))
        #expect(try !reader.nextElement())
        try reader.finish()
    }

    private func reason<Value>(_ body: () throws -> Value) -> JSONError.Reason? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? JSONError)?.reason
        }
    }
}

@Suite struct JSONWriterTests {
    @Test func `writes commas automatically`() throws {
        var writer = JSONWriter(reservingByteCount: 64)
        writer.beginArray()
        writer.beginArray()
        writer.integer(12)
        writer.string("d\"oc")
        writer.raw(Array("\"1:2\"".utf8).span)
        writer.endArray()
        writer.beginObject()
        writer.key("a")
        writer.bool(true)
        writer.key("b")
        writer.null()
        writer.key("c")
        try writer.double(1)
        writer.key("d")
        try writer.value(["x": [1, 2]])
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.endArray()
        let expected = #"[[12,"d\"oc","1:2"],{"a":true,"b":null,"c":1.0,"d":{"x":[1,2]}},[]]"#
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text == expected)
    }

    @Test(arguments: [0, 7, -7, 10, .max, .min] as [Int64])
    func `writes integers`(_ value: Int64) {
        var writer = JSONWriter()
        writer.integer(value)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text == "\(value)")
    }

    /// The example of the README.
    @Test func `validates a body, reads it and writes it`() throws {
        let body = Array(#"{"name":"Divan","stars":5}"#.utf8)
        let summary = try JSONScanner.validate(body.span)
        guard summary.kind == .object else { return }

        var document = try JSON(parsing: body).object ?? [:]
        document["stars"] = 6
        let canonical = try JSON.object(document).canonicalBytes()

        #expect(canonical == Array(#"{"name":"Divan","stars":6}"#.utf8))
    }
}
