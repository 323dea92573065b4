import CouchbaseLiteSwift
import DivanTestKit
import Foundation
import Testing

/// Values to be encrypted in transit, when they are not in transit.
@Suite struct EncryptableTests {
    @Test func `an encryptable value can be set and read, and is not printed`() throws {
        let document = MutableDocument(id: "a")
        document.setValue(Encryptable(3.5), forKey: "number")
        document.setData(["text": Encryptable("x"), "null": Encryptable(nil), "plain": 1])
        #expect(document.encryptable(forKey: "text")?.string == "x")
        #expect(document.encryptable(forKey: "null")?.value is NSNull)
        #expect(document.encryptable(forKey: "plain") == nil)
        #expect(document.encryptable(forKey: "absent") == nil)
        let properties = Encryptable("x").properties
        #expect(properties["@type"] as? String == "encryptable")
        #expect(properties["value"] as? String == "x")
        #expect(Encryptable(7).number == 7 && Encryptable(7) != Encryptable("7"))
        var dumped = ""
        dump(Encryptable("aubergine"), to: &dumped)
        #expect(!"\(Encryptable("aubergine")) \(dumped)".contains("aubergine"))
    }

    @Test func `a new blob inside an encryptable value is a fatal error`() async {
        await #expect(processExitsWith: .failure) {
            let blob = Blob(contentType: "text/plain", data: Data("one".utf8))
            _ = Encryptable(["name": "Ada", "scans": [blob]] as [String: Any])
        }
    }

    /// With or without a digest: such content is not in any store yet.
    @Test(arguments: [
        #"{"@type":"blob","data":"aGVsbG8="}"#, #"{"@type":"blob","data":"no Base64"}"#,
        #"{"@type":"blob","data":"aGVsbG8=","digest":"sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00="}"#,
    ])
    func `an inline blob from a peer is accepted inside an encryptable value`(
        json: String
    ) throws {
        let document = try MutableDocument(id: "a", json: #"{"a":{"list":[\#(json)]}}"#)
        let given = try #require(document.dictionary(forKey: "a")?.toDictionary())
        let blob = try #require((given["list"] as? [Any])?.first as? Blob)
        let value = try #require(Encryptable(given).value as? [String: Any])
        let kept = try #require((value["list"] as? [Any])?.first as? Blob)
        #expect(kept.content == blob.content)
        #expect((kept.content == nil) == json.contains("no Base64"))
        #expect(kept.properties["data"] as? String == blob.properties["data"] as? String)
    }

    /// A model with a value that replicators encrypt.
    private final class Person: DocumentCodable {
        @DocumentID var id: String?
        var name = ""
        var ssn: Encryptable?

        init() {}
    }

    @Test func `models can have encryptable values, but other encoders reject them`() throws {
        let database = try TemporaryDatabase()
        let collection = try database.collection
        let person = Person()
        person.id = "ada"
        person.name = "Ada"
        person.ssn = Encryptable("one")
        try collection.save(from: person)
        let stored = try #require(try collection.document(id: "ada"))
        #expect(stored.encryptable(forKey: "ssn") == Encryptable("one"))
        let read = try #require(try collection.document(id: "ada", as: Person.self))
        #expect(read.ssn == Encryptable("one"))
        expect(CBLError.encodingError) { _ = try JSONEncoder().encode(["a": Encryptable(1)]) }
        expect(CBLError.decodingError) {
            _ = try JSONDecoder().decode(Encryptable.self, from: Data("{}".utf8))
        }
    }

    @Test func `a revision ID does not reveal an encryptable value`() throws {
        var ids: Set<String> = []
        for name in ["a", "b"] {
            let database = try TemporaryDatabase(name)
            let secret = MutableDocument(id: "ada").setEncryptable(
                Encryptable("one"),
                forKey: "ssn"
            )
            try database.collection.save(document: secret)
            try database.collection.put("plain", 1)
            let id = try #require(try database.collection.document(id: "ada")?.revisionID)
            #expect(id.hasPrefix("1-") && id.count == 42)
            ids.insert(id)
            ids.insert(try #require(try database.collection.document(id: "plain")?.revisionID))
        }
        #expect(ids.count == 3)
    }
}
