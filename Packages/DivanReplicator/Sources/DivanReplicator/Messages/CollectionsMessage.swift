import DivanJSON

/// The bodies of `getCollections` and its answer, and of the list that Divan peers provide.
///
/// Source: `replication.md` §1.
enum CollectionsMessage {
    /// Asks for the list of collections; a Divan extension, which other peers answer with BLIP/404.
    static let listProfile = "divan.listCollections"

    /// Writes the list: an array of names.
    static func writeList(_ names: [String]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for name in names { writer.string(name) }
        writer.endArray()
        return writer.bytes
    }

    /// Writes the request: names and checkpoint IDs in parallel.
    static func write(names: [String], checkpointIDs: [CheckpointID]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("checkpoint_ids")
        writer.beginArray()
        for id in checkpointIDs { writer.string(id.description) }
        writer.endArray()
        writer.key("collections")
        writer.beginArray()
        for name in names { writer.string(name) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads a request.
    ///
    /// - Throws: HTTP/400 that names the error.
    static func parse(
        _ body: [UInt8],
        limits: ReplicatorLimits
    ) throws(SyncError) -> [(name: String, checkpointID: String)] {
        guard case .object(let root)? = try? JSON(parsing: body.span),
            case .array(let names)? = root["collections"],
            case .array(let ids)? = root["checkpoint_ids"]
        else { throw .http(.badRequest, "getCollections needs collections and checkpoint_ids") }
        guard names.count == ids.count, !names.isEmpty else {
            throw .http(
                .badRequest,
                "collections and checkpoint_ids must have the same length and not be empty"
            )
        }
        guard names.count <= limits.collectionsCount else {
            throw .http(.badRequest, "more than \(limits.collectionsCount) collections")
        }
        var pairs: [(name: String, checkpointID: String)] = []
        var seen: Set<ExactText> = []
        for case (.string(let name), .string(let id)) in zip(names, ids) {
            guard !name.isEmpty, seen.insert(ExactText(name)).inserted else {
                throw .http(.badRequest, "empty or repeated collection name")
            }
            pairs.append((name, id))
        }
        guard pairs.count == names.count else {
            throw .http(.badRequest, "collections and checkpoint_ids must contain strings")
        }
        return pairs
    }

    /// Writes the answer: `null` for a collection that does not exist here, `{}` without a checkpoint, otherwise the
    /// checkpoint and its revision.
    static func writeAnswer(_ answers: [Answer]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for answer in answers {
            switch answer {
            case .unknownCollection: writer.null()
            case .noCheckpoint: write(JSONObject(), to: &writer)
            case .checkpoint(let body, let revision):
                var object = (try? JSON(parsing: body.span))?.object ?? JSONObject()
                object["rev"] = .string(revision)
                write(object, to: &writer)
            }
        }
        writer.endArray()
        return writer.bytes
    }

    private static func write(_ object: JSONObject, to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in object {
            guard let text = try? value.canonicalBytes() else { continue }
            writer.key(key)
            writer.raw(text.span)
        }
        writer.endObject()
    }

    /// Reads an answer with `count` items; the revision is in `rev` or `_rev`.
    static func parseAnswer(_ body: [UInt8], count: Int) throws(SyncError) -> [Answer] {
        guard case .array(let items)? = try? JSON(parsing: body.span), items.count == count else {
            throw .remote("the reply to getCollections is not a list of \(count) items")
        }
        return items.map { item in
            guard case .object(let object) = item else { return .unknownCollection }
            guard !object.isEmpty, let body = try? item.canonicalBytes() else {
                return .noCheckpoint
            }
            let revision = (object["rev"] ?? object["_rev"])?.string ?? ""
            return .checkpoint(body: body, revision: revision)
        }
    }

    enum Answer {
        case unknownCollection
        case noCheckpoint
        case checkpoint(body: [UInt8], revision: String)
    }
}
