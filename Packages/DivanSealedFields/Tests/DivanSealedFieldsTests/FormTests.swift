import DivanJSON
import DivanSealedFields
import DivanTestKit
import Testing

/// What a document looks like when it is sent, and when it comes back.
struct FormTests {
    private static let fields = DocumentFields(
        scope: "_default",
        collection: "people",
        documentID: "ada"
    )
    /// Returns the JSON reversed: enough to see what a cipher received.
    private static let reversing: FieldSealing = { value, _ in SealedField(value.reversed()) }
    private static let restoring: FieldOpening = { field, _ in field.ciphertext.reversed() }

    private static func occurs(in body: [UInt8]) -> Bool {
        EncryptableForm.occurs(in: body.span)
    }

    private static func sealed(
        _ body: String,
        by sealing: FieldSealing? = reversing
    ) throws -> String {
        String(decoding: try fields.sealed(Array(body.utf8), by: sealing), as: UTF8.self)
    }

    private static func opened(
        _ body: String,
        by opening: @escaping FieldOpening = restoring
    ) throws -> String {
        String(decoding: try fields.opened(Array(body.utf8), by: opening), as: UTF8.self)
    }

    @Test func `the documented example is encrypted as documented`() throws {
        let local = #"{"SSN":{"@type":"encryptable","value":"1"}}"#
        // The JSON of the value is "1" with its quotes; reversed and in Base64 it is this.
        let wire = #"{"encrypted$SSN":{"alg":"CB_MOBILE_CUSTOM","ciphertext":"IjEi"}}"#
        #expect(try Self.sealed(local) == wire)
        #expect(try Self.opened(wire) == local)
    }

    @Test func `the key ID and the algorithm are sent with the value`() throws {
        let local = #"{"a":{"@type":"encryptable","value":[1,null]}}"#
        let wire = #"{"encrypted$a":{"alg":"X","ciphertext":"AP+A","kid":"k1"}}"#
        let sent = try Self.sealed(local) { value, _ in
            #expect(String(decoding: value, as: UTF8.self) == "[1,null]")
            return SealedField([0, 0xFF, 0x80], algorithm: "X", keyID: "k1")
        }
        #expect(sent == wire)
        let received = try Self.opened(wire) { field, _ in
            #expect(field == SealedField([0, 0xFF, 0x80], algorithm: "X", keyID: "k1"))
            return Array("[1,null]".utf8)
        }
        #expect(received == local)
    }

    @Test(arguments: [
        #"{"a":{"b":{"@type":"encryptable","value":{"c":[true]}}}}"#,
        #"{"a":[{"b":{"@type":"encryptable","value":1}},[{"c":{"@type":"encryptable","value":1}}]]}"#,
        #"{"a":{"@type":"encryptable","value":"same"},"b":{"@type":"encryptable","value":"same"}}"#,
        #"{"a":{"@type":"encryptable","value":{"@type":"encryptable","value":1}}}"#,
        #"{"a":{"@type":"encryptable","value":""},"é":{"@type":"encryptable","value":"\"\\"}}"#,
        #"{"a":{"@type":"encryptable","value":1.0},"b":{"@type":"encryptable","value":1}}"#,
        #"{"a":{"":{"@type":"encryptable","value":1}}}"#,
    ]) func `an encrypted document decrypts unchanged and shows no plain values`(
        local: String
    ) throws {
        let wire = try Self.sealed(local)
        #expect(!wire.contains("encryptable"))
        #expect(try Self.opened(wire) == local)
    }

    @Test(arguments: [
        #"{}"#, #"{"name":"Ada"}"#, #"{"@type":"blob","digest":"sha1-x"}"#,
        #"{"a":{"@type":"encryptable"}}"#, #"{"a":{"@type":"other","value":"encryptable"}}"#,
        #"{ "kept" : "as it is", "encryptable": "@type" }"#,
    ]) func `bodies without encryptable values are sent unchanged, with or without a cipher`(
        body: String
    ) throws {
        #expect(try Self.sealed(body) == body)
        #expect(try Self.sealed(body, by: nil) == body)
        #expect(!Self.occurs(in: Array(body.utf8)))
    }

