import DivanSeal
import DivanStatus
import DivanStore
import Foundation

extension Database {
    /// Encrypts the database with another key, or decrypts it with `nil`; documents, blobs and indexes
    /// stay as they are.
    ///
    /// Everything is rewritten, which needs as much free space as the database takes; other writers wait meanwhile.
    /// However the process ends, one key opens the whole database afterwards: the new one once the call has returned.
    /// ``config`` keeps the key with which the database was opened.
    ///
    /// - Throws: `CBLError.notOpen`; `CBLError.transactionNotClosed` inside ``inBatch(using:)``; `CBLError.busy` while
    ///   another `Database` object or process has it open, a blob is being stored or a query does not end;
    ///   `CBLError.invalidParameter` for an invalid key; what the disk reports. The database then has its old key,
    ///   unless the error came while new blobs were replacing the old ones: then it has the new key, and must be closed
    ///   and opened again.
    ///
    /// Source: `encryption.md` §2.
    public func changeEncryptionKey(_ key: EncryptionKey?) throws {
        let store = try openStore()
        try requireNoBatch("change its encryption key")
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
