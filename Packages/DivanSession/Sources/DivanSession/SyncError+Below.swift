import DivanReplicator
import DivanTransport

extension SyncError {
    /// What a failed transport means in the terms of the protocol.
    ///
    /// Source: `tls-and-auth.md` §6, `websocket-and-urls.md` §5.
    init(_ error: TransportError) {
        let code: WireCode =
            switch error.code {
            case .network(let code): WireCode(.network, code)
            case .webSocket(let code): WireCode(.webSocket, code)
            case .posix(let number): .posix(Int(number))
            }
        self.init(code, "\(error)", hasRemedy: true)
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
