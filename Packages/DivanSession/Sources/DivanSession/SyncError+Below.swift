import DivanReplicator
import DivanTransport

extension SyncError {
    /// What a failed transport means in the terms of the protocol.
    ///
    /// Source: `tls-and-auth.md` §6, `websocket-and-urls.md` §5.
    init(_ error: TransportError) {
        switch error.code {
        case .network(let code): self.init(.network, code, "\(error)", hasRemedy: true)
        case .webSocket(let code): self.init(.webSocket, code, "\(error)", hasRemedy: true)
        case .posix(let number): self.init(.posix, Int(number), "\(error)", hasRemedy: true)
        }
    }

    /// What an error means that kept a session from starting.
    init(settingUp error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let error as TransportError: self.init(error)
        default: self.init(storage: error)
        }
    }
}
