public import Foundation

/// Damage as caused by a failing disk.
public enum RowDamage {
    /// Changes the byte after a text that a second one follows closely: after an ID in a row whose body contains the
    /// second text, but not in an index.
    ///
    /// - Returns: How many bytes were changed.
    @discardableResult
    public static func change(
        behind text: String,
        near follower: String,
        in file: URL
    ) throws -> Int {
        var bytes = try Data(contentsOf: file)
        var rest = bytes.startIndex..<bytes.endIndex
        var count = 0
        while let found = bytes.range(of: Data(text.utf8), in: rest) {
            rest = found.upperBound..<bytes.endIndex
            let near = found.upperBound..<min(found.upperBound + 64, bytes.endIndex)
            guard bytes.range(of: Data(follower.utf8), in: near) != nil else { continue }
            bytes[found.upperBound] = 0
            count += 1
        }
        try bytes.write(to: file)
        return count
    }

    /// Marks the row of a revision as deleted, which contradicts its checksum.
    ///
    /// - Parameters:
    ///   - revision: The ID, `generation-digest`, of a live revision; the file must be compacted, so that the ID
    ///     occurs once.
    ///   - file: The database, which must not be open.
    /// - Throws: `Obstacle` if no row has it; the file system's errors.
    public static func hide(revision: String, in file: URL) throws {
        var bytes = try Data(contentsOf: file)
        guard let digest = [UInt8](hex: revision.drop { $0 != "-" }.dropFirst()), !digest.isEmpty,
            let place = bytes.range(of: Data(digest))
        else { throw Obstacle("no row has \(revision)") }
        // The flags follow, with the document count in the higher bits.
        bytes[place.upperBound + 1] ^= 1
        try bytes.write(to: file)
    }

    /// Changes rows with SQL statements, which leave their checksums unchanged.
    ///
    /// - Parameters:
    ///   - file: The database, which must not be open; created if it does not exist.
    ///   - sql: The statements, for Python's SQLite.
    /// - Throws: `Obstacle` if Python is not installed, or fails.
    public static func edit(_ file: String, _ sql: String) throws {
        guard let python = Program.installed("python3") else { throw Obstacle("install python3") }
        let script = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1])
            connection.executescript(sys.argv[2])
            connection.commit()
            """
        let outcome = try python.run(["-c", script, file, sql])
        guard outcome.status == 0 else { throw Obstacle("\(outcome)") }
    }

    /// The reason why nothing was damaged.
    public struct Obstacle: Error, CustomStringConvertible {
        /// The reason.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
