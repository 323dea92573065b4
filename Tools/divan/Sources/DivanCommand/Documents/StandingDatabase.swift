import DivanCommandLine
import Foundation

/// A database that a verb looks at again and again while others write to it.
///
/// Removed or replaced, the files that are open tell nothing more, and the verb would wait for ever.
struct StandingDatabase {
    private let path: DatabasePath
    private let number: Int?

    init(_ path: DatabasePath) {
        self.path = path
        number = Self.fileNumber(path)
    }

    /// - Throws: `Failure` where the database is no longer the one that was there.
    func require() throws(Failure) {
        guard let number, Self.fileNumber(path) != number else { return }
        throw Failure(
            kind: .database,
            sentence: "\(path.bundle) was removed or replaced meanwhile; begin anew to see what "
                + "is there now"
        )
    }

    private static func fileNumber(_ path: DatabasePath) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: path.bundle + "/db.sqlite3"
        )
        return (attributes?[.systemFileNumber] as? NSNumber)?.intValue
    }
}
