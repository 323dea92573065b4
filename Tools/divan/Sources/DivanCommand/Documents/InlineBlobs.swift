import DivanCommandLine
import DivanCrypto
import DivanJSON

/// Blobs whose content stands inside a JSON text, as base64 under `data`.
///
/// Source: `blobs.md` §1.
enum InlineBlobs {
    /// Takes a content, and returns its digest.
    typealias Store = ([UInt8]) throws -> String

    /// Moves the content of every blob of `body` into a store; returns the body that refers to
    /// it, and how many blobs the body refers to.
    static func install(_ body: JSON, into store: Store) throws -> Installed {
        switch body {
        case .array(let items):
            var installed = Installed(body: .null)
            var values: [JSON] = []
            for item in items {
                let value = try install(item, into: store)
                values.append(value.body)
                installed.count += value.count
                installed.storedCount += value.storedCount
            }
            installed.body = .array(values)
            return installed
        case .object(let object):
            return try install(members: object, into: store)
        default:
            return Installed(body: body)
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
            let value = try install(member, into: store)
            if value.count > 0 { members[key] = value.body }
            count += value.count
            storedCount += value.storedCount
        }
        return Installed(body: .object(members), count: count, storedCount: storedCount)
    }

    /// Returns the content of a digest; `nil` for a text that is none.
    typealias Source = (String) throws -> [UInt8]?

    /// Puts the content of every blob of `body` into it.
    static func embed(_ body: JSON, from source: Source) throws -> JSON {
        switch body {
        case .array(let items):
            return .array(try items.map { try embed($0, from: source) })
        case .object(let object):
            return .object(try embed(members: object, from: source))
        default:
            return body
        }
    }

    private static func embed(
        members object: JSONObject,
        from source: Source
    ) throws -> JSONObject {
        var members = object
        if isBlob(object), let content = try object["digest"]?.string.flatMap(source) {
            members["data"] = .string(Base64.encode(content.span))
            return members
        }
        for (key, value) in object { members[key] = try embed(value, from: source) }
        return members
    }

    private static func isBlob(_ object: JSONObject) -> Bool { object["@type"]?.string == "blob" }

    private static func install(
        blob: JSONObject,
        into store: Store
    ) throws -> Installed {
        guard let text = blob["data"]?.string else {
            return Installed(body: .object(blob), count: 1)
        }
        guard let content = Base64.decode(text) else {
            throw Failure(kind: .invalid, sentence: "a blob's data is not base64")
        }
        var installed = blob
        installed["data"] = nil
        installed["digest"] = .string(try store(content))
        installed["length"] = JSON(content.count)
        return Installed(body: .object(installed), count: 1, storedCount: 1)
    }
}
