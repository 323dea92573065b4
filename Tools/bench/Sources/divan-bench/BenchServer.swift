import DivanTLS
import DivanTestKit
import DivanTransport
import DivanWebSocket
import Foundation

/// The listening process from its clients' side.
struct BenchServer {
    let process: RunningProgram
    let clearPort: UInt16
    let securePort: UInt16

    init() throws {
        process = try ProcessRole.server.start()
        let line = try process.line()
        let ports = line.split(separator: " ").compactMap { UInt16($0) }
        guard ports.count == 2 else { throw BenchFailure("the server said \(line)") }
        (clearPort, securePort) = (ports[0], ports[1])
    }
}

/// Connections to the listening process.
struct BenchClient {
    private let context: TLSContext

    init() throws {
        let configuration = ClientTLSConfiguration(serverTrust: .callback { _ in true })
        context = try TLSContext.client(configuration)
    }

    /// Prepares a connection; `isSecure` must match the port.
    func transport(to port: UInt16, isSecure: Bool, path: String) -> WebSocketClientTransport {
        WebSocketClientTransport(
            WebSocketClientTransport.Configuration(
                endpoint: WebSocketEndpoint(
                    isSecure: isSecure,
                    host: "127.0.0.1",
                    port: port,
                    target: path
                ),
                subprotocols: ["bench"],
                tls: context
            )
        )
    }
}
