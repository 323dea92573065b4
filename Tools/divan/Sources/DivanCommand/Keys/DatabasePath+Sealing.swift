import DivanSeal
import Glibc

extension DatabasePath {
    /// The cipher of the database; `nil` if it is plain or does not exist.
    var cipher: String? {
        switch Seal.kind(ofHead: head().span) {
        case .sealed(let cipher): cipher
        case .sealedOtherwise(let number): "cipher \(number)"
        case .plain, .unknown: nil
        }
    }

    /// Whether a key is needed.
    var isSealed: Bool { cipher != nil }

    private func head() -> [UInt8] {
        let descriptor = Glibc.open(bundle + "/db.sqlite3", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 16)
        return read(descriptor, &head, head.count) == head.count ? head : []
    }
}
