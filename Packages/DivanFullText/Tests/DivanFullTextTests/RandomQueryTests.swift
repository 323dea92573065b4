import CDivanFullText
import DivanFullText
import DivanTestKit
import Testing

/// Texts that somebody may type: FTS5 takes what becomes of them, or we say what is wrong.
@Suite struct RandomQueryTests {
    private static let parts = [
        "a", "b", "wooden", "chair*", "\"", "\"a b\"", "\"a b*\"", "(", ")", "^", "*", " ", "  ",
        "AND", "OR", "NOT", "NEAR", "NEAR/2", "NEAR/", "name:", "story:", "nobody:", "é", "東京",
        "—", "\0", "+", "{", "}", "-", "'", "c0", ":", ",",
    ]

    /// A table of two columns; the caller closes it.
    private func table() throws -> OpaquePointer {
        var opened: OpaquePointer?
        sqlite3_open(":memory:", &opened)
        let connection = try #require(opened)
        #expect(FullText.add(to: connection) == SQLITE_OK)
        let tokenizer = FullText.tokenizer(language: "en_US", ignoresAccents: true)
        let made = sqlite3_exec(
            connection,
            """
            CREATE VIRTUAL TABLE words USING fts5(c0, c1, tokenize = '\(tokenizer)');
            INSERT INTO words VALUES ('a b', 'wooden chair'), ('a', 'b a b'), ('東京', 'é a');
            """,
            nil,
            nil,
            nil
        )
        #expect(made == SQLITE_OK)
        return connection
    }

    private func text(_ generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 1...14, using: &generator)).flatMap { _ in
            let part = Self.parts.randomElement(using: &generator) ?? ""
            return Array((Bool.random(using: &generator) ? part + " " : part).utf8)
        }
    }

    @Test(arguments: 0..<8)
    func `no error is FTS5's own`(seed: UInt64) throws {
        let connection = try table()
        defer { sqlite3_close(connection) }
        var find: OpaquePointer?
        sqlite3_prepare_v2(
            connection,
            """
            SELECT count(*) FROM words WHERE words MATCH
                divan_full_text_query1(?1, CAST(x'6e616d650073746f727900' AS TEXT))
            """,
            -1,
            &find,
            nil
        )
        defer { sqlite3_finalize(find) }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let bytes = text(&generator)
            bytes.withUnsafeBytes { bytes in
                // The bytes outlive the run of the statement.
                let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                sqlite3_bind_text(find, 1, start, Int32(bytes.count), nil)
                if sqlite3_step(find) != SQLITE_ROW {
                    let message = String(cString: sqlite3_errmsg(connection))
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(message.hasPrefix("malformed full-text query: "), "\(text): \(message)")
                }
                sqlite3_reset(find)
            }
        }
    }
}
