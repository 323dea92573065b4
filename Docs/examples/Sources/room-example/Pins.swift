import Divan
import Foundation

/// The certificates that peers presented first.
///
/// From then on, a peer must present the same certificate.
struct Pins: Sendable {
    private let directory: URL

    init(directory: URL) throws {
        self.directory = directory.appending(path: "pins")
        try FileManager.default.createDirectory(
            at: self.directory,
            withIntermediateDirectories: true
        )
    }

    /// The certificate of a peer; `nil` if the peer has never been seen.
    func certificate(of peer: String) -> Certificate? {
        try? Certificate(contentsOf: file(of: peer))
    }

    /// Stores the certificate of a new peer.
    func pin(_ certificate: Certificate, of peer: String) throws {
        try Data(certificate.pem.utf8).write(to: file(of: peer), options: .atomic)
    }

    /// The file of a peer; the peer's name is untrusted, so it is encoded.
    func file(of peer: String) -> URL {
        let name = peer.utf8.map { String($0, radix: 16) }.joined(separator: "-")
        return directory.appending(path: "\(name).pem")
    }
}
