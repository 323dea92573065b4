import DivanReplicator
import DivanStore
import DivanTransport
import Glibc

extension SyncError {
    /// What a failed transport means in the terms of the protocol.
    ///
    /// Source: `tls-and-auth.md` §6, `websocket-and-urls.md` §5.
    init(_ error: TransportError) {
        switch error.code {
        case .network(let code): self.init(.network, code, "\(error)")
        case .webSocket(let code): self.init(.webSocket, code, "\(error)")
        case .posix(let number): self.init(.posix, Int(number), "\(error)")
        }
    }

    /// What a failed store means in the terms of the protocol.
    ///
    /// Source: `errors.md` §2.
    init(_ error: StoreError) {
        let code =
            switch error.code {
            case .notOpen: 6
            case .notFound, .noSuchCollection, .noSuchDatabase, .noSuchBlob: 7
            case .conflict: 8
            case .readOnly: 14
            case .corrupt, .blobMismatch: 15
            case .busy: 16
            case .notADatabase: 20
            case .tooNew: 28
            case .invalidDocumentID: 29
            default: 12
            }
        if case .diskFull = error.code {
            self.init(.posix, Int(ENOSPC), "\(error)")
        } else {
            self.init(.liteCore, code, "\(error)")
        }
    }

    /// What an error means that kept a session from starting.
    init(settingUp error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let error as TransportError: self.init(error)
        case let error as StoreError: self.init(error)
        default: self.init(.liteCore, 10, "\(error)")
        }
    }
}
