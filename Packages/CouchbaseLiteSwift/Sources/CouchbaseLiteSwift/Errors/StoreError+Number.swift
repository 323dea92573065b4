import DivanDatabase
import DivanJSON
import DivanPlatform
import DivanRevisions

extension StoreError: NumberedError {
    /// Source: `errors.md` §2, `behaviour.md` §2 and §15.
    var number: ErrorNumber {
        switch code {
        case .notOpen, .noSuchCollection: .divan(CBLError.notOpen)
        case .noSuchDatabase, .notFound, .noSuchBlob: .divan(CBLError.notFound)
        case .alreadyExists: .posix(Errno.fileExists.rawValue)
        case .conflict, .checkpointMismatch: .divan(CBLError.conflict)
        case .bodyTooLarge, .tooManyBlobs: .divan(CBLError.invalidParameter)
        case .forbiddenKey: .divan(CBLError.corruptRevisionData)
        case .badRevision: .divan(CBLError.badRevisionID)
        case .tooNew: .divan(CBLError.databaseTooNew)
        case .unknownCodec, .engineUnsupported: .divan(CBLError.unsupported)
        case .engineFailed: .divan(CBLError.cantOpenFile)
        case .corrupt, .damagedDocument, .blobMismatch: .divan(CBLError.corruptData)
        case .notADatabase: .divan(CBLError.unreadableDatabase)
        case .busy: .divan(CBLError.busy)
        case .readOnly: .divan(CBLError.notWriteable)
        case .diskFull: .posix(Errno.noSpace.rawValue)
        case .io(let number): .posix(number)
        case .sqlite(let number, _): ErrorNumber(domain: "CouchbaseLite.SQLite", code: Int(number))
        }
    }
}

extension QueryStop: NumberedError {
    var number: ErrorNumber {
        switch self {
        case .tookTooMuchMemory, .othersHoldMemory: .divan(CBLError.memoryError)
        case .cancelled, .tookTooLong, .leftWaiting: .divan(CBLError.unexpectedError)
        }
    }
}

extension DocumentIDError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.badDocID) }
}

extension JSONError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.invalidJSON) }
}
