import CouchbaseLiteSwift
import Foundation

/// How the databases of a run name their revisions: as `SCHEME` in the environment says, `trees` or
/// `vectors`, which the processes of the run inherit.
enum AskedScheme {
    private static let word = ProcessInfo.processInfo.environment["SCHEME"] ?? "trees"

    /// The scheme that a database is opened with.
    static var revisionScheme: RevisionScheme? { word == "vectors" ? .versionVectors : nil }

    /// Refuses any other word.
    static func check() throws {
        guard word == "trees" || word == "vectors" else {
            throw KillSyncFailure("SCHEME is \(word); trees or vectors expected")
        }
    }
}
