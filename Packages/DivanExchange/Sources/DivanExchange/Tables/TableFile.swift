import CDivanExchange
import DivanPlatform

/// A new SQLite database that one thread fills, and that is then copied to its destination.
///
/// It has no name on the disk, so a killed program leaves nothing behind.
final class TableFile {
    // Closed in `deinit` or `finish`, whichever comes first; statements are finalised before.
    private var handle: OpaquePointer?
    // Reads the same file, which is already unlinked.
    private let descriptor: FileDescriptor
    private let path: String

    /// Creates an empty database in a directory.
    init(in directory: String) throws(ExchangeError) {
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        path = "\(directory)/.divan-\(number).tmp"
        do {
            descriptor = try FileDescriptor.open(
                path,
                [.readWrite, .create, .exclusive, .noFollow, .closeOnExec],
                permissions: 0o600
            )
        } catch {
            throw ExchangeError(writing: directory, error.errno)
        }
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        defer { try? FileSystem.removeFile(path) }
        guard code == SQLITE_OK else { throw failure(code) }
        try execute("PRAGMA journal_mode = OFF")
        try execute("PRAGMA synchronous = OFF")
        try execute("PRAGMA temp_store = MEMORY")
        // From here on SQLite has the file open, and no longer needs its name.
        try execute("BEGIN IMMEDIATE")
        try execute("PRAGMA user_version = 1")
    }

    deinit {
        sqlite3_close_v2(handle)
        descriptor.close()
    }

    func execute(_ sql: String) throws(ExchangeError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Prepares a statement that is run repeatedly.
    func prepare(_ sql: String) throws(ExchangeError) -> Insertion {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        return Insertion(statement, into: self)
    }

    /// Writes a blob into the row that was inserted last, which has room for it; `next` returns pieces, and
    /// an empty one at the end.
    func fillBlob(table: String, column: String, _ next: () throws -> [UInt8]) throws {
        var blob: OpaquePointer?
        let row = sqlite3_last_insert_rowid(handle)
        let code = sqlite3_blob_open(handle, "main", table, column, row, 1, &blob)
        guard code == SQLITE_OK else { throw failure(code) }
        defer { sqlite3_blob_close(blob) }
        var offset: Int32 = 0
        while case let piece = try next(), !piece.isEmpty {
            let code = sqlite3_blob_write(blob, piece, Int32(piece.count), offset)
            guard code == SQLITE_OK else { throw failure(code) }
            offset += Int32(piece.count)
        }
    }

    /// Completes the database and passes its bytes to `write`.
    func finish(_ write: ByteSink) throws {
        try execute("COMMIT")
        sqlite3_close_v2(handle)
        handle = nil
        do {
            try descriptor.seek(to: 0)
            while case let piece = try descriptor.read(upTo: 1 << 18),
                !piece.isEmpty
            {
                try write(piece)
            }
        } catch let refusal as SystemError {
            throw ExchangeError(reading: path, refusal)
        }
    }

    fileprivate func failure(_ code: Int32) -> ExchangeError {
        let number = Errno(sqlite3_system_errno(handle))
        if code & 0xFF == SQLITE_FULL || number == .noSpace {
            return ExchangeError(writing: path, .noSpace)
        }
        let text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "error \(code)"
        return ExchangeError(.sqlite, "SQLite: \(text)")
    }

    /// A statement that inserts a row.
    final class Insertion {
        // Finalised in `deinit` only; it holds the file, which outlives it.
        private let statement: OpaquePointer
        private let file: TableFile

        fileprivate init(_ statement: OpaquePointer, into file: TableFile) {
            self.statement = statement
            self.file = file
        }

        deinit { sqlite3_finalize(statement) }

        /// Inserts a row.
        func run(_ cells: [TableCell]) throws(ExchangeError) {
            for (index, cell) in cells.enumerated() {
                try bind(cell, at: Int32(index + 1))
            }
            let code = sqlite3_step(statement)
            sqlite3_reset(statement)
            guard code == SQLITE_DONE else { throw file.failure(code) }
        }

        private func bind(_ cell: TableCell, at index: Int32) throws(ExchangeError) {
            let code: Int32
            switch cell {
            case .null: code = sqlite3_bind_null(statement, index)
            case .integer(let number): code = sqlite3_bind_int64(statement, index, number)
            case .real(let number): code = sqlite3_bind_double(statement, index, number)
            case .text(let text):
                let bytes = Array(text.utf8)
                let count = Int32(clamping: bytes.count)
                code = divan_exchange_bind_text(statement, index, bytes, count)
            }
            guard code == SQLITE_OK else { throw file.failure(code) }
        }
    }
}
