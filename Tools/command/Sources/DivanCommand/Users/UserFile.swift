import DivanCommandLine
import DivanJSON

/// Where users are stored: a file that only its owner may read.
struct UserFile: Sendable {
    /// Enough for some hundred thousand users.
    static let byteLimit = 32 << 20

    let path: String

    /// Reads the users.
    ///
    /// - Throws: `Failure` if the file is missing, can be read by others, or is damaged.
    func read() throws -> UserList {
        do {
            return try UserList(json: try PrivateFile.read(path, limit: Self.byteLimit))
        } catch let failure as Failure where failure.kind == .notFound {
            throw Failure(
                kind: .notFound,
                sentence: "\(path): no such file",
                hint: "run 'divan users add \(path.wordForShell) NAME' to create it"
            )
        } catch let failure as Failure where !failure.sentence.hasPrefix(path) {
            throw failure.at(path)
        } catch let error as JSONError {
            throw Failure(kind: .invalid, text: "\(path): \(error)")
        }
    }

    /// Changes the users under a lock; with `creating` the file need not exist.
    func update(creating: Bool, _ change: (inout UserList) throws -> Void) throws {
        try PrivateFile.locking(beside: path) {
            var list = UserList()
            do {
                list = try read()
            } catch let failure as Failure where creating && failure.kind == .notFound {}
            try change(&list)
            try PrivateFile.write(Array(list.json.utf8), to: path)
        }
    }
}

extension Failure {
    /// The failure for a name that a file of users does not contain.
    static func noUser(_ name: String, in path: String) -> Failure {
        Failure(
            kind: .notFound,
            sentence: "\(path): user '\(name)' not found",
            hint: "run 'divan users ls \(path.wordForShell)' to list the users"
        )
    }
}
