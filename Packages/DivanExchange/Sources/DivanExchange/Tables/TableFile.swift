import DivanPlatform
import DivanSQLite

/// Reports SQLite's errors as those of an export.
struct TableSQLite: SQLiteClient {
    static func failure(_ error: SQLiteError) -> ExchangeError {
        if error.kind == .full || error.systemError == .noSpace {
            return ExchangeError(writing: error.path, .noSpace)
        }
        return ExchangeError(.sqlite, "SQLite: \(error.message)")
    }
}

/// A new SQLite database that one thread fills, and that is then copied to its destination.
///
/// It has no name on the disk, so a killed program leaves no file.
final class TableFile {
    // Reads the same file, which is already unlinked.
    private let descriptor: FileDescriptor
    private let path: String
    // `nil` when the database is complete.
    private var connection: SQLiteConnection<TableSQLite>?

    /// Creates an empty database in a directory.
    init(in directory: String) throws(ExchangeError) {
        path = FileSystem.draftPath(in: directory)
        do {
            descriptor = try FileDescriptor.open(
                path,
                [.readWrite, .create, .exclusive, .noFollow, .closeOnExec],
                permissions: 0o600
            )
        } catch {
            throw ExchangeError(writing: directory, error.errno)
        }
        defer { try? FileSystem.removeFile(path) }
        let place = SQLiteLocation(path, followsLinks: true)
        connection = try SQLiteConnection(place, mode: .readWrite, client: TableSQLite())
        try execute("PRAGMA journal_mode = OFF")
        try execute("PRAGMA synchronous = OFF")
        try execute("PRAGMA temp_store = MEMORY")
        // From here on SQLite has the file open, and no longer needs its name.
        try execute("BEGIN IMMEDIATE")
        try execute("PRAGMA user_version = 1")
    }

    deinit {
        descriptor.close()
    }

    /// Runs statements.
    func execute(_ sql: String) throws(ExchangeError) {
        try opened().execute(sql)
    }

    /// Prepares a statement that is run repeatedly.
    func prepare(_ sql: String) throws(ExchangeError) -> SQLiteStatement<TableSQLite> {
        try opened().prepare(sql)
    }

    private func opened() throws(ExchangeError) -> SQLiteConnection<TableSQLite> {
        guard let connection else {
            throw ExchangeError(.sqlite, "SQLite: the database is complete")
        }
        return connection
    }

    /// Writes a blob into the row that was inserted last, which has room for it; `next` returns pieces, and
    /// an empty one at the end.
    func fillBlob(table: String, column: String, _ next: () throws -> [UInt8]) throws {
        let connection = try opened()
        let row = connection.lastInsertedRow
        let blob = try SQLiteBlob(of: column, in: table, row: row, on: connection, isWritten: true)
        var offset = 0
        while case let piece = try next(), !piece.isEmpty {
            try blob.write(piece, at: offset)
            offset += piece.count
        }
    }

    /// Completes the database and passes its bytes to `write`.
    ///
    /// Its statements were released before.
    func finish(_ write: ByteSink) throws {
        try execute("COMMIT")
        connection = nil
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
}

extension SQLiteStatement<TableSQLite> {
    /// Inserts a row.
    func run(_ cells: [TableCell]) throws(ExchangeError) {
        try run(cells, from: 0)
    }

    /// Binds the cells from an index on and inserts the row.
    ///
    /// JSON texts are lent, not copied: the row is inserted inside the borrow scopes of all of them.
    private func run(_ cells: [TableCell], from index: Int) throws(ExchangeError) {
        guard index < cells.count else {
            defer { clearBindings() }
            return try run()
        }
        let place = Int32(index + 1)
        switch cells[index] {
        case .null: try bind(Int64?.none, at: place)
        case .integer(let number): try bind(number, at: place)
        case .real(let number): try bind(double: number, at: place)
        case .text(let text): try bind(text, at: place)
        case .json(let text):
            let result = text.withUnsafeBytes { lent in
                Result { () throws(ExchangeError) in
                    try bindLent(text: lent, at: place)
                    try run(cells, from: index + 1)
                }
            }
            return try result.get()
        }
        try run(cells, from: index + 1)
    }
}
