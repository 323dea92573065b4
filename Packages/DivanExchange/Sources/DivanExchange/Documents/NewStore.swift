@_spi(Stores) import CouchbaseLiteSwift
import DivanDatabase
import DivanDelta
import DivanLZ4
import DivanRevisions
import DivanZlib

/// The document ID of the packages below; `Divan` has a property wrapper of that name.
typealias DocumentID = DivanRevisions.DocumentID

extension StoreDraft {
    /// Creates an empty database with new UUIDs, with a key or without.
    func makeStore(scheme: DivanRevisions.RevisionScheme, key: EncryptionKey?) throws -> Store {
        let identity = ForeignIdentity(
            publicUUID: [],
            privateUUID: [],
            previousPrivateUUID: nil,
            scheme: scheme
        )
        // Old revisions are compressed as programs do by default; they can be read however they are compressed.
        let archive = BodyArchive(packing: .lz4, deflate: DeflateCodec(), lz4: LZ4Codec())
        let options = StoreOptions(
            archive: archive,
            sealing: try key?.sealing(),
            packing: .bundled
        )
        return try Store.create(directory: directory, replacing: identity, options: options)
    }
}
