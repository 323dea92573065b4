import DivanStore

extension Collection {
    /// How bodies that are saved here are stored; ``BodyCompression/none`` unless set otherwise.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func bodyCompression() throws -> BodyCompression {
        let path = path
        return BodyCompression(codec: try read { reader in try reader.bodyPacking(of: path) })
    }

    /// Sets whether and how the bodies of documents are compressed on disk from now on.
    ///
    /// The setting is stored in the database. Existing bodies stay as they are until they are saved again;
    /// `performMaintenance(type: .compact)` rewrites them all. Compression needs a dictionary, which is built from the
    /// documents, anew with each call; with fewer than 64 documents, bodies stay plain until there are that many.
    /// Versions of Divan from before this setting can no longer open the database. Databases in memory store the
    /// setting, but keep bodies plain. An addition to the official API.
    ///
    /// ```swift
    /// try routes.setBodyCompression(.lz4)
    /// try database.performMaintenance(type: .compact)
    /// ```
    ///
    /// - Throws: `CBLError.notOpen`; `CBLError.unsupported` if this machine lacks the codec
    ///   (``BodyCompression/isAvailable``); what the file system reports.
    public func setBodyCompression(_ compression: BodyCompression) throws {
        let path = path
        try write { writer in try writer.packBodies(of: path, with: compression.codec) }
    }
}
