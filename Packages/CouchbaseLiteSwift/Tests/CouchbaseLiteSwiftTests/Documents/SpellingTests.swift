import CouchbaseLiteSwift
import Foundation
import Testing

/// Document IDs and keys that `String` considers equal but whose bytes differ.
@Suite(.timeLimit(.minutes(5))) struct SpellingTests {
    private static let spellings = ["A\u{30A}", "\u{C5}", "\u{212B}"]

    private static func bytes(_ texts: some Sequence<String>) -> [[UInt8]] {
        texts.map { Array($0.utf8) }
    }

    @Test func `IDs that differ only in Unicode normalization are different documents`() throws {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        var documents: [Document] = []
        for (number, id) in Self.spellings.enumerated() {
            let document = MutableDocument(id: id, data: ["n": number])
            try collection.save(document: document)
            documents.append(document)
        }
        #expect(collection.count == 3)
        #expect(Set(documents).count == 3)
        for (number, id) in Self.spellings.enumerated() {
            let document = try #require(try collection.document(id: id))
            #expect(document.int(forKey: "n") == number)
            #expect(Array(document.id.utf8) == Array(id.utf8))
        }
        try collection.purge(id: Self.spellings[2])
        #expect(try collection.document(id: Self.spellings[1]) != nil)
    }

    @Test func `a document listener gets only changes of the exact spelling of its ID`()
        async throws
    {
        let home = try TemporaryDatabase()
        let collection = try home.collection
        let changes = collection.documentChanges(id: Self.spellings[1])
        for id in Self.spellings { try collection.save(document: MutableDocument(id: id)) }
        try home.database.close()
        var heard: [String] = []
        for await change in changes { heard.append(change.documentID) }
        #expect(Self.bytes(heard) == Self.bytes([Self.spellings[1]]))
    }

    @Test func `keys that differ only in Unicode normalization are different keys`() throws {
        let home = try TemporaryDatabase()
        let json =
            "{"
            + Self.spellings.enumerated().map { "\"\($1)\":\($0)" }
            .joined(separator: ",") + "}"
        let document = try MutableDocument(id: "doc", json: json)
        try home.collection.save(document: document)
        document.setInt(7, forKey: Self.spellings[1])
        try home.collection.save(document: document)
        let read = try #require(try home.collection.document(id: "doc"))
        #expect(read.count == 3)
        #expect(Self.spellings.map { read.int(forKey: $0) } == [0, 7, 2])
        let text = json.replacingOccurrences(of: ":1", with: ":7")
        #expect(Array(read.toJSON().utf8) == Array(text.utf8))
    }

    @Test func `an invalid document ID is rejected with its error code`() throws {
        let home = try TemporaryDatabase()
        for id in ["", "_id", "a\nb", String(repeating: "x", count: 241)] {
            expect(CBLError.badDocID) {
                try home.collection.save(document: MutableDocument(id: id))
            }
            #expect(try home.collection.document(id: id) == nil)
        }
    }
}
