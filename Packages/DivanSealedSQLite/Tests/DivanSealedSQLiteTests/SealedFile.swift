import CDivanSealedSQLite
import DivanSeal
import DivanSealedSQLite
import Foundation

/// An SQLite connection to a file, sealed or plain.
final class SealedFile {
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        let description: String
    }

    let vfs: SealedVFS?
    private var handle: OpaquePointer?

    /// Opens a file; creates one with a log and pages of `pageSize` bytes if there is none.
    init(_ path: String, _ vfs: SealedVFS?, pageSize: Int = 4_096) throws {
        self.vfs = vfs
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
        let code = sqlite3_open_v2(path, &handle, flags, try vfs?.name())
        guard code == SQLITE_OK else {
            let failure = failure(code)
            sqlite3_close(handle)
            handle = nil
            throw failure
        }
        try execute("PRAGMA page_size = \(pageSize)")
        if vfs != nil { try reserve() }
        try execute("PRAGMA temp_store = MEMORY")
        guard try texts("PRAGMA journal_mode") != ["wal"] else { return }
        // A file made by VACUUM INTO has no log, and pages are not written to a journal.
        try execute("PRAGMA journal_mode = OFF; PRAGMA journal_mode = WAL")
    }

    deinit {
        sqlite3_close(handle)
    }

    /// Makes the pages of a new database leave room for a seal.
    func reserve() throws {
        var count = SealedVFS.reservedByteCount
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(code: code, description: "\(code): " + String(cString: sqlite3_errmsg(handle)))
    }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The first column of all rows, as text.
    func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            case SQLITE_DONE: return texts
            case let code: throw failure(code)
            }
        }
    }
}

/// The content of files without a name while something ran.
final class NamelessFiles {
    private(set) var byteCount = 0
    /// Whether `words` could be read there.
    private(set) var showsWords = false
    private let words: Data

    fileprivate init(_ words: String) {
        self.words = Data(words.utf8)
    }

    /// Examines all files that this process has open and that are in no directory.
    fileprivate func look() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for name in names {
            let path = "/proc/self/fd/\(name)"
            guard
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                target.contains("etilqs_"), let bytes = FileManager.default.contents(atPath: path)
            else { continue }
            byteCount = max(byteCount, bytes.count)
            showsWords = showsWords || bytes.range(of: words) != nil
        }
    }
}

extension SealedFile {
    /// Runs `body`, and repeatedly examines the temporary files that SQLite creates meanwhile.
    func nameless(showing words: String, while body: () throws -> Void) rethrows -> NamelessFiles {
        let files = NamelessFiles(words)
        // `files` outlives the handler, which is removed below.
        let context = Unmanaged.passUnretained(files).toOpaque()
        sqlite3_progress_handler(
            handle,
            200,
            { context in
                guard let context else { return 0 }
                Unmanaged<NamelessFiles>.fromOpaque(context).takeUnretainedValue().look()
                return 0
            },
            context
        )
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        try body()
        return files
    }
}

/// The code with which `body` fails; `nil` if it succeeds.
func code(of body: () throws -> Void) throws -> Int32? {
    do {
        try body()
        return nil
    } catch let failure as SealedFile.Failure {
        return failure.code & 0xFF
    }
}

extension SealedVFS {
    /// A VFS with a key whose bytes are all the same.
    static func test(_ byte: UInt8, _ cipher: SealCipher = .aes256GCM) throws -> SealedVFS {
        let key = try SealKey(bytes: [UInt8](repeating: byte, count: 32).span)
        return SealedVFS(Seal(key: key, cipher: cipher))
    }
}
