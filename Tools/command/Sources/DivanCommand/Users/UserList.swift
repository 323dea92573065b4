import DivanCommandLine
import DivanCrypto
import DivanJSON

/// One user: the hash of the password, and the permissions.
struct UserRecord: Equatable, Sendable {
    /// The hash of the password.
    var password: PasswordHash
    /// The permissions.
    var rights = UserRights()
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
        guard case .string(let text)? = entry["password"], let password = PasswordHash(text: text)
        else { throw damaged("user '\(name)' has no valid password hash") }
        var members = entry
        members["password"] = nil
        do {
            return UserRecord(password: password, rights: try UserRights(members, of: name))
        } catch let problem as UserRights.Problem {
            throw damaged("user '\(name)': \(problem.text)")
        }
    }

    private static func json(_ record: UserRecord) -> JSON {
        var object: JSONObject = ["password": .string(record.password.text)]
        if record.rights.isReadOnly { object["readOnly"] = .bool(true) }
        for (name, value) in record.rights.members { object[name] = value }
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
