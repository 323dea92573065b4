import DivanJSON
import Foundation

/// Where the documents of an import get their IDs from: a key of the body, the name of their file, the format, or
/// chance.
public struct ImportIDs: Sendable {
    /// The key that holds the ID.
    public let key: String
    /// Whether the key stays in the body.
    public let keepsKey: Bool
    /// Whether some document must have the key.
    public let isRequired: Bool

    private var isFound = false
    /// The properties of the first document without the key; `nil` if all have it.
    public private(set) var otherKeys: [String]?

    /// Saved documents that got a random ID.
    public internal(set) var randomCount = 0

    /// Chooses the key.
    public init(key: String = "_id", keepsKey: Bool = false, isRequired: Bool = false) {
        self.key = key
        self.keepsKey = keepsKey
        self.isRequired = isRequired
    }

    /// The ID of a document, and whether it is random.
    mutating func take(
        from body: inout JSONMembers,
        _ entry: DocumentText
    ) throws(ExchangeError) -> (text: String, isRandom: Bool) {
        guard let value = body[key] else {
            if otherKeys == nil { otherKeys = body.tree?.keys ?? [] }
            if let name = entry.suppliedID { return (name, false) }
            if let own = entry.idKey.flatMap({ body[$0] }),
                own.kind == .string || own.kind == .number
            {
                return (own.string ?? own.canonicalText, false)
            }
            return (UUID().uuidString.lowercased(), true)
        }
        isFound = true
        if !keepsKey { body[key] = nil }
        if let text = value.string { return (text, false) }
        if let number = value.int { return (String(number), false) }
        if value.object?.contains(where: { $0.key.hasPrefix("$") }) ?? false {
            throw ExchangeError(
                .extendedID,
                "the ID under '\(key)' is in the Extended JSON of MongoDB",
                remedy: "import the file as MongoDB's Extended JSON"
            )
        }
        throw ExchangeError(.invalid, "the ID under '\(key)' is not a string")
    }

    /// Checks that a document had the key, if one must.
    func check() throws(ExchangeError) {
        guard isRequired, !isFound, let otherKeys else { return }
        throw ExchangeError(
            .noIDKey,
            "no document has the key '\(key)'",
            remedy: otherKeys.isEmpty
                ? "use another key" : "the first document has \(Self.list(otherKeys))"
        )
    }

    /// Keys that a message lists.
    static let listedKeyCount = 8

    /// Keys in words, of which the first are listed.
    static func list(_ keys: [String]) -> String {
        let names = keys.prefix(listedKeyCount).map { "'\($0)'" }.joined(separator: ", ")
        return keys.count > listedKeyCount ? names + ", …" : names
    }
}
