import DivanDatabase
import DivanJSON
import Foundation

/// A body ready to be stored.
struct ComposedBody {
    /// The canonical bytes.
    let body: [UInt8]
    /// Whether it names a blob.
    let hasBlobs: Bool
    /// Protect the blobs from garbage collection until the body is stored.
    let holds: [BlobHold]
}

/// Converts a document's tree to the JSON of its body, and stores its new blobs in the process.
struct BodyComposer {
    /// The database for new blobs, whose documents may refer to blobs that are already stored.
    let database: Database
    private var hasBlobs = false
    private var holds: [BlobHold] = []

    init(for database: Database) {
        self.database = database
    }

    /// Returns the body.
    ///
    /// The store checks the keys, as it does for documents from elsewhere.
    ///
    /// - Throws: `CBLError.invalidParameter` for a blob of another database, a number that is not finite, a date outside the
    ///   years 0 to 9999, or containers nested too deeply.
    mutating func compose(_ members: Members) throws -> ComposedBody {
        if let plain = members.plainObject, let body = Self.bodyWithoutBlobs(plain) {
            return ComposedBody(body: body, hasBlobs: false, holds: [])
        }
        let object = try object(members, depth: 1)
        try holdAttachments(of: object)
        let bytes = try translatingErrors { try JSON.object(object).canonicalBytes() }
        return ComposedBody(body: bytes, hasBlobs: hasBlobs, holds: holds)
    }

    /// The body of an unedited document without blobs, which the writer detects as it goes; `nil` also for values that
    /// cannot be written, since the full walk reports why.
    private static func bodyWithoutBlobs(_ plain: JSONObject) -> [UInt8]? {
        guard !plain.contains(BlobReferences.attachmentsKey) else { return nil }
        var writer = JSONWriter(reservingByteCount: 1_024)
        guard (try? writer.value(.object(plain))) != nil, !writer.hasTypeKey else { return nil }
        return writer.bytes
    }

    private mutating func object(_ members: Members, depth: Int) throws -> JSONObject {
        try requireDepth(depth)
        if let plain = members.plainObject {
            try inspect(.object(plain), in: members.origin, depth: depth)
            return plain
        }
        var composed: [JSONObject.Member] = []
        composed.reserveCapacity(members.count)
        for key in members.keys {
            guard let value = members[key] else { continue }
            composed.append((key, try json(value, in: members.origin, depth: depth + 1)))
        }
        let made = JSONObject(composed)
        // A dictionary built key by key is a blob too: it is read back as one.
        if made.isBlob, made[Blob.blobDigestProperty] != nil {
            hasBlobs = true
            try hold(made)
        }
        return made
    }

    private mutating func json(_ value: Value, in origin: Database?, depth: Int) throws -> JSON {
        switch value {
        case .json(let json):
            try inspect(json, in: origin, depth: depth)
            return json
        case .dictionary(let dictionary):
            return .object(try object(dictionary.members, depth: depth))
        case .array(let array):
            try requireDepth(depth)
            let elements = array.elements
            return .array(
                try elements.values.map { try json($0, in: elements.origin, depth: depth + 1) }
            )
        case .blob(let blob):
            hasBlobs = true
            if let hold = try blob.install(in: database) { holds.append(hold) }
            return .object(blob.metadataObject())
        case .unstorable(let unstorable):
            throw NSError(from: unstorable)
        }
    }

    /// Looks for blobs and for values that cannot be stored in an unedited part.
    private mutating func inspect(_ json: JSON, in origin: Database?, depth: Int) throws {
        switch json {
        case .object(let members) where members.isBlob && members[Blob.blobDigestProperty] != nil:
            hasBlobs = true
            if let origin, origin.store !== database.store { throw NSError(from: ForeignBlob()) }
            try hold(members)
        case .object(let members):
            try requireDepth(depth)
            for (_, value) in members { try inspect(value, in: origin, depth: depth + 1) }
        case .array(let elements):
            try requireDepth(depth)
            for element in elements { try inspect(element, in: origin, depth: depth + 1) }
        case .double(let double) where !double.isFinite:
            throw NSError(
                CBLError.invalidParameter,
                "Document: \(double) cannot be stored as JSON; store null or a string"
            )
        default:
            return
        }
    }

    /// Holds the content of CouchDB-style attachments, which came with a pull and are not blobs.
    private mutating func holdAttachments(of document: JSONObject) throws {
        guard let attachments = document[BlobReferences.attachmentsKey] else { return }
        let own: JSONObject = [BlobReferences.attachmentsKey: attachments]
        for reference in BlobReferences.all(in: own) {
            hasBlobs = true
            holds.append(try database.openStore().blobs.hold(reference.digest))
        }
    }

    /// Holds the content that a part names: the revision that it came with may no longer exist.
    private mutating func hold(_ blob: JSONObject) throws {
        guard let digest = blob[Blob.blobDigestProperty]?.string.flatMap({ BlobDigest($0) })
        else { return }
        holds.append(try database.openStore().blobs.hold(digest))
    }

    /// Also ends the walk of a container that contains itself.
    private func requireDepth(_ depth: Int) throws {
        guard depth <= JSONLimits.default.depth else {
            throw NSError(from: Unstorable.tooDeep)
        }
    }
}
