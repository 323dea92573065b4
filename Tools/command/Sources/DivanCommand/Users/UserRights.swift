import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// The permissions of a user, or of a role.
struct UserRights: Equatable, Sendable {
    /// A member that cannot be used.
    struct Problem: Error {
        let text: String
    }

    /// Whether the user may only pull.
    var isReadOnly = false
    /// The only collections that the user may replicate; `nil` means all that are shared.
    var collections: [CollectionName]?
    /// The condition of the documents that the user may read and write; `nil` means all.
    var condition: UserCondition?
    /// The only queries that the user may run over REST, by name; `nil` means all, also in SQL++.
    var queries: [ExactText]?

    /// All permissions.
    init() {}

    /// Reads the members of a file; unknown ones are rejected, because a misspelled restriction would otherwise be
    /// ignored.
    ///
    /// - Throws: `Problem`, or `Failure` for a condition or the name of a collection.
    init(_ members: JSONObject, of name: String) throws {
        for (key, value) in members {
            switch key {
            case "readOnly":
                guard let flag = value.bool else {
                    throw Problem(text: "'readOnly' is not true or false")
                }
                isReadOnly = flag
            case "where":
                guard let text = value.string else {
                    throw Problem(text: "'where' is not a string")
                }
                condition = try UserCondition(text, of: name)
            case "queries":
                queries = try Self.names(value, key).map { ExactText($0) }
            case "collections":
                collections = try Self.names(value, key).map { try CollectionName.parsing($0) }
            default: throw Problem(text: "unknown member '\(key)'")
            }
        }
    }

    private static func names(_ value: JSON, _ key: String) throws -> [String] {
        guard let items = value.array else { throw Problem(text: "'\(key)' is not an array") }
        return try items.map { item in
            guard let name = item.string else {
                throw Problem(text: "'\(key)' is not an array of names")
            }
            return name
        }
    }

    /// The restrictions as in the file and in `users ls --json`, except `readOnly`.
    var members: JSONObject {
        var object: JSONObject = [:]
        if let collections {
            object["collections"] = .array(collections.map { .string($0.description) })
        }
        if let condition { object["where"] = .string(condition.text) }
        if let queries { object["queries"] = .array(queries.map { .string($0.text) }) }
        return object
    }

    /// The permissions as `users ls` shows them.
    var summary: String {
        let reach = collections.map { $0.map(\.description).joined(separator: ", ") }
        let access = isReadOnly ? "can read" : "can read and write"
        let limit = condition.map { " where \($0.text)" } ?? ""
        let names = queries.map { $0.isEmpty ? "none" : $0.map(\.text).joined(separator: ", ") }
        let queries = names.map { "; queries: \($0)" } ?? ""
        return "\(access) \(reach ?? "all shared collections")\(limit)\(queries)"
    }
}
