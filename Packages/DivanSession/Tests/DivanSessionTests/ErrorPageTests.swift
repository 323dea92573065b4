import DivanPlatform
import DivanReplicator
import DivanTransport
import DivanWebSocket
import Foundation
import Testing

@testable import DivanSession

/// What a connection's errors lead to, and the same table in `Docs/errors.md`.
@Suite struct ErrorPageTests {
    private static let errors: [TransportError.Reason] = [
        .nameLookup(code: -3), .unknownHost("a"), .unknownInterface("a"),
        .system(call: "connect", errno: Errno.connectionRefused.rawValue), .timeout(.connection),
        .handshake(HandshakeError(reason: .ended)),
        .refused(status: 404, explanation: "", headers: [:]), .tooManyRedirects(limit: 1),
        .invalidRedirect(""), .abnormalClose,
    ]

    private func name(_ error: SyncError) -> String {
        switch error.wireCode {
        case .network(let code): "Network/\(code.rawValue)"
        case .posix(let number): "POSIX/\(number)"
        case .http(let status): "HTTP/\(status.rawValue)"
        default: "WebSocket/\(error.code)"
        }
    }

    @Test func `the error page documents how connection errors are reported`() throws {
        let root = URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/")
        let page = try String(contentsOfFile: "\(root)/Docs/errors.md", encoding: .utf8)
        let parts = page.components(separatedBy: "## How connection errors are reported\n")
        let lines = try #require(parts.dropFirst().first).components(separatedBy: "\n## ")[0]
        let rows = lines.split(separator: "\n").filter { $0.hasPrefix("| `") }.dropFirst()
        let made = Self.errors.map { reason in
            let error = SyncError(TransportError(reason, place: "there"))
            return "| `\("\(reason)".prefix { $0 != "(" })` | \(name(error)) |"
        }
        #expect(rows.map(String.init) == made)
    }
}
