import Divan
import Foundation

/// The certificates of peers, each as it was seen first: from then on a peer is who shows it.
struct Pins {
    private let directory: String

    init(directory: String) throws {
        self.directory = directory + "/pins"
        try FileManager.default.createDirectory(
            atPath: self.directory,
            withIntermediateDirectories: true
        )
    }

    /// The certificate of a peer; `nil` when it has never been seen.
    func certificate(of peer: String) -> TLSCertificate? {
        guard let pem = try? String(contentsOfFile: path(peer), encoding: .utf8) else { return nil }
        return try? TLSCertificate(pem: pem)
    }

    /// Keeps the certificate of a peer that was not known before.
    func pin(_ certificate: TLSCertificate, of peer: String) throws {
        try certificate.pem.write(toFile: path(peer), atomically: true, encoding: .utf8)
    }

    /// The file of a peer; its name comes from a stranger, so it is written in a harmless form.
    func path(_ peer: String) -> String {
        let name = peer.utf8.map { String($0, radix: 16) }.joined(separator: "-")
        return "\(directory)/\(name).pem"
    }
}
