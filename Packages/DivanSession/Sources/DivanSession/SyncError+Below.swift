public import DivanReplicator
public import DivanTransport

extension SyncError {
    /// The protocol's error for a failed transport.
    ///
    /// Source: `tls-and-auth.md` §6, `websocket-and-urls.md` §5.
    public init(_ error: TransportError) {
        let code: WireCode =
            switch error.code {
            case .network(let code): WireCode(.network, code)
            case .webSocket(let code): WireCode(.webSocket, code)
            case .posix(let number): .posix(Int(number))
            }
        self.init(code, "\(error)", hasRemedy: true)
    }

    /// The error for a session that could not be started.
    init(settingUp error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let error as TransportError: self.init(error)
        default: self.init(storage: error)
        }
    }
}
