@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import Foundation

/// How the databases of a run differ.
struct DatabaseKind {
    let fullSync: Bool
    let isSealed: Bool

    static let all = [
        DatabaseKind(fullSync: true, isSealed: false),
        DatabaseKind(fullSync: false, isSealed: false),
        DatabaseKind(fullSync: true, isSealed: true),
        DatabaseKind(fullSync: false, isSealed: true),
    ]

    private static let key = EncryptionKey.key(Data(repeating: 0x5C, count: 32))

    func options(create: Bool) throws -> StoreOptions {
        StoreOptions(
            create: create,
            fullSync: create && fullSync,
            sealing: isSealed ? try Self.key.sealing() : nil,
            packing: .bundled
        )
    }
}