    @Test(arguments: [
        #"{"encrypted$a":1}"#, #"{"encrypted$a":{"alg":"x"}}"#, #"{"encrypted$":{"alg":"x"}}"#,
        #"{"encrypted$a":{"alg":"x","ciphertext":"not Base64"}}"#,
        #"{"encrypted$a":{"alg":"x","ciphertext":"AAAA","kid":7}}"#,
        #"{"encrypted$a":{"alg":7,"ciphertext":"AAAA"}}"#,
        #"{"a":1,"encrypted$a":{"alg":"x","ciphertext":"AAAA"}}"#,
        #"{"name":"encrypted$a"}"#, #"not JSON, encrypted$"#,
    ]) func `an invalid encrypted property is left unchanged`(body: String) throws {
        #expect(try Self.opened(body) == body)
    }

    @Test func `a property is left unchanged if the decryptor returns nothing`() throws {
        let wire = #"{ "encrypted$a":{"alg":"x","ciphertext":"AAAA"} }"#
        #expect(try Self.opened(wire) { _, _ in nil } == wire)
        #expect(try Self.opened(wire) { _, _ in [] } == wire)
    }

    @Test func `a cipher receives the path of the property`() throws {
        let local = #"{"a.b":{"c":[0,{"d[\\":{"@type":"encryptable","value":1}}]},"n":"Ada"}"#
        let wire = try Self.sealed(local) { value, question in
            #expect(question.scope == "_default" && question.collection == "people")
            #expect(question.documentID == "ada" && question.properties["n"] == "Ada")
            #expect(question.keyPath == #"a\.b.c[1].d\[\\"#)
            return SealedField(value)
        }
        _ = try Self.opened(wire) { field, question in
            #expect(question.keyPath == #"a\.b.c[1].d\[\\"#)
            return field.ciphertext
        }
    }

    @Test func `an encryptable value is never sent without a cipher`() {
        let local = #"{"a":{"b":{"@type":"encryptable","value":1}}}"#
        #expect(throws: FieldFailure.noSealing(keyPath: "a.b")) { try Self.sealed(local, by: nil) }
        let hidden = #"{"a":{"\u0040typ\u0065":"\u0065ncryptable","value":1}}"#
        #expect(throws: FieldFailure.noSealing(keyPath: "a")) { try Self.sealed(hidden, by: nil) }
    }

    @Test(arguments: [
        (#"{"a":[{"@type":"encryptable","value":1}]}"#, FieldFailure.misplaced(keyPath: "a[0]")),
        (#"{"@type":"encryptable","value":1}"#, .misplaced(keyPath: "")),
        (
            #"{"a":{"@type":"encryptable","value":1},"encrypted$a":2}"#,
            .occupied(keyPath: "a")
        ),
        (
            #"{"a":{"@type":"encryptable","value":[{"@type":"blob"}]}}"#,
            .holdsBlob(keyPath: "a")
        ),
        (#"{"a":{"@type":"encryptable","value":1}"#, .unreadable),
    ]) func `a value that cannot be encrypted is rejected`(body: String, failure: FieldFailure) {
        #expect(throws: failure) { try Self.sealed(body) }
    }

    @Test func `a refusal, an error and an unavailable service are distinguished`() {
        struct NoKey: Error {}
        let local = #"{"a":{"@type":"encryptable","value":1}}"#
        let nothing = FieldFailure.failed(keyPath: "a", reason: "the encryptor returned no data")
        #expect(throws: nothing) { try Self.sealed(local) { _, _ in nil } }
        #expect(throws: nothing) { try Self.sealed(local) { _, _ in SealedField([]) } }
        #expect(throws: FieldFailure.failed(keyPath: "a", reason: "NoKey()")) {
            try Self.sealed(local) { _, _ in throw NoKey() }
        }
        let absent = FieldFailure.unavailable(keyPath: "a", reason: "down")
        #expect(throws: absent) { try Self.sealed(local) { _, _ in throw absent } }
        #expect(absent.isTransient && !nothing.isTransient)
    }

    @Test func `a decrypted value must be JSON and not nested too deeply`() throws {
        let wire = #"{"encrypted$a":{"alg":"x","ciphertext":"AAAA"}}"#
        #expect(throws: FieldFailure.notJSON(keyPath: "a")) {
            try Self.opened(wire) { _, _ in Array("{".utf8) }
        }
        // The document, the value's own dictionary and 126 arrays are the maximal depth of bodies.
        let deepest = String(repeating: "[", count: 126) + String(repeating: "]", count: 126)
        let opened = try Self.opened(wire) { _, _ in Array(deepest.utf8) }
        #expect((try? JSON(parsing: opened)) != nil)
        #expect(throws: FieldFailure.notJSON(keyPath: "a")) {
            try Self.opened(wire) { _, _ in Array("[\(deepest)]".utf8) }
        }
    }

