import DivanLog
import DivanTransport
import DivanWebSocket

/// Lets a fuzzing server examine our client, case by case.
struct CaseRunner {
    /// A request that the server did not answer.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The fuzzing server, such as `ws://127.0.0.1:9001`.
    let url: String

    /// Runs every case and has the server write its reports.
    func run() async throws {
        let answer = try await ask("/getCaseCount")
        guard let count = Int(answer), count > 0 else {
            throw Failure(description: "the fuzzing server has \(answer.debugDescription) cases")
        }
        for number in 1...count {
            // How a case ends is for the server to judge.
            _ = try await connect("/runCase?case=\(number)&agent=divan")
        }
        _ = try await connect("/updateReports?agent=divan")
    }

    private func transport(_ target: String) throws -> WebSocketClientTransport {
        let configuration = WebSocketClientTransport.Configuration(
            endpoint: try WebSocketEndpoint(url + target),
            subprotocols: [],
            webSocket: WebSocketAutobahn.webSocket
        )
        // Broken frames are what the suite is about: nothing is logged about them.
        return WebSocketClientTransport(configuration, log: Log(.webSocket, to: LogRouter()))
    }

    private func connect(_ target: String) async throws -> TransportClose {
        let transport = try transport(target)
        return await withCheckedContinuation { continuation in
            transport.start(
                Echo(
                    send: { transport.send($0) },
                    sendText: { transport.sendText($0) },
                    didClose: { continuation.resume(returning: $0) }
                )
            )
        }
    }

    /// The last message that a path sends before it closes.
    private func ask(_ target: String) async throws -> String {
        let transport = try transport(target)
        let answer = Answer()
        return try await withCheckedThrowingContinuation { continuation in
            transport.start(
                Echo(
                    send: { _ in },
                    sendText: {
                        answer.text = $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                    },
                    didClose: { close in
                        if case .failed(let error) = close {
                            continuation.resume(throwing: error)
                        } else {
                            continuation.resume(returning: answer.text)
                        }
                    }
                )
            )
        }
    }
}

/// The last message; `@unchecked Sendable` holds because it is used on one loop only.
private final class Answer: @unchecked Sendable {
    var text = ""
}
