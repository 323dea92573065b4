import DivanDatabase
import DivanSeal
import DivanStatus
import Foundation

extension Database {
    /// Encrypts the database with another key, or decrypts it if the key is `nil`.
    ///
    /// The whole database is rewritten, which needs as much free space as it uses; other writers wait. If the process
    /// is interrupted, the database has either the old or the new key. ``config`` keeps the key with which the database
    /// was opened.
    ///
    /// - Throws: `CBLError.notOpen`; `CBLError.transactionNotClosed` inside ``inBatch(using:)``; `CBLError.busy` while
    ///   another `Database` object or process has it open, a blob is being stored or a query is running;
    ///   `CBLError.invalidParameter` for an invalid key; disk errors. The database then has its old key. Exception: if
    ///   the error occurs while new blobs replace the old ones, it has the new key and must be reopened.
    ///
    /// Source: `encryption.md` §2.
    public func changeEncryptionKey(_ key: EncryptionKey?) throws {
        let store = try openStore()
        try requireNoBatch("change its encryption key")
        try translatingErrors {
            try store.changeSealing(to: try key?.sealing())
        }
        // Plain text that may name documents: what waited when a program was killed.
        if let directory = store.directory {
            StatusDirectory(bundle: directory).removeStaleEntries()
        }
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
