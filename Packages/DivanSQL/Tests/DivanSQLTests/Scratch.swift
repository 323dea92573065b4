import CDivanSQL
import DivanPlatform
import DivanSQL

/// A connection in memory that has the functions.
final class Scratch {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var handle: OpaquePointer?

    init() throws {
        guard sqlite3_open(":memory:", &handle) == SQLITE_OK, let handle else {
            throw Failure(description: "cannot open")
        }
        guard SQLFunctions.add(to: handle) == SQLITE_OK else { throw failure }
    }

    deinit { sqlite3_close(handle) }

    private var failure: Failure {
        Failure(description: String(cString: sqlite3_errmsg(handle)))
    }

    /// The rows of a statement, each value as a person would write it.
    func rows(_ sql: String) throws -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw failure
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(row(of: statement))
            case SQLITE_DONE: return rows
            default: throw failure
            }
        }
    }

    private func row(of statement: OpaquePointer?) -> [String] {
        (0..<sqlite3_column_count(statement)).map { column in
            switch sqlite3_column_type(statement, column) {
            case SQLITE_NULL: return "MISSING"
            case SQLITE_INTEGER: return "\(sqlite3_column_int64(statement, column))"
            case SQLITE_FLOAT: return "\(sqlite3_column_double(statement, column))"
            default: break
            }
            let isText = sqlite3_column_type(statement, column) == SQLITE_TEXT
            let start = sqlite3_column_blob(statement, column)
            let count = Int(sqlite3_column_bytes(statement, column))
            let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
            if isText { return "'\(String(decoding: bytes, as: UTF8.self))'" }
            switch bytes.first {
            case nil: return "null"
            case 1: return "false"
            case 2: return "true"
            default: return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    /// Runs a statement with a number for its only parameter.
    func bind(_ sql: String, _ number: Double) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw failure
        }
        defer { sqlite3_finalize(statement) }
        sqlite3_bind_double(statement, 1, number)
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
    }

    /// The only value of the only row.
    func value(_ expression: String) throws -> String {
        try rows("SELECT \(expression)")[0][0]
    }
}

extension SQLDocumentColumns {
    /// The columns of the tables in these tests.
    static let sample = SQLDocumentColumns(
        id: "name",
        sequence: "number",
        revision: "version",
        revisionText: "hex",
        flags: "flags",
        expiration: "ending",
        body: "json"
    )
}

/// Writes the first problems to standard error, where the test that started this process finds them.
func writeProblems(_ problems: [String]) {
    let text = problems.prefix(20).map { "\nproblem: \($0)\n" }.joined()
    try? FileDescriptor.standardError.writeAll(Array(text.utf8))
}

/// The problems that a process wrote.
func problems(in output: [UInt8]) -> [String] {
    String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init).filter {
        $0.hasPrefix("problem: ")
    }
}
