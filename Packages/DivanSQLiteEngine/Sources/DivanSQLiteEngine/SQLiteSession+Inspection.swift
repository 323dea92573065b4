internal import DivanSQLite
internal import DivanStorage

// What an inspection needs in addition to what every reader does.
extension SQLiteSession {
    func forEachRow(
        in collection: CollectionID,
        _ body: (Result<DocumentRow, StoreError>) throws -> Void
    ) throws {
        let documents = documents(in: collection)
        let statement = try documents.everyRow()
        defer { statement.reset() }
        while try statement.step() {
            let row: Result<DocumentRow, StoreError>
            do throws(StoreError) {
                row = .success(try documents.row(.whole, of: statement))
            } catch {
                row = .failure(error)
            }
            try body(row)
        }
    }

    func damagedValues() throws(StoreError) -> [String] {
        guard hasChecksums else { return [] }
        let statement = try statement(
            """
            SELECT 'collection ' || scope || '.' || name FROM collections
            WHERE checksum IS NOT \(SQLiteSchema.collectionChecksum)
            UNION ALL
            SELECT 'value ' || key || ' of ' || space FROM "values"
            WHERE checksum IS NOT \(SQLiteSchema.valueChecksum)
            """
        )
        defer { statement.reset() }
        var sentences: [String] = []
        while try statement.step() { sentences.append(statement.text(0)) }
        return sentences + (try SQLiteDictionaries(on: connection).damages())
    }
}
