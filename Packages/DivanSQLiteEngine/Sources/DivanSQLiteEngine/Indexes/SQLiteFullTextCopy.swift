internal import DivanQuery
internal import DivanSQLite
internal import DivanStorage

/// A copy of a full-text index, to check whether its words match its texts.
///
/// FTS5 compares them on a command that looks like a change, for which the database would have to be
/// open for writing, and writers to wait. So the words are copied into a table outside the database,
/// where SQLite keeps temporary data, and that one is checked. The texts stay where they are.
struct SQLiteFullTextCopy {
    private let table: String
    private let columns: String
    private let tokenizer: String

    init(of table: String, _ record: IndexRecord) {
        self.table = table
        columns = record.columns.indices.map { "c\($0)" }.joined(separator: ", ")
        tokenizer = record.stored.tokenizer ?? ""
    }

    /// Compares them.
    ///
    /// - Throws: What is damaged; `sqlite` if a table is not as FTS5 creates it.
    func verify(on connection: StoreConnection) throws(StoreError) {
        // What searches read first, and the format version, are not in what is copied.
        _ = try connection.integer(
            "SELECT count(*) FROM main.\(table) WHERE \(table) MATCH 'divan'"
        )
        try? connection.execute(remove)
        defer { try? connection.execute(remove) }
        try connection.execute(make)
        try compareColumns(on: connection)
        for part in ["data", "idx", "docsize"] {
            try connection.execute(
                """
                DELETE FROM temp.divan_words_\(part);
                INSERT INTO temp.divan_words_\(part) SELECT * FROM main.\(table)_\(part);
                """
            )
        }
        // A renamed table is reopened, and then reads what was copied.
        try connection.execute(
            """
            ALTER TABLE temp.divan_words RENAME TO divan_words_copy;
            INSERT INTO temp.divan_words_copy (divan_words_copy, rank)
            VALUES ('integrity-check', 1);
            """
        )
    }

    /// Compares the columns of FTS5's own tables with those that it creates now: they are copied by
    /// position, and searches use their names.
    private func compareColumns(on connection: StoreConnection) throws(StoreError) {
        func columns(_ table: String, in schema: String) throws(StoreError) -> [String] {
            try connection.texts(
                "SELECT name || ' ' || pk FROM pragma_table_info('\(table)', '\(schema)')"
            )
        }
        for part in ["data", "idx", "docsize", "config"] {
            let found = try columns("\(table)_\(part)", in: "main")
            guard try found == columns("divan_words_\(part)", in: "temp") else {
                throw StoreError(
                    .corrupt("\(table)_\(part) has the columns \(found)"),
                    at: connection.path
                )
            }
        }
    }

    private var make: String {
        """
        CREATE TEMP VIEW divan_words_texts AS SELECT id, \(columns) FROM main.\(table)_content;
        CREATE VIRTUAL TABLE temp.divan_words USING fts5(
            \(columns), content = 'divan_words_texts', content_rowid = 'id',
            tokenize = '\(tokenizer)'
        );
        """
    }

    private var remove: String {
        """
        DROP TABLE IF EXISTS temp.divan_words_copy;
        DROP TABLE IF EXISTS temp.divan_words;
        DROP VIEW IF EXISTS temp.divan_words_texts;
        """
    }
}
