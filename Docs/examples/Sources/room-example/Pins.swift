import CouchbaseLiteSwift
import Foundation

/// The certificates that peers presented first.
///
/// From then on, a peer must present the same certificate.
struct Pins {
    private let directory: String

    init(directory: String) throws {
        self.directory = directory + "/pins"
        try FileManager.default.createDirectory(
            atPath: self.directory,
            withIntermediateDirectories: true
        )
    }

    /// The certificate of a peer; `nil` if the peer has never been seen.
    func certificate(of peer: String) -> TLSCertificate? {
        guard let pem = try? String(contentsOfFile: path(peer), encoding: .utf8) else { return nil }
        return try? TLSCertificate(pem: pem)
    }

    /// Stores the certificate of a new peer.
    func pin(_ certificate: TLSCertificate, of peer: String) throws {
        try certificate.pem.write(toFile: path(peer), atomically: true, encoding: .utf8)
    }

    /// The file of a peer; the peer's name is untrusted, so it is encoded.
    func path(_ peer: String) -> String {
        let name = peer.utf8.map { String($0, radix: 16) }.joined(separator: "-")
        return "\(directory)/\(name).pem"
    }
}
