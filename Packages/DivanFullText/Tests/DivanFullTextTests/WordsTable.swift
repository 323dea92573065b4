import CDivanFullText
import DivanFullText
import Testing

/// A table of two columns, `name` and `story`, whose words can be searched for.
final class WordsTable {
    struct Failure: Error {
        let code: Int32
        let message: String
    }

    private let connection: OpaquePointer
    private let tokenizer: String

    /// Creates one from rows in SQL: a number and two texts each.
    convenience init(_ rows: String, language: String = "en_US", ignoresAccents: Bool = true) throws
    {
        let tokenizer = FullText.tokenizer(language: language, ignoresAccents: ignoresAccents)
        try self.init(rows, tokenizer: tokenizer)
    }

    init(_ rows: String, tokenizer: String) throws {
        self.tokenizer = tokenizer
        var opened: OpaquePointer?
        sqlite3_open(":memory:", &opened)
        connection = try #require(opened)
        #expect(FullText.add(to: connection) == SQLITE_OK)
        let made = sqlite3_exec(
            connection,
            """
            CREATE VIRTUAL TABLE words USING fts5(c0, c1, tokenize = '\(tokenizer)');
            INSERT INTO words (rowid, c0, c1) VALUES \(rows);
            """,
            nil,
            nil,
            nil
        )
        #expect(made == SQLITE_OK)
    }

    deinit { sqlite3_close(connection) }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw Failure(code: code, message: String(cString: sqlite3_errmsg(connection)))
        }
    }

    /// The numbers of the rows that a condition finds, which may hold any bytes.
    func rows(matching text: [UInt8], ordered order: String = "rowid") throws -> [Int] {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(
            connection,
            """
            SELECT rowid FROM words WHERE words MATCH
                divan_full_text_query1(?1, CAST(x'6e616d650073746f727900' AS TEXT), '\(tokenizer)')
            ORDER BY \(order)
            """,
            -1,
            &statement,
            nil
        )
        defer { sqlite3_finalize(statement) }
        // The text outlives the run of the statement; the address of an empty one must not be null.
        return try (text + [0]).withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text(statement, 1, start, Int32(text.count), nil)
            var rows: [Int] = []
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: rows.append(Int(sqlite3_column_int64(statement, 0)))
                case SQLITE_DONE: return rows
                case let code:
                    throw Failure(code: code, message: String(cString: sqlite3_errmsg(connection)))
                }
            }
        }
    }
}
