internal import CDivanCBLite
import DivanPlatform

/// Where the database of a bundle is opened: in place, or, if it has a log or its end is missing, as a copy.
///
/// SQLite would change a file with a log when it opens it, and the newest data may be only in the
/// log. It refuses a file that is shorter than its header says, so the copy has empty pages at the end. Nothing is
/// ever written to the original.
final class ScratchCopy {
    /// The file to open.
    let database: String
    /// Whether it may be opened as a file that nobody changes.
    let isOriginal: Bool
    /// Whether the file's end is missing; what a log may still contain does not count.
    let isTruncated: Bool
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
        let wholeByteCount = Self.missingEnd(of: original)
        isTruncated = logs.isEmpty && wholeByteCount != nil
        guard !logs.isEmpty || wholeByteCount != nil else {
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
            if let wholeByteCount { try Self.extend(copy, to: wholeByteCount, in: parent) }
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

    /// The size of a file according to its header, if its end is missing.
    ///
    /// Source: the SQLite file format, §1.3.
    private static func missingEnd(of path: String) -> Int? {
        guard let byteCount = Files.byteCount(path),
            let file = try? FileDescriptor.open(path, [.readOnly, .closeOnExec])
        else { return nil }
        defer { file.close() }
        guard let header = try? file.read(upTo: 100), header.count == 100,
            header[24..<28] == header[92..<96]
        else { return nil }
        func number(_ range: Range<Int>) -> Int { header[range].reduce(0) { $0 << 8 | Int($1) } }
        let pageByteCount = number(16..<18) == 1 ? 65_536 : number(16..<18)
        let wholeByteCount = pageByteCount * number(28..<32)
        return wholeByteCount > byteCount ? wholeByteCount : nil
    }

    /// Adds empty pages to a copy; they need no space on the disk.
    private static func extend(
        _ copy: String,
        to byteCount: Int,
        in parent: String
    ) throws(CBLiteError) {
        do {
            try FileSystem.truncate(copy, to: byteCount)
        } catch {
            throw .scratch(directory: parent, errno: error.errno.rawValue)
        }
    }

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
