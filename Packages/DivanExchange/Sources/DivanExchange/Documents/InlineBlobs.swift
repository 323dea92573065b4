import DivanCrypto
public import DivanJSON

/// Blobs whose content is inside a JSON text, as base64 under `data`; likewise attachments in CouchDB's
/// form, each under its name in `_attachments`.
///
/// Source: `blobs.md` §1, §5.
public enum InlineBlobs {
    /// Stores a blob, and returns its digest.
    public typealias Installation = ([UInt8]) throws -> String

    /// The key under which CouchDB keeps its attachments.
    public static let attachmentsKey = "_attachments"

    /// A body whose blobs are in the store.
    public struct Installed<Body> {
        /// The body, which refers to its blobs by digest.
        public var body: Body
        /// How many blobs it refers to.
        public var count = 0
        /// How many blobs were stored.
        public var storedCount = 0
    }

    /// Moves the content of every blob in a document's body to a store; returns the body that refers
    /// to them, and how many blobs the body refers to.
    ///
    /// - Throws: `ExchangeError` with `invalid` for content that is not base64; errors of `store`.
    public static func install(_ body: JSON, into store: Installation) throws -> Installed<JSON> {
        try install(body, into: store) { try $0.replacing(in: body, $1) }
    }

    /// The same for a body that may be long; returns its canonical text.
    ///
    /// - Throws: As for a body that was parsed.
    public static func install(
        _ body: JSONMembers,
        into store: Installation
    ) throws -> Installed<[UInt8]> {
        guard body.mayHoldBlobs else { return Installed(body: try body.canonicalBytes()) }
        return try install([], into: store) { try $0.text(of: body, $1) }
    }

    private static func install<Body>(
        _ body: Body,
        into store: Installation,
        _ replace: @escaping (BlobWalk, BlobWalk.Replacement) throws -> Body
    ) throws -> Installed<Body> {
        let walk = BlobWalk(
            isAttachment: { isNamed($0) || $0["data"]?.string != nil },
            isBlob: isBlob
        )
        var installed = Installed(body: body)
        installed.body = try replace(walk) { blob in
            installed.count += 1
            guard let text = blob["data"]?.string else { return nil }
            guard let content = Base64.decode(text) else {
                throw ExchangeError(
                    .invalid,
                    "the data of a blob or attachment is not valid base64",
                    remedy: "encode it again"
                )
            }
            installed.storedCount += 1
            var blob = blob
            blob["data"] = nil
            blob["digest"] = .string(try store(content))
            blob["length"] = JSON(content.count)
            return blob
        }
        return installed
    }

    /// Returns the blob with a digest; `nil` for a text that is not a digest.
    typealias Source = (String) throws -> [UInt8]?

    /// Embeds the content of every blob in a document's body.
    static func embed(_ body: JSONMembers, from source: Source) throws -> [UInt8] {
        guard body.mayHoldBlobs else { return try body.canonicalBytes() }
        let walk = BlobWalk(isAttachment: isNamed, isBlob: { isBlob($0) && isNamed($0) })
        return try walk.text(of: body) { blob in
            guard let content = try blob["digest"]?.string.flatMap(source) else { return nil }
            var blob = blob
            blob["data"] = .string(Base64.encode(content.span))
            return blob
        }
    }

    /// The digests of the blobs that a document's body refers to.
    static func digests(in body: JSONMembers) throws -> Set<ExactText> {
        var digests: Set<ExactText> = []
        guard body.mayHoldBlobs else { return digests }
        _ = try embed(body) { digest in
            digests.insert(ExactText(digest))
            return nil
        }
        return digests
    }

    private static func isBlob(_ object: JSONObject) -> Bool { object["@type"]?.string == "blob" }

    /// Whether an object has the digest of a blob.
    private static func isNamed(_ object: JSONObject) -> Bool {
        object["digest"]?.string?.utf8.starts(with: "sha1-".utf8) ?? false
    }
}

/// Visits the blobs of a document's body.
private struct BlobWalk {
    /// Whether an object directly below `_attachments` is meant.
    let isAttachment: (JSONObject) -> Bool
    /// Whether an object anywhere else is.
    let isBlob: (JSONObject) -> Bool

    /// Returns the replacement of a blob; `nil` if it stays.
    typealias Replacement = (JSONObject) throws -> JSONObject?

    /// The body with its blobs' dictionaries replaced.
    func replacing(in body: JSON, _ replacement: Replacement) throws -> JSON {
        let key = InlineBlobs.attachmentsKey
        guard case .object(var document) = body, var attachments = document[key]?.object else {
            return try changed(body, replacement) ?? body
        }
        document[key] = nil
        document = try changed(.object(document), replacement)?.object ?? document
        for (name, entry) in attachments {
            let new =
                if let members = entry.object, isAttachment(members) {
                    try replacement(members).map { JSON.object($0) }
                } else {
                    try changed(entry, replacement)
                }
            if let new { attachments[name] = new }
        }
        document[key] = .object(attachments)
        return .object(document)
    }

    /// The canonical text of a body with its blobs' dictionaries replaced.
    func text(of body: JSONMembers, _ replacement: Replacement) throws -> [UInt8] {
        if let tree = body.tree {
            return try replacing(in: .object(tree), replacement).canonicalBytes()
        }
        let key = InlineBlobs.attachmentsKey
        var body = body
        if let attachments = body[key] {
            body[key] = try replacing(in: .object([key: attachments]), replacement)[key]
        }
        return try withoutActuallyEscaping(replacement) { replacement in
            try body.canonicalBytes { name, value in
                name == key ? nil : try changed(value, replacement)
            }
        }
    }

    /// The value if something in it was replaced; `nil` if nothing was, as in most.
    private func changed(_ value: JSON, _ replacement: Replacement) throws -> JSON? {
        var isChanged = false
        switch value {
        case .array(var items):
            for index in items.indices {
                guard let new = try changed(items[index], replacement) else { continue }
                (items[index], isChanged) = (new, true)
            }
            return isChanged ? .array(items) : nil
        case .object(var object):
            if isBlob(object) { return try replacement(object).map { .object($0) } }
            for (key, member) in object {
                guard let new = try changed(member, replacement) else { continue }
                (object[key], isChanged) = (new, true)
            }
            return isChanged ? .object(object) : nil
        default:
            return nil
        }
    }
}
