import CDivanFloors
import DivanCrypto
import DivanTLS
import Foundation

/// TLS in memory: records and handshakes, compared with the same loops in C.
enum TLSFigures {
    private static let recordByteCount = 16_384
    private static let byteCount = 1 << 28
    private static let handshakeCount = 1000

    static func measure(into report: inout Report) throws {
        let contexts = try Contexts()
        var ours = Double.infinity
        var floor = Double.infinity
        // In turns, so that a noisy moment affects both.
        for _ in 0..<3 {
            let bare = floor_tls_memory(byteCount)
            guard bare > 0 else { throw BenchFailure("the TLS floor failed") }
            floor = min(floor, bare)
            ours = min(ours, try Stopwatch.bestWork(of: 1) { try move(contexts) })
        }
        report.add(
            Figure(
                name: "TLS over memory buffers, 16 KB records",
                unit: "MB/s",
                ours: Double(byteCount) / ours / 1e6,
                floor: Double(byteCount) / floor / 1e6,
                floorName: "the same loop in C"
            )
        )
        try measureHandshakes(contexts, into: &report)
    }

    private static func measureHandshakes(
        _ contexts: Contexts,
        into report: inout Report
    ) throws {
        var ours = Double.infinity
        var floor = Double.infinity
        for _ in 0..<3 {
            let bare = floor_tls_handshakes(handshakeCount)
            guard bare > 0 else { throw BenchFailure("the handshake floor failed") }
            floor = min(floor, bare)
            let seconds = try Stopwatch.bestWork(of: 1) {
                for _ in 0..<handshakeCount { _ = try Ends(contexts) }
            }
            ours = min(ours, seconds)
        }
        report.add(
            Figure(
                name: "full TLS handshakes, P-256, both ends",
                unit: "1/s",
                ours: Double(handshakeCount) / ours,
                floor: Double(handshakeCount) / floor,
                floorName: "the same loop in C"
            )
        )
    }

    private static func move(_ contexts: Contexts) throws {
        var ends = try Ends(contexts)
        let record = [UInt8](repeating: 7, count: recordByteCount)
        var moved = 0
        while moved < byteCount {
            try ends.client.send(record.span)
            ends.received.removeAll(keepingCapacity: true)
            try ends.passToServer()
            moved += ends.received.count
        }
    }

    /// Shared by both ends of all sessions.
    private struct Contexts {
        let server: TLSContext
        let client: TLSContext

        init() throws {
            let credential = try benchCredential()
            server = try .server(ServerTLSConfiguration(credential: credential))
            client = try .client(
                ClientTLSConfiguration(serverTrust: .pinned(credential.leaf))
            )
        }
    }

    /// Two sessions after their handshake.
    private struct Ends {
        let server: TLSSession
        let client: TLSSession
        var received: [UInt8] = []
        private var wire: [UInt8] = []

        init(_ contexts: Contexts) throws {
            server = try TLSSession(contexts.server)
            client = try TLSSession(contexts.client)
            while client.state == .handshaking || server.state == .handshaking {
                try passToServer()
                try passToClient()
            }
        }

        mutating func passToServer() throws {
            try Self.pass(from: client, to: server, &wire, &received)
        }

        private mutating func passToClient() throws {
            try Self.pass(from: server, to: client, &wire, &received)
        }

        private static func pass(
            from: TLSSession,
            to: TLSSession,
            _ wire: inout [UInt8],
            _ received: inout [UInt8]
        ) throws {
            wire.removeAll(keepingCapacity: true)
            from.takeOutput(appendingTo: &wire)
            if !wire.isEmpty { try to.receive(wire.span, appendingTo: &received) }
        }
    }
}

/// A server's certificate for one run.
func benchCredential() throws -> TLSCredential {
    let template = CertificateTemplate(
        attributes: ["CN": "bench"],
        usages: .serverAuth,
        now: Date()
    )
    return try TLSCredential.generate(template, key: .p256)
}
