extension Store {
    /// Checks everything that is stored: pages, indexes, counters, each document with its revision
    /// tree, each blob.
    ///
    /// Rows written by a Divan before file format 4 have no checksum until they are stored again or
    /// the database is compacted; of those, only unreadable ones are found.
    ///
    /// - Throws: What the medium reports. Damage is not an error here.
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

    /// Checks everything that is stored, as `inspect()` does.
    ///
    /// - Throws: `StoreError` for the first damage found: `damagedDocument` or `corrupt`.
    public func checkIntegrity() throws {
        if let damage = try inspect().damages.first { throw damage.error(at: directory ?? "") }
    }
}
