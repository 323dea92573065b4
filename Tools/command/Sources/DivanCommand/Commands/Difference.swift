import DivanCommandLine
import DivanJSON
import DivanRevisions

/// A difference between two databases.
struct Difference {
    /// How a document differs.
    enum Kind {
        /// The name of the database that has it.
        case only(in: String)
        /// The names of the two.
        case revisions([String])
        case bodies
        /// A digest, and the names of the databases that lack it.
        case missingBlob(String, in: [String])
        /// A digest.
        case blobContent(String)
    }

    /// The name of the collection.
    let collection: String
    let documentID: DocumentID
    let kind: Kind

    /// One line for people.
    var line: String {
        let what =
            switch kind {
            case .only(let name): "only in \(name)"
            case .revisions(let names): "revisions differ: \(names.joined(separator: " and "))"
            case .bodies: "bodies differ"
            case .missingBlob(let digest, let names):
                "blob \(digest) is missing in \(names.joined(separator: " and "))"
            case .blobContent(let digest): "the content of blob \(digest) differs"
            }
        return "\(collection)/\(documentID): \(what)".escapingControlCharacters()
    }

    /// The same for machines.
    var json: JSON {
        var members: JSONObject = [
            "collection": .string(collection), "id": .string(documentID.text),
        ]
        switch kind {
        case .only(let name):
            members["difference"] = "document"
            members["onlyIn"] = .string(name)
        case .revisions(let names):
            members["difference"] = "revision"
            members["revisions"] = .array(names.map { .string($0) })
        case .bodies: members["difference"] = "body"
        case .missingBlob(let digest, let names):
            members["difference"] = "blob"
            members["blob"] = .string(digest)
            members["missingIn"] = .array(names.map { .string($0) })
        case .blobContent(let digest):
            members["difference"] = "blob"
            members["blob"] = .string(digest)
        }
        return .object(members)
    }
}
