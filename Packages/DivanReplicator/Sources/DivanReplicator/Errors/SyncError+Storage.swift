import DivanRevisions
import DivanStore

extension SyncError {
    /// Converts a failure of the store into a replication error.
    ///
    /// Source: `errors.md` §2.
    public init(storage error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let error as StoreError:
            self.init(WireCode(error.code), error.description, telling: error.explanation)
        default: self.init(.liteCore(.unexpected), "\(error)")
        }
    }

    /// Runs a store call; an error that it throws becomes a replication error.
    static func storing<T>(_ body: () throws -> T) throws(SyncError) -> T {
        do {
            return try body()
        } catch {
            throw SyncError(storage: error)
        }
    }
}

extension WireCode {
    /// Converts the code of a failure of the store.
    init(_ code: StoreError.Code) {
        self =
            switch code {
            case .notOpen, .noSuchCollection: .liteCore(.notOpen)
            case .noSuchDatabase, .notFound, .noSuchBlob: .liteCore(.notFound)
            case .conflict, .checkpointMismatch: .http(.conflict)
            case .bodyTooLarge, .tooManyBlobs: .http(.contentTooLarge)
            // One of the two clocks is wrong; it succeeds once that is corrected, or time has passed.
            case .badRevision(_, .badVersion(.timeInFuture)): .http(.requestTimeout)
            case .badRevision: .liteCore(.badRevisionID)
            case .forbiddenKey: .liteCore(.corruptRevision)
            case .tooNew: .liteCore(.databaseTooNew)
            case .unknownCodec, .engineFailed, .engineUnsupported: .liteCore(.unsupported)
            case .corrupt, .damagedDocument, .blobMismatch: .liteCore(.corruptData)
            case .notADatabase: .liteCore(.notADatabase)
            case .busy: .liteCore(.busy)
            case .readOnly: .liteCore(.notWriteable)
            case .diskFull: .posix(POSIXCode.noSpace)
            case .io(let number): .posix(Int(number))
            case .sqlite(let number, _): .sqlite(Int(number))
            case .alreadyExists: .liteCore(.invalidParameter)
            }
    }
}
