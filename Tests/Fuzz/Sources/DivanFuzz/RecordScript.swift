import DivanCrypto
import DivanTLS
import Foundation

/// Reads an input as edits to an honest peer's flights, and bytes of its own, for one session.
///
/// Records are encrypted, so bytes alone would not get far: the peer is real, and the input says
/// which of its bytes arrive changed, truncated, twice, or with foreign ones between them.
struct RecordScript {
    let victim: TLSContext.Role

    private enum Edit: UInt8 {
        case none, flip, cut, insert, repeats, send, close
    }

    func violation(of input: [UInt8]) -> String? {
        do {
            let context = try Contexts.shared.get()
            let client = try TLSSession(context.client, serverName: "localhost")
            let server = try TLSSession(context.server)
            let (tested, peer) = victim == .server ? (server, client) : (client, server)
            return run(input, tested, peer)
        } catch {
            return "no sessions: \(error)"
        }
    }

    private func run(_ input: [UInt8], _ tested: TLSSession, _ peer: TLSSession) -> String? {
        var reader = InputReader(input)
        var failure: TLSError?
        var discarded: [UInt8] = []
        for _ in 0..<64 {
            var answer: [UInt8] = []
            tested.takeOutput(appendingTo: &answer)
            try? peer.receive(answer.span, appendingTo: &discarded)
            let edit = Edit(rawValue: reader.byte() % 7) ?? .none
            if edit == .send { try? peer.send(reader.piece().span) }
            if edit == .close { peer.close() }
            let flight = edited(peer, edit, &reader)
            if flight.isEmpty, reader.isAtEnd { break }
            var plaintext: [UInt8] = []
            do {
                try tested.receive(flight.span, appendingTo: &plaintext)
                if let failure { return "continues after \(failure)" }
            } catch {
                if let failure, failure != error { return "\(error) after \(failure)" }
                failure = error
                _ = error.description
                if tested.state != .closed { return "is \(tested.state) after \(error)" }
            }
            if plaintext.count > flight.count + 16_384 {
                return "\(flight.count) bytes become \(plaintext.count)"
            }
        }
        try? tested.receiveEnd()
        return nil
    }

    private func edited(
        _ peer: TLSSession,
        _ edit: Edit,
        _ reader: inout InputReader
    ) -> [UInt8] {
        var flight: [UInt8] = []
        peer.takeOutput(appendingTo: &flight)
        switch edit {
        case .none, .send, .close: break
        case .flip:
            let place = reader.count()
            let change = reader.byte()
            if place < flight.count { flight[place] ^= change }
        case .cut: flight = Array(flight.prefix(reader.count()))
        case .insert:
            let place = min(reader.count(), flight.count)
            flight.insert(contentsOf: reader.piece(), at: place)
        case .repeats: flight += flight
        }
        return flight
    }

    /// An undisturbed conversation, one edit of each kind, and bytes that are not TLS.
    static let seeds: [[UInt8]] = [
        [0, 0, 0, 0, 5, 40, 0] + [UInt8](repeating: 65, count: 40) + [6],
        [1, 5, 0, 1, 0, 0], [0, 1, 80, 0, 255, 0], [0, 0, 1, 60, 0, 4], [2, 40, 0, 0, 0],
        [3, 0, 0, 7, 0, 0x15, 0x03, 0x03, 0, 2, 2, 40], [0, 3, 5, 0, 3, 0, 1, 2, 3, 0],
        [4, 4, 4, 0],
        [0, 0, 0, 5, 3, 0, 1, 2, 3, 1, 6, 0, 64, 6],
        [3, 0, 0, 18, 0] + Array("GET / HTTP/1.1\r\n\r\n".utf8),
        [3, 0, 0, 9, 0, 0x16, 0x03, 0x01, 0x40, 0x00, 0x01, 0xFF, 0xFF, 0xFF],
        [0, 0, 0, 3, 0, 0, 6, 0, 0x14, 0x03, 0x03, 0, 1, 1],
    ]
}

/// One pair of contexts for the whole run: a key is expensive to generate.
private enum Contexts {
    static let shared = Swift.Result { try make() }

    private static func make() throws -> (client: TLSContext, server: TLSContext) {
        let template = CertificateTemplate(
            attributes: ["CN": "server", "dNSName": "localhost"],
            usages: .serverAuth,
            now: Date()
        )
        let credential = try TLSCredential.generate(template, key: .p256)
        let trust = ServerTrust.pinned(credential.certificates[0])
        return (
            try .client(ClientTLSConfiguration(serverTrust: trust, credential: credential)),
            try .server(
                ServerTLSConfiguration(
                    credential: credential,
                    clientCertificates: .callback { _ in true }
                )
            )
        )
    }
}
