internal import CDivanCBLite
import DivanPlatform

/// Where the database of a bundle is opened: in place, or, if it has a log, as a copy.
///
/// SQLite would change a file with a log when it opens it, and the newest data may be only in the
/// log. Nothing is ever written to the original.
final class ScratchCopy {
    /// The file to open.
    let database: String
    /// Whether it may be opened as a file that nobody changes.
    let isOriginal: Bool
    private var directory: String?
    private let original: String
    private let stamps: [[Int]]

    private static let logs = ["-wal", "-journal"]

    /// Prepares a bundle for reading; a copy goes into `parent`.
    init(
        of bundle: String,
        in parent: String = ScratchCopy.temporaryDirectory
    ) throws(CBLiteError) {
        original = bundle + "/db.sqlite3"
        guard divan_cblite_is_open_for_writing(original) == 0 else { throw .inUse }
        let original = original
        let logs = Self.logs.filter { (Files.byteCount(original + $0) ?? 0) > 0 }
        guard !logs.isEmpty else {
            (database, isOriginal, directory) = (original, true, nil)
            stamps = Self.stamps(of: original)
            return
        }
        let directory = try Self.makeDirectory(in: parent)
        let copy = directory + "/db.sqlite3"
        var seen: [[Int]] = []
        do throws(CBLiteError) {
            var isQuiet = false
            for _ in 0..<CBLiteLimits.copyCount where !isQuiet {
                seen = Self.stamps(of: original)
                for suffix in [""] + logs {
                    try Files.copy(original + suffix, to: copy + suffix)
                }
                isQuiet = Self.stamps(of: original) == seen
            }
            guard isQuiet else { throw .inUse }
        } catch {
            Self.remove(directory)
            throw error
        }
        stamps = seen
        (database, isOriginal, self.directory) = (copy, false, directory)
    }

    deinit {
        if let directory { Self.remove(directory) }
    }

    /// Removes the names of a copy once SQLite has opened its files: the open descriptors still read it, and a killed
    /// process leaves nothing behind.
    func loseNames() {
        if let directory { Self.remove(directory) }
        directory = nil
    }

    /// Whether nobody has written to the original since.
    var isUnchanged: Bool { !isOriginal || Self.stamps(of: original) == stamps }

    private static func stamps(of original: String) -> [[Int]] {
        ([""] + logs).map { Files.stamp(original + $0) }
    }

    static var temporaryDirectory: String {
        CurrentProcess.variable("TMPDIR") ?? "/tmp"
    }

    private static func makeDirectory(in parent: String) throws(CBLiteError) -> String {
        do {
            return try FileSystem.makeTemporaryDirectory(in: parent, prefix: "divan-cblite-")
        } catch {
            throw .scratch(directory: parent, errno: error.errno.rawValue)
        }
    }

    private static func remove(_ directory: String) {
        for name in Files.names(in: directory) {
            try? FileSystem.removeFile(directory + "/" + name)
        }
        try? FileSystem.removeDirectory(directory)
    }
}
