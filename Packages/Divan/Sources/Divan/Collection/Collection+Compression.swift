import DivanStore

extension Collection {
    /// How bodies that are saved here are kept; ``BodyCompression/none`` unless somebody asked for
    /// another.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func bodyCompression() throws -> BodyCompression {
        let path = path
        return BodyCompression(codec: try read { reader in try reader.bodyPacking(of: path) })
    }

    /// Has the bodies of documents packed on the disk from now on, or no longer.
    ///
    /// The choice is stored in the database. Bodies that are there stay as they are until they are saved
    /// again, or all of them by `performMaintenance(type: .compact)`. Compression needs a dictionary, which
    /// is made of the documents, again where one was there; where there are fewer than 64, bodies stay
    /// plain until there are so many. A version of Divan from before this choice does not open the database
    /// any more. Databases in memory keep the choice and plain bodies. An addition to the official API.
    ///
    /// ```swift
    /// try routes.setBodyCompression(.lz4)
    /// try database.performMaintenance(type: .compact)
    /// ```
    ///
    /// - Throws: `CBLError.notOpen`; `CBLError.unsupported` where this machine lacks the codec
    ///   (``BodyCompression/isAvailable``); what the file system reports.
    public func setBodyCompression(_ compression: BodyCompression) throws {
        let path = path
        try write { writer in try writer.packBodies(of: path, with: compression.codec) }
    }
}
