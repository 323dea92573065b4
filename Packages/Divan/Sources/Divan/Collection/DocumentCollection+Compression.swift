internal import CouchbaseLiteSwift

extension DocumentCollection {
    /// Sets how the bodies of documents are compressed on disk.
    ///
    /// The setting is stored in the database and applies to later saves; `Database.compact()` compresses the existing
    /// bodies, too.
    ///
    /// - Parameter codec: `lz4`, `zstd`, `none`, or the name of one of ``Database/Options/bodyCodecs``.
    /// - Throws: ``DivanError/Code/unsupported`` if the codec is unknown or not installed; `readOnly`; `notOpen`.
    public func compressBodies(with codec: String) throws {
        try DivanError.converting(place: place) {
            try official.setBodyCompression(BodyCompression(rawValue: codec))
        }
    }

    /// The name of the codec that compresses the bodies of documents; `none` by default.
    ///
    /// - Throws: ``DivanError/Code/notOpen``.
    public var bodyCodec: String {
        get throws {
            try DivanError.converting(place: place) { try official.bodyCompression().rawValue }
        }
    }
}
