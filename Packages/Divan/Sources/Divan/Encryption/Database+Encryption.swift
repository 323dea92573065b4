import DivanSeal
import DivanStatus
import DivanStore
import Foundation

extension Database {
    /// Encrypts the database with another key, or decrypts it with `nil`; documents, blobs and indexes
    /// stay as they are.
    ///
    /// Everything is written anew, which needs as much free space as the database takes; other writers
    /// wait meanwhile. Whatever ends the process, one key opens the whole database afterwards: the new
    /// one once the call has returned. ``config`` keeps the key that the database was opened with.
    ///
    /// - Throws: `CBLError.notOpen`; `CBLError.transactionNotClosed` inside ``inBatch(using:)``;
    ///   `CBLError.busy` while another `Database` object or process has it open, a blob is being stored or
    ///   a query does not end; `CBLError.invalidParameter` for a key that is none; what the medium
    ///   reports. The database then has its old key; only if an error comes when the new blobs take the
    ///   place of the old ones it has the new one, and has to be closed and opened again.
    ///
    /// Source: `encryption.md` §2.
    public func changeEncryptionKey(_ key: EncryptionKey?) throws {
        let store = try openStore()
        try requireNoBatch("change its key")
        try translatingErrors {
            try store.changeSealing(to: try key?.sealing())
        }
        // Plain text that may name documents: what waited when a program was killed.
        if let directory = store.directory { StatusBoard(bundle: directory).sweep() }
    }
}

extension SealError: NumberedError {
    /// Source: `encryption.md` §2.
    var number: ErrorNumber {
        switch self {
        case .keyLength, .passwordLength, .source: .divan(CBLError.invalidParameter)
        case .otherKey: .divan(CBLError.unreadableDatabase)
        case .damaged: .divan(CBLError.corruptData)
        case .library: .divan(CBLError.crypto)
        }
    }
}
