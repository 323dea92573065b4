import DivanStore

extension SyncError {
    /// What a failure of the store means to a replication.
    ///
    /// Source: `errors.md` §2.
    public init(storage error: any Error) {
        if let error = error as? SyncError {
            self = error
            return
        }
        guard let error = error as? StoreError else {
            self.init(.liteCore, 10, "\(error)")
            return
        }
        let message = error.description
        switch error.code {
        case .notOpen, .noSuchCollection: self.init(.liteCore, 6, message, hasRemedy: true)
        case .noSuchDatabase, .notFound, .noSuchBlob:
            self.init(.liteCore, 7, message, hasRemedy: true)
        case .conflict: self.init(.webSocket, 409, message, hasRemedy: true)
        case .checkpointMismatch: self.init(.webSocket, 409, message, hasRemedy: true)
        case .bodyTooLarge: self.init(.webSocket, 413, message, hasRemedy: true)
        case .badRevision: self.init(.liteCore, 4, message, hasRemedy: true)
        case .forbiddenKey: self.init(.liteCore, 5, message, hasRemedy: true)
        case .tooNew: self.init(.liteCore, 28, message, hasRemedy: true)
        case .unknownCodec: self.init(.liteCore, 19, message, hasRemedy: true)
        case .corrupt, .damagedDocument, .blobMismatch:
            self.init(.liteCore, 15, message, hasRemedy: true)
        case .notADatabase: self.init(.liteCore, 20, message, hasRemedy: true)
        case .busy: self.init(.liteCore, 16, message, hasRemedy: true)
        case .readOnly: self.init(.liteCore, 14, message, hasRemedy: true)
        case .diskFull: self.init(.posix, PlatformError.diskFull, message, hasRemedy: true)
        case .io(let code): self.init(.posix, Int(code), message, hasRemedy: true)
        case .sqlite(let code, _): self.init(.sqlite, Int(code), message, hasRemedy: true)
        case .alreadyExists: self.init(.liteCore, 9, message, hasRemedy: true)
        }
    }
}

extension SyncError {
    /// Runs a store call; what it throws becomes a replication error.
    static func storing<T>(_ body: () throws -> T) throws(SyncError) -> T {
        do {
            return try body()
        } catch {
            throw SyncError(storage: error)
        }
    }
}
