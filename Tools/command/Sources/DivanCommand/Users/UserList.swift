import CouchbaseLiteSwift
import DivanCommandLine
import DivanCrypto
import DivanJSON

/// One user: the hash of the password, and the permissions.
struct UserRecord: Equatable, Sendable {
    /// The hash of the password.
    var password: PasswordHash
    /// Whether the user may only pull.
    var isReadOnly = false
    /// The only collections that the user may replicate; `nil` means all that are shared.
    var collections: [CollectionName]?
    /// The condition of the documents that the user may read and write; `nil` means all.
    var condition: UserCondition?
    /// The only queries that the user may run over REST, by name; `nil` means all, also in SQL++.
    var queries: [ExactText]?

    /// The rights as in the file and in `users ls --json`.
    var rightsMembers: JSONObject {
        var object: JSONObject = [:]
        if let collections {
            object["collections"] = .array(collections.map { .string($0.description) })
        }
        if let condition { object["where"] = .string(condition.text) }
        if let queries { object["queries"] = .array(queries.map { .string($0.text) }) }
        return object
    }

    /// The rights as `users ls` shows them.
    var rights: String {
        let reach = collections.map { $0.map(\.description).joined(separator: ", ") }
        let access = isReadOnly ? "can read" : "can read and write"
        let limit = condition.map { " where \($0.text)" } ?? ""
        let names = queries.map { $0.isEmpty ? "none" : $0.map(\.text).joined(separator: ", ") }
        let queries = names.map { "; queries: \($0)" } ?? ""
        return "\(access) \(reach ?? "all shared collections")\(limit)\(queries)"
    }
}

/// The users of a file, by the bytes of their names.
///
/// The file is JSON: `{"users":{"anna":{"password":"$scrypt$…","readOnly":true,
/// "collections":["geo.places"],"where":"owner = $user","queries":["cheap"]}}}`. Unknown members are rejected, because a
/// misspelled restriction would otherwise be ignored.
struct UserList: Equatable, Sendable {
    /// The users.
    var users: [ExactText: UserRecord] = [:]

    /// Creates an empty list.
    init() {}

    /// Parses the text of a file.
    ///
    /// - Throws: `Failure` that names the place of the error.
    init(json bytes: [UInt8]) throws {
        let root = try JSON(parsing: bytes.withoutByteOrderMark)
        guard let object = root.object, let entries = object["users"]?.object,
            object.keys == ["users"]
        else { throw Self.damaged("not a file of users ({\"users\":{\"NAME\":{…}}})") }
        for (name, value) in entries {
            guard let entry = value.object else {
                throw Self.damaged("user '\(name)' is not an object")
            }
            users[ExactText(name)] = try Self.record(entry, of: name)
        }
    }

    /// The text of the file, users sorted by name.
    var json: String {
        let entries = names.compactMap { name in
            users[ExactText(name)].map { (key: name, value: Self.json($0)) }
        }
        let root: JSON = ["users": .object(JSONObject(entries))]
        return root.indentedText + "\n"
    }

    /// The names, in byte order.
    var names: [String] { users.keys.sorted().map(\.text) }

    private static func record(_ entry: JSONObject, of name: String) throws -> UserRecord {
        let known = ["password", "readOnly", "collections", "where", "queries"]
        for key in entry.keys where !known.contains(key) {
            throw damaged("user '\(name)' has the unknown member '\(key)'")
        }
        guard case .string(let text)? = entry["password"], let password = PasswordHash(text: text)
        else { throw damaged("user '\(name)' has no valid password hash") }
        var record = UserRecord(password: password)
        switch entry["readOnly"] {
        case nil: break
        case .bool(let value)?: record.isReadOnly = value
        case _?: throw damaged("'readOnly' of user '\(name)' is not true or false")
        }
        switch entry["where"] {
        case nil: break
        case .string(let text)?: record.condition = try UserCondition(text, of: name)
        case _?: throw damaged("'where' of user '\(name)' is not a string")
        }
        if let queries = entry["queries"] {
            let names = queries.array?.compactMap(\.string)
            guard let names, names.count == queries.array?.count else {
                throw damaged("'queries' of user '\(name)' is not an array of names")
            }
            record.queries = names.map { ExactText($0) }
        }
        guard let collections = entry["collections"] else { return record }
        guard let items = collections.array else {
            throw damaged("'collections' of user '\(name)' is not an array")
        }
        record.collections = try items.map { item in
            guard case .string(let text) = item else {
                throw damaged("'collections' of user '\(name)' is not an array of names")
            }
            return try CollectionName.parsing(text)
        }
        return record
    }

    private static func json(_ record: UserRecord) -> JSON {
        var object: JSONObject = ["password": .string(record.password.text)]
        if record.isReadOnly { object["readOnly"] = .bool(true) }
        for (name, value) in record.rightsMembers { object[name] = value }
        return .object(object)
    }

    private static func damaged(_ problem: String) -> Failure {
        Failure(
            kind: .invalid,
            sentence: problem,
            hint: "correct the file, or create users with 'divan users add'"
        )
    }
}
