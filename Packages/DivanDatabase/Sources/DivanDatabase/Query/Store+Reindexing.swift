internal import DivanJSON
internal import DivanSQLiteEngine
@_spi(Database) public import DivanStore

extension Store {
    /// Rebuilds all indexes from the documents, in one transaction per collection, verifies them, and updates the
    /// statistics for query planning.
    ///
    /// Writers wait in the meantime. Not inside `write`: there it throws `busy`.
    ///
    /// The index of document IDs is included. If a document occurs twice, which damage in that index can cause, the
    /// row stored last is kept. If pages of the index are unreadable, the file is compacted afterwards.
    ///
    /// - Parameters:
    ///   - control: Receives the progress, and may stop it.
    ///   - removed: Called with a sentence for each document that occurred twice; these are also logged.
    /// - Returns: The number of indexes created by users.
    /// - Throws: `corrupt` if an index is wrong even then; `CancellationError` if `control` stops it. That
    ///   collection then has its previous indexes.
    @discardableResult
    public func reindex(
        control: IndexBuildControl? = nil,
        noting removed: (String) -> Void = { _ in }
    ) throws -> Int {
        var (count, leavesPages) = (0, false)
        // Before anything is changed.
        try outsideWrites {}
        try read { reader in
            for path in try reader.collections() {
                control?.expect(try reader.indexStatements(of: path).count)
            }
        }
        for path in try collections() {
            let repair = try write { writer in
                // One that was removed in the meantime has no indexes either.
                guard try writer.hasCollection(path) else { return NameRepair() }
                let repair = try writer.reindex(path, control)
                count += try writer.indexes(in: path).count
                return repair
            }
            for row in repair.removed { removed(row.second(in: path)) }
            leavesPages = leavesPages || repair.leavesPages
        }
        if leavesPages { try outsideWrites { try engine.file?.compact() } }
        try optimize(isThorough: true)
        return count
    }
}

extension StoreWriter {
    /// Rebuilds all indexes of a collection from its documents, including the index of document IDs.
    ///
    /// If a document occurs twice, which damage in the index of document IDs can cause, the row stored last is
    /// kept.
    ///
    /// - Parameters:
    ///   - path: The collection.
    ///   - control: Receives the progress, and may stop it.
    /// - Throws: `corrupt` if the definition of an index is lost, so that it must be recreated or deleted;
    ///   `CancellationError` if `control` stops it (the transaction can then not be committed).
    public func rebuildIndexes(in path: CollectionPath, control: IndexBuildControl? = nil) throws {
        control?.expect(try indexStatements(of: path).count)
        try remakeIndexes(in: path, control)
    }

    /// Rebuilds them, and verifies that they agree with the documents; the control already expects the
    /// statements.
    ///
    /// - Throws: As `rebuildIndexes(in:control:)`; `corrupt` if they do not agree, and the collection then
    ///   has its previous indexes.
    func reindex(_ path: CollectionPath, _ control: IndexBuildControl?) throws -> NameRepair {
        let repair = try remakeIndexes(in: path, control)
        try changing().sqlIndexing?.verifyIndexes(of: collectionID(path))
        try control?.check()
        return repair
    }

    @discardableResult
    private func remakeIndexes(
        in path: CollectionPath,
        _ control: IndexBuildControl?
    ) throws -> NameRepair {
        let id = try collectionID(path)
        if let name = try current().damagedIndexNames(of: id).first {
            throw StoreError(
                .corrupt(
                    "the definition of index \(name.text) of \(path) is lost; "
                        + "create it again with the same name, or delete it"
                )
            )
        }
        let records = try current().indexRecords(of: id)
        try drop(records)
        let repair = try repairNames(in: path)
        try make(records.statements, control)
        return repair
    }
}

extension StoreReader {
    /// The statements that create the indexes of a collection.
    func indexStatements(of path: CollectionPath) throws(StoreError) -> [String] {
        try current().indexRecords(of: collectionID(path)).statements
    }
}
