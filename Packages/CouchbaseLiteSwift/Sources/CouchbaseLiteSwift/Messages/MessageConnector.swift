import DivanTLS
import DivanTransport
import DivanWebSocket

/// Reaches a peer over connections that the application creates.
struct MessageConnector: Connector {
    let isInProcess = false
    let compresses = true
    let usesDeltas = true
    let retries = true
    let serverCertificate: DivanTLS.TLSCertificate? = nil

    let endpoint: MessageEndpoint

    func makeTransport(
        on loop: EpollLoop,
        offering subprotocols: [String]
    ) throws -> any MessageTransport {
        let connection = ServiceCallback.run {
            endpoint.delegate.createConnection(endpoint: endpoint)
        }
        return MessageConnectionTransport(
            connection,
            subprotocol: subprotocols[0],
            protocolType: endpoint.protocolType,
            role: .client,
            loop: loop
        )
    }
}
