import DivanSQLite
import DivanSeal
import DivanSealedSQLite

/// A key as a connection needs it.
struct TestEncryption: SQLiteEncryption {
    private let vfs: SealedVFS

    init(_ byte: UInt8) throws {
        let key = try SealKey(bytes: [UInt8](repeating: byte, count: 32).span)
        vfs = SealedVFS(Seal(key: key))
    }

    var reservedByteCount: Int32 { SealedVFS.reservedByteCount }

    func vfsName(over base: String?) throws -> String { try vfs.name(over: base) }
}
