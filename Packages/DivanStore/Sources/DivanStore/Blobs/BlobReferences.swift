public import DivanJSON

/// A reference to a blob in a document's body.
public struct BlobReference: Sendable {
    /// The blob.
    public var digest: BlobDigest
    /// The object at that place: the blob's length, its type, and any other members.
    public var members: JSONObject
    private let path: BlobPath

    /// Creates a reference without further members.
    public init(to digest: BlobDigest) {
        self.init(digest: digest, members: JSONObject(), path: BlobPath(.index(0), below: nil))
    }

    fileprivate init(digest: BlobDigest, members: JSONObject, path: BlobPath) {
        self.digest = digest
        self.members = members
        self.path = path
    }

    /// The place in the body as a JSON Pointer (RFC 6901); `/_attachments/<name>` for an attachment.
    ///
    /// Computed with each call: it is as long as all keys of the path together.
    public var pointer: String { path.pointer }

    /// The length of `pointer` in bytes, without computing it.
    public var pointerByteCount: Int { path.byteCount }
}

extension BlobReference {
    /// The object with which a document references a blob.
    ///
    /// - Parameters:
    ///   - digest: The blob, which must be stored.
    ///   - byteCount: Its length.
    ///   - contentType: Its MIME type.
    /// - Returns: The object.
    public static func object(
        naming digest: BlobDigest,
        byteCount: Int,
        contentType: String
    ) -> JSON {
        [
            "@type": "blob", "content_type": .string(contentType),
            "digest": .string("\(digest)"), "length": JSON(byteCount),
        ]
    }
}

extension BlobReference: Equatable {
    /// Whether both reference the same blob at the same place with the same members.
    public static func == (left: BlobReference, right: BlobReference) -> Bool {
        left.digest == right.digest && left.members == right.members
            && left.pointer == right.pointer
    }
}

/// Finds the blobs that a document's body references.
///
/// These are every object with `"@type":"blob"` below the root, then, in a top-level `_attachments`, each entry
/// with a digest, or what an entry without one contains. A blob's own dictionary is not searched; an invalid digest
/// is skipped. Time is linear in the size of the body.
///
/// Source: `blobs.md` §1, §2, §5.
public enum BlobReferences {
    /// The top-level key under which CouchDB keeps its attachments.
    public static let attachmentsKey = "_attachments"

    /// Finds all references, in canonical order of the keys; attachments come last.
    ///
    /// - Throws: `JSONError` if the body is not JSON.
    public static func all(in body: Span<UInt8>) throws(JSONError) -> [BlobReference] {
        all(in: try JSON(parsing: body, limits: StorageLimits.bodyText))
    }

    /// Finds all references, in canonical order of the keys; attachments come last.
    public static func all(in body: JSON) -> [BlobReference] {
        guard case .object(let members) = body else { return [] }
        return all(in: members)
    }

    /// Finds all references, in canonical order of the keys; attachments come last.
    public static func all(in document: JSONObject) -> [BlobReference] {
        var search = BlobSearch()
        for (key, value) in document where key != attachmentsKey {
            search.visit(value, at: .key(key))
        }
        if let value = document[attachmentsKey] { search.visit(attachments: value) }
        return search.references
    }

    /// The digests of all references; a long body is searched without a tree of it.
    ///
    /// - Throws: `JSONError` if the body is not JSON.
    public static func digests(in body: [UInt8]) throws -> Set<BlobDigest> {
        guard let members = try JSONMembers(parsing: body, limits: StorageLimits.bodyText) else {
            return []
        }
        if let tree = members.tree { return Set(all(in: tree).map(\.digest)) }
        guard members.mayHoldBlobs else { return [] }
        var search = BlobSearch()
        var digests: Set<BlobDigest> = []
        if let attachments = members[attachmentsKey] { search.visit(attachments: attachments) }
        // Nothing is replaced or kept: this only visits the containers.
        try members.write(
            replacing: { key, value in
                if key != attachmentsKey { search.visit(value, at: .key(key)) }
                digests.formUnion(search.references.map(\.digest))
                search.references = []
                return nil
            },
            to: { _ in }
        )
        return digests.union(search.references.map(\.digest))
    }
}

/// One search in progress: what was found, and the path to the current value.
private struct BlobSearch {
    var references: [BlobReference] = []
    // From the root to the container that is being searched.
    private var steps: [BlobPath.Step] = []
    // The paths to the first of those, made when the first blob below them is found.
    private var paths: [BlobPath] = []

    // As deep as the parser lets a body nest (`JSONLimits.depth`), so the stack suffices.
    mutating func visit(_ value: JSON, at step: @autoclosure () -> BlobPath.Step) {
        switch value {
        case .object(let members) where members["@type"]?.string == "blob":
            enter(step())
            add(members)
            leave()
        case .object(let members):
            enter(step())
            for (key, member) in members { visit(member, at: .key(key)) }
            leave()
        case .array(let items):
            enter(step())
            for (index, item) in items.enumerated() { visit(item, at: .index(index)) }
            leave()
        default:
            break
        }
    }

    /// Visits the value of `_attachments`.
    mutating func visit(attachments value: JSON) {
        let key = BlobReferences.attachmentsKey
        guard let entries = value.object, entries["@type"]?.string != "blob" else {
            return visit(value, at: .key(key))
        }
        enter(.key(key))
        for (name, entry) in entries {
            if let members = entry.object, Self.digest(of: members) != nil {
                enter(.key(name))
                add(members)
                leave()
            } else {
                visit(entry, at: .key(name))
            }
        }
        leave()
    }

    /// Adds a blob at the current position.
    private mutating func add(_ blob: JSONObject) {
        guard let digest = Self.digest(of: blob) else { return }
        references.append(BlobReference(digest: digest, members: blob, path: currentPath()))
    }

    private static func digest(of blob: JSONObject) -> BlobDigest? {
        blob["digest"]?.string.flatMap { BlobDigest($0) }
    }

    private mutating func enter(_ step: BlobPath.Step) {
        steps.append(step)
    }

    private mutating func leave() {
        steps.removeLast()
        if paths.count > steps.count { paths.removeLast() }
    }

    private mutating func currentPath() -> BlobPath {
        for step in steps[paths.count...] { paths.append(BlobPath(step, below: paths.last)) }
        return paths.last ?? BlobPath(.key(""), below: nil)
    }
}
