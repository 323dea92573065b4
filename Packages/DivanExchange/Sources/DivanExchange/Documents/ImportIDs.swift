import DivanCommandLine
import DivanJSON
import Foundation

/// Where the documents of an import get their IDs from: a key of the body, the name of their file, or
/// chance.
struct ImportIDs {
    /// The key that holds the ID.
    let key: String
    /// Whether the key stays in the body.
    let keepsKey: Bool
    /// Whether the user named the key, so that some document must have it.
    let isChosen: Bool

    private var isFound = false
    /// The properties of the first document without the key.
    private var otherKeys: [String]?

    /// Saved documents that got a random ID.
    var randomCount = 0

    init(key: String = "_id", keepsKey: Bool = false, isChosen: Bool = false) {
        self.key = key
        self.keepsKey = keepsKey
        self.isChosen = isChosen
    }

    /// The ID of a document, and whether it is random.
    mutating func take(
        from body: inout JSONMembers,
        _ entry: DocumentText
    ) throws(Failure) -> (text: String, isRandom: Bool) {
        guard let value = body[key] else {
            if otherKeys == nil { otherKeys = body.tree?.keys ?? [] }
            if let name = entry.fileName { return (name, false) }
            return (UUID().uuidString.lowercased(), true)
        }
        isFound = true
        if !keepsKey { body[key] = nil }
        if let text = value.string { return (text, false) }
        if let number = value.int { return (String(number), false) }
        throw Failure(kind: .invalid, sentence: "the ID under '\(key)' is not a string")
    }

    /// Checks that a document had the key, if the user named it.
    func check() throws(Failure) {
        guard isChosen, !isFound, let otherKeys else { return }
        let hint =
            Spelling.nearest(to: key, among: otherKeys).map { "did you mean '\($0)'?" }
            ?? (otherKeys.isEmpty
                ? "use another key" : "the first document has \(Self.list(otherKeys))")
        throw Failure(
            kind: .invalid,
            sentence: "no document has the key '\(key)' given to '--id-from'",
            hint: hint
        )
    }

    /// The warning for documents that got random IDs; `nil` if none did.
    var warning: String? {
        guard randomCount > 0 else { return nil }
        let documents = Numbers.count(randomCount, "document")
        let likely = otherKeys?.first { $0.lowercased() == "id" }
        return
            "\(documents) without '\(key)' got \(randomCount == 1 ? "a random ID" : "random IDs"), "
            + "and a second import would save \(randomCount == 1 ? "it" : "them") again; use "
            + "'--id-from \(likely ?? "KEY")' to take the IDs from a key"
    }

    private static func list(_ keys: [String]) -> String {
        let names = keys.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
        if keys.isEmpty { return "no key" }
        return keys.count > 8 ? names + ", …" : names
    }
}
