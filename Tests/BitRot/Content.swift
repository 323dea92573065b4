import CouchbaseLiteSwift
import DivanDatabase
import Foundation

/// The contents of the experiment's documents.
enum Content {
    static func id(_ number: Int) -> String { "document-\(number)" }

    /// Every tenth document has a blob.
    static func blob(of number: Int) -> (digest: BlobDigest, content: [UInt8])? {
        guard number.isMultiple(of: 10) else { return nil }
        let content =
            (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number &* 13) }
            + Array("\(number)".utf8)
        return (BlobDigest(hashing: content.span), content)
    }

    /// Creates the database: documents of several sizes, some edited, deleted or expiring.
    static func fill(_ database: Database, count: Int) throws {
        let collection = try database.defaultCollection()
        try database.inBatch {
            for number in 0..<count {
                let document = MutableDocument(id: id(number))
                document.setInt(number, forKey: "number")
                document.setString(
                    String(repeating: "text \(number) ", count: 1 + number % 40),
                    forKey: "text"
                )
                if let blob = blob(of: number) {
                    let value = Blob(contentType: "a/b", data: Data(blob.content))
                    document.setBlob(value, forKey: "blob")
                }
                try collection.save(document: document)
                if number % 7 == 0 {
                    try collection.save(document: document.setInt(1, forKey: "edit"))
                }
                if number % 11 == 5 { try collection.delete(document: document) }
            }
        }
        for number in stride(from: 3, to: count, by: 50) {
            let date = Date(timeIntervalSince1970: 9_000_000_000)
            try collection.setDocumentExpiration(id: id(number), expiration: date)
        }
    }
}