    @Test func `the number of encrypted properties is limited in both directions`() throws {
        func local(_ count: Int) -> String {
            let members = (0..<count).map { #""\#($0)":{"@type":"encryptable","value":1}"# }
            return "{\(members.joined(separator: ","))}"
        }
        let wire = try Self.sealed(local(FieldLimits.fieldsCount))
        let many = local(FieldLimits.fieldsCount + 1)
        #expect(throws: FieldFailure.tooMany) { try Self.sealed(many) }
        let more = wire.dropLast() + #","encrypted$x":{"alg":"x","ciphertext":"AAAA"}}"#
        #expect(throws: FieldFailure.tooMany) { try Self.opened(String(more)) { _, _ in nil } }
    }

    @Test func `random documents round-trip`() throws {
        let seed = TestSeed.choose()
        var random = SeededGenerator(seed: seed)
        for round in 0..<500 {
            var document: JSONObject = [:]
            for key in 0..<Int.random(in: 0...6, using: &random) {
                document["k\(key)"] = Self.value(depth: 4, &random)
            }
            let body = try JSON.object(document).canonicalBytes()
            let wire = try Self.fields.sealed(body, by: Self.reversing)
            #expect(!Self.occurs(in: wire), "seed \(seed), round \(round)")
            let back = try Self.fields.opened(wire, by: Self.restoring)
            #expect(back == body, "seed \(seed), round \(round)")
        }
    }

    private static func value(depth: Int, _ random: inout SeededGenerator) -> JSON {
        switch Int.random(in: 0...(depth == 0 ? 2 : 5), using: &random) {
        case 0: return .null
        case 1: return .int(Int64.random(in: -9...9, using: &random))
        case 2: return "text"
        case 3:
            return .object(EncryptableForm.object(holding: value(depth: depth - 1, &random)))
        case 4:
            return .object([
                "a": value(depth: depth - 1, &random), "b": value(depth: depth - 1, &random),
            ])
        // An encryptable value must be under a key, so an array has dictionaries around its elements.
        default: return .array([.object(["e": value(depth: depth - 1, &random)])])
        }
    }

    /// If each value had its own copy of the path, these would be 400 GB.
    @Test(.timeLimit(.minutes(5)))
    func `a long name above many values is not copied for each value`() throws {
        let name = String(repeating: "n", count: 1 << 20)
        let many = repeatElement("0", count: 400_000).joined(separator: ",")
        let inner = #"{"a":[\#(many)],"s":{"@type":"encryptable","value":1}}"#
        #expect(throws: FieldFailure.longPath(limit: FieldLimits.pathByteCount)) {
            try Self.sealed(#"{"\#(name)":\#(inner)}"#)
        }
        let outer = #"{"\#(name)":{"a":[\#(many)]},"s":{"@type":"encryptable","value":1}}"#
        let sent = try Self.sealed(outer)
        #expect(sent.utf8.count > outer.utf8.count)
        #expect(try Self.opened(sent) == outer)
    }

    @Test func `a property that no peer would recognize as encrypted is not sent`() {
        let local = #"{"a":{"@type":"encryptable","value":1}}"#
        let long = String(repeating: "k", count: 257)
        for field in [SealedField([1], keyID: long), SealedField([1], algorithm: long)] {
            #expect(throws: FieldFailure.self) { try Self.sealed(local) { _, _ in field } }
        }
    }
}
