import DivanCommandLine
import DivanCrypto
import DivanJSON

/// Blobs whose content stands inside a JSON text, as base64 under `data`; so do attachments in the form of
/// CouchDB, each under its name in `_attachments`.
///
/// Source: `blobs.md` §1, §5.
enum InlineBlobs {
    /// Takes a content, and returns its digest.
    typealias Store = ([UInt8]) throws -> String

    private static let attachmentsKey = "_attachments"

    /// Moves the content of every blob of a document's body into a store; returns the body that refers
    /// to it, and how many blobs the body refers to.
    static func install(_ body: JSON, into store: Store) throws -> Installed {
        guard case .object(var document) = body else {
            return try install(value: body, into: store)
        }
        let key = attachmentsKey
        guard var attachments = document[key]?.object else {
            return try install(members: document, into: store)
        }
        document[key] = nil
        var installed = try install(members: document, into: store)
        for (name, entry) in attachments {
            let isAttachment =
                entry.object.map { isNamed($0) || $0["data"]?.string != nil } ?? false
            let value =
                if isAttachment, let members = entry.object {
                    try install(blob: members, into: store)
                } else {
                    try install(value: entry, into: store)
                }
            attachments[name] = value.body
            installed.count += value.count
            installed.storedCount += value.storedCount
        }
        var members = installed.body.object ?? document
        members[key] = .object(attachments)
        installed.body = .object(members)
        return installed
    }

    private static func install(value: JSON, into store: Store) throws -> Installed {
        switch value {
        case .array(let items):
            var installed = Installed(body: .null)
            var values: [JSON] = []
            for item in items {
                let value = try install(value: item, into: store)
                values.append(value.body)
                installed.count += value.count
                installed.storedCount += value.storedCount
            }
            installed.body = .array(values)
            return installed
        case .object(let object):
            return try install(members: object, into: store)
        default:
            return Installed(body: value)
        }
    }

    /// A body whose blobs are in the store.
    struct Installed {
        /// The body, which names its blobs by digest.
        var body: JSON
        /// How many blobs it names.
        var count = 0
        /// How many contents the store took.
        var storedCount = 0
    }

    private static func install(
        members object: JSONObject,
        into store: Store
    ) throws -> Installed {
        if isBlob(object) {
            return try install(blob: object, into: store)
        }
        var members = object
        var (count, storedCount) = (0, 0)
        for (key, member) in object {
            let value = try install(value: member, into: store)
            if value.count > 0 { members[key] = value.body }
            count += value.count
            storedCount += value.storedCount
        }
        return Installed(body: .object(members), count: count, storedCount: storedCount)
    }

    /// Returns the content of a digest; `nil` for a text that is none.
    typealias Source = (String) throws -> [UInt8]?

    /// Puts the content of every blob of a document's body into it.
    static func embed(_ body: JSON, from source: Source) throws -> JSON {
        let key = attachmentsKey
        guard case .object(var document) = body, var attachments = document[key]?.object else {
            return try embed(value: body, from: source)
        }
        for (name, entry) in attachments {
            if let members = entry.object, isNamed(members) {
                attachments[name] = .object(try embed(blob: members, from: source))
            } else {
                attachments[name] = try embed(value: entry, from: source)
            }
        }
        document[key] = nil
        document = try embed(members: document, from: source)
        document[key] = .object(attachments)
        return .object(document)
    }

    private static func embed(value: JSON, from source: Source) throws -> JSON {
        switch value {
        case .array(let items):
            return .array(try items.map { try embed(value: $0, from: source) })
        case .object(let object):
            return .object(try embed(members: object, from: source))
        default:
            return value
        }
    }

    private static func embed(
        members object: JSONObject,
        from source: Source
    ) throws -> JSONObject {
        if isBlob(object), isNamed(object) { return try embed(blob: object, from: source) }
        var members = object
        for (key, value) in object { members[key] = try embed(value: value, from: source) }
        return members
    }

    private static func embed(blob: JSONObject, from source: Source) throws -> JSONObject {
        var members = blob
        if let content = try blob["digest"]?.string.flatMap(source) {
            members["data"] = .string(Base64.encode(content.span))
        }
        return members
    }

    private static func isBlob(_ object: JSONObject) -> Bool { object["@type"]?.string == "blob" }

    /// Whether an object has the digest of a content.
    private static func isNamed(_ object: JSONObject) -> Bool {
        object["digest"]?.string?.utf8.starts(with: "sha1-".utf8) ?? false
    }

    private static func install(
        blob: JSONObject,
        into store: Store
    ) throws -> Installed {
        guard let text = blob["data"]?.string else {
            return Installed(body: .object(blob), count: 1)
        }
        guard let content = Base64.decode(text) else {
            throw Failure(kind: .invalid, sentence: "the data of a blob or attachment is no base64")
        }
        var installed = blob
        installed["data"] = nil
        installed["digest"] = .string(try store(content))
        installed["length"] = JSON(content.count)
        return Installed(body: .object(installed), count: 1, storedCount: 1)
    }
}
