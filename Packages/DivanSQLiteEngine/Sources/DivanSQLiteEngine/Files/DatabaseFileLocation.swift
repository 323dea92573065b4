public import DivanSQLite
public import DivanStorage

/// Where a database file is, with which key it is opened, and what unpacks its bodies.
public struct DatabaseFileLocation: Sendable {
    let path: String
    /// `nil` for a plain file.
    public var sealing: (any SQLiteEncryption)?
    /// Decompresses bodies, and compresses new ones.
    public var packing: BodyPacking

    /// Describes a file; the default is a plain one without custom codecs.
    public init(
        _ path: String,
        sealing: (any SQLiteEncryption)? = nil,
        packing: BodyPacking = .none
    ) {
        self.path = path
        self.sealing = sealing
        self.packing = packing
    }

    var file: SQLiteLocation { SQLiteLocation(path, encryption: sealing) }

    /// The place as a URI, which includes the VFS to open it with.
    func uri() throws(StoreError) -> String {
        do throws(SQLiteError) {
            return try file.uri()
        } catch {
            throw StoreError(error)
        }
    }
}
