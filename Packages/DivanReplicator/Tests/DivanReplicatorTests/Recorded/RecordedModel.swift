import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore

/// What a client must contain after the messages of a recorded server.
struct RecordedModel {
    /// A revision that our peer requested.
    struct Asked: Hashable {
        var collection: String
        var documentID: String
        var revision: String
        var sequence: String
    }

    /// The last announced sequence of each collection.
    private(set) var announced: [String: String] = [:]
    /// Revision IDs and bodies by collection and document.
    private(set) var contents: [String: [String: String]] = [:]
    private var known: Set<String> = []

    /// Reads a list; returns for each entry whether a client without it must request it.
    mutating func announce(
        _ entries: [JSON],
        in collection: String
    ) -> [(asked: Asked, isNews: Bool)] {
        entries.map { entry in
            let items = entry.array ?? []
            let sequence = (try? items[0].canonicalBytes()) ?? []
            let asked = Asked(
                collection: collection,
                documentID: items[1].string ?? "",
                revision: items[2].string ?? "",
                sequence: String(decoding: sequence, as: UTF8.self)
            )
            announced[collection] = asked.sequence
            let flags = items.count > 3 ? items[3].int ?? (items[3].bool == true ? 1 : 0) : 0
            guard flags <= 1 || flags == 5 else {
                forget(asked.documentID, collection)
                return (asked, false)
            }
            let isSound = RevisionID(asked.revision) != nil
            return (asked, isSound && !known.contains(key(asked)))
        }
    }

    private func key(_ asked: Asked) -> String {
        "\(asked.collection)/\(asked.documentID)/\(asked.revision)"
    }

    private mutating func forget(_ documentID: String, _ collection: String) {
        contents[collection]?[documentID] = nil
        known = known.filter { !$0.hasPrefix("\(collection)/\(documentID)/") }
    }

    /// Reads a revision.
    mutating func receive(_ message: Transcript.Message, _ collection: String) {
        let (id, rev) = (message["id"] ?? "", message["rev"] ?? "")
        if message.json?["_removed"]?.bool == true {
            forget(id, collection)
            return
        }
        for revision in [rev] + (message["history"] ?? "").split(separator: ",").map({ String($0) })
        {
            known.insert("\(collection)/\(id)/\(revision)")
        }
        let isDeleted = message["deleted"] != nil
        contents[collection, default: [:]][id] =
            "\(rev) " + (isDeleted ? "deleted" : Self.text(message.json))
    }

    /// A body as every reader interprets it: canonical, without what only the wire needs.
    static func text(_ body: JSON?) -> String {
        var document = body?.object ?? JSONObject()
        document.removeAll { $0.key.hasPrefix("_") }
        let bytes = try? JSON.object(document).canonicalBytes()
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    /// The contents of a database, in the same form.
    static func held(by site: Site, _ path: CollectionPath) throws -> [String: String] {
        let contents = try site.contents(of: path).map { ($0.key.text, $0.value) }
        return try Dictionary(uniqueKeysWithValues: contents).mapValues { content in
            let parts = content.split(separator: " ", maxSplits: 1).map { String($0) }
            guard parts.count == 2, parts[1] != "deleted" else { return content }
            return "\(parts[0]) \(text(try JSON(parsing: parts[1])))"
        }
    }
}
