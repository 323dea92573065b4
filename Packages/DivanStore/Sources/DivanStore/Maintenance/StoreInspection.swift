extension Store {
    /// Checks all stored data: pages, indexes, counters, all documents with their revision trees, all blobs.
    ///
    /// Rows written before file format 4 have no checksum until they are stored again or the database is compacted;
    /// damage of such rows is found only if they are unreadable.
    ///
    /// - Throws: I/O errors. Damage is returned, not thrown.
    public func inspect() throws -> Inspection {
        let inspector = Inspector()
        try inspector.note { try engine.checkIntegrity() }
        try inspector.note { try read { try inspector.inspectRows($0) } }
        var absent: Set<BlobDigest> = []
        try inspector.note {
            absent = try read { try $0.absentBlobs(among: inspector.namedBlobs) }
        }
        // If a document cannot be read, any blob may be in use.
        try inspector.inspectBlobs(blobs, absent: absent) { try? read { try $0.usedBlobs() } }
        return inspector.inspection
    }

    /// Checks all stored data, like `inspect()`.
    ///
    /// - Throws: `StoreError` for the first damage found: `damagedDocument` or `corrupt`.
    public func checkIntegrity() throws {
        if let damage = try inspect().damages.first { throw damage.error(at: directory ?? "") }
    }
}
