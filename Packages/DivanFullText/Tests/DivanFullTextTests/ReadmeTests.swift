import CDivanFullText
import DivanFullText
import Testing

/// The README's example, word for word, and the statements in its comments.
@Suite struct ReadmeTests {
    @Test func `the README example works`() throws {
        var opened: OpaquePointer?
        sqlite3_open(":memory:", &opened)
        defer { sqlite3_close(opened) }
        let connection = try #require(opened)

        let code = FullText.add(to: connection)  // 0, or SQLite's error code
        let tokenizer = FullText.tokenizer(language: "en", ignoresAccents: true)
        // CREATE VIRTUAL TABLE words USING fts5(c0, tokenize = 'divan4 en 0')
        // INSERT INTO words VALUES ('Two wooden chairs')
        // SELECT rowid FROM words WHERE words MATCH
        //     divan_full_text_query1('the chair', '', 'divan4 en 0')   → 1

        #expect(code == SQLITE_OK)
        #expect(tokenizer == "divan4 en 0")
        let statements = """
            CREATE VIRTUAL TABLE words USING fts5(c0, tokenize = 'divan4 en 0');
            INSERT INTO words VALUES ('Two wooden chairs');
            """
        #expect(sqlite3_exec(connection, statements, nil, nil, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        let query = """
            SELECT rowid FROM words WHERE words MATCH
                divan_full_text_query1('the chair', '', 'divan4 en 0')
            """
        sqlite3_prepare_v2(connection, query, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        #expect(sqlite3_step(statement) == SQLITE_ROW)
        #expect(sqlite3_column_int64(statement, 0) == 1)
    }
}
