import DivanSQLite
import DivanSeal

/// A key as a connection needs it.
struct TestEncryption: SQLiteEncryption {
    private let seal: Seal

    init(_ byte: UInt8) throws {
        seal = Seal(key: try SealKey(bytes: [UInt8](repeating: byte, count: 32).span))
    }

    var reservedByteCount: Int32 { Seal.reservedByteCount }

    func vfsName(over base: String?) throws -> String { try seal.vfsName(over: base) }
}
