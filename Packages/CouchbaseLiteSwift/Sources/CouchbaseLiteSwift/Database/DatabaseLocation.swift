import Foundation

/// Where a database lives: a name in a directory.
///
/// Source: `api-map.md` §2.2 (`<name>.cblite2`, `/` in a name as `:`).
struct DatabaseLocation: Equatable {
    let name: String
    let directory: String

    /// - Throws: `CBLError.invalidParameter` for a name that is empty or leads out of the directory.
    init(name: String, directory: String) throws {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw NSError(
                CBLError.invalidParameter,
                "the database name \"\(name)\" is empty or contains NUL; use another name"
            )
        }
        self.name = name
        self.directory = directory
    }

    private init(valid name: String, in directory: String) {
        self.name = name
        self.directory = directory
    }

    /// A location next to this one: `<name>.<word>`.
    func neighbour(named word: String) -> DatabaseLocation {
        DatabaseLocation(valid: "\(name).\(word)", in: directory)
    }

    /// The database's own directory, without a slash at the end.
    var bundlePath: String {
        // By bytes: a slash followed by a combining mark is a different `Character`, but still a slash to the system.
        let bytes = name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: ":") : $0 }
        let file = String(decoding: bytes, as: UTF8.self) + ".cblite2"
        // An empty directory means the working directory, not the root.
        if directory.isEmpty || directory.hasSuffix("/") { return directory + file }
        return "\(directory)/\(file)"
    }

    /// The database's own directory, with a slash at the end.
    var path: String { bundlePath + "/" }
}
