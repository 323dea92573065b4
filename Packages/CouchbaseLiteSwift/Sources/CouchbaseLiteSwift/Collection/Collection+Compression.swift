import DivanDatabase

extension Collection {
    /// Returns how the bodies of this collection are compressed; ``BodyCompression/none`` by default.
    ///
    /// - Throws: `CBLError.notOpen`.
    public func bodyCompression() throws -> BodyCompression {
        let path = path
        let number = try read { reader in try reader.bodyPacking(of: path) }
        return BodyCompression(number: number, among: database.config.bodyCodecs)
    }

    /// Sets how document bodies are compressed on disk.
    ///
    /// The setting is stored in the database and applies to later saves. To rewrite existing bodies, call
    /// `performMaintenance(type: .compact)`. Each call builds a new compression dictionary from the documents; with
    /// fewer than 64 documents, bodies stay uncompressed until there are enough. Older versions of Divan cannot open
    /// the database afterwards. In-memory databases store the setting, but do not compress. An addition to the official
    /// API.
    ///
    /// ```swift
    /// try routes.setBodyCompression(.lz4)
    /// try database.performMaintenance(type: .compact)
    /// ```
    ///
    /// - Throws: `CBLError.notOpen`; `CBLError.unsupported` if this machine lacks the codec
    ///   (``BodyCompression/isAvailable``), or ``DatabaseConfiguration/bodyCodecs`` does not contain it; file system
    ///   errors.
    public func setBodyCompression(_ compression: BodyCompression) throws {
        let path = path
        let codecs = database.config.bodyCodecs
        let number = try translatingErrors { try compression.number(among: codecs) }
        try write { writer in try writer.packBodies(of: path, with: number) }
    }
}
