import CouchbaseLiteSwift
import DivanCommandLine
import Foundation
import Synchronization

/// The certificates that peers need, read from files: their own (`--client-certificate`), or those of the authorities
/// that signed theirs (`--client-ca`).
///
/// May be used from any thread.
final class ClientCertificates: Sendable {
    private struct State {
        var certificates: [SecCertificate]
        /// How often they have changed.
        var edition: UInt64 = 0
    }

    private let files: [String]
    private let areAuthorities: Bool
    private let state: Mutex<State>

    /// Reads the files that the arguments name; `nil` if they name none.
    init?(_ arguments: Arguments) throws {
        areAuthorities = arguments.has("--client-ca")
        files = arguments.values(areAuthorities ? "--client-ca" : "--client-certificate")
        guard !files.isEmpty else { return nil }
        state = Mutex(State(certificates: try Self.read(files)))
    }

    /// Which edition of the certificates is valid.
    var edition: UInt64 { state.withLock { $0.edition } }

    /// Reads the files again; returns whether the certificates have changed.
    func reload() throws -> Bool {
        let fresh = try Self.read(files)
        return state.withLock { state in
            guard state.certificates != fresh else { return false }
            state.certificates = fresh
            state.edition += 1
            return true
        }
    }

    /// Accepts peers with one of the current certificates, or with one that the authorities signed.
    var authenticator: ListenerCertificateAuthenticator {
        guard !areAuthorities else {
            return ListenerCertificateAuthenticator(rootCerts: state.withLock { $0.certificates })
        }
        return ListenerCertificateAuthenticator { [weak self] chain in
            guard let self, let own = chain.first else { return false }
            let now = Date()
            return state.withLock { $0.certificates.contains(own) } && own.notBefore <= now
                && now <= own.notAfter
        }
    }

    private static func read(_ files: [String]) throws -> [SecCertificate] {
        try files.flatMap { try IdentityFile.readCertificates($0) }
    }
}
