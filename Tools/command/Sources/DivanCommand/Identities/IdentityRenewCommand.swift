import CouchbaseLiteSwift
import DivanCommandLine
import DivanTLS
import Foundation

/// `divan identity renew`.
enum IdentityRenewCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity renew",
        summary: "renew the certificate of an identity",
        operands: [.init(name: "LABEL")],
        options: [.value("--days", "N", "validity in days from now (default: 365)"), .json],
        details: """
            Keeps the key, the names and the purpose. The new certificate has the same issuer: the
            identity itself, or an authority on this machine. Restart 'divan serve', or send it
            SIGHUP, to use the new certificate.

            Divan's peers that pinned a self-signed certificate accept the new one, because its key
            is the same; Couchbase Lite's must pin it. Peers that pinned or trust the authority are
            not affected. Certificates that a renewed authority has signed stay valid.
            """,
        examples: ["divan identity renew jukebox --days 730"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let label = arguments.operands[0]
        let store = StoredIdentities.store
        let days: Int = try arguments.number("--days", in: 1...36_500) ?? 365
        let old = try StoredIdentities.credential(label, store)
        let issuer = old.leaf.isSelfSigned ? nil : try authority(of: old, label, store)
        let now = Date()
        let new = try old.renewed(now: now, notAfter: now + Double(days) * 86_400, issuer: issuer)
        try store.replace(new, label: label)
        if let issuer, issuer.leaf.notAfter < new.leaf.notAfter {
            terminal.warn(
                "\(label) cannot be used after \(Days.text(issuer.leaf.notAfter)), because its "
                    + "issuer expires then"
            )
        }
        StoredIdentities.report(new, label: label, terminal)
        if new.leaf.isAuthority {
            terminal.note("Give this certificate to peers that trust the authority")
            terminal.note("Certificates that the authority has signed stay valid")
        } else if issuer == nil {
            terminal.note("Divan's peers that pinned the old certificate accept this one")
            terminal.note("Give it to peers that use Couchbase Lite")
        }
    }

    /// The stored authority that signed an identity.
    private static func authority(
        of credential: TLSCredential,
        _ label: String,
        _ store: DirectoryIdentityStore
    ) throws -> TLSCredential {
        let issuer = credential.leaf.issuer
        for label in try store.labels() {
            // Unreadable identities are skipped.
            guard let kept = try? store.credential(label: label) else { continue }
            if kept.leaf.isAuthority, kept.leaf.subject == issuer { return kept }
        }
        throw Failure(
            kind: .notFound,
            sentence: "\(issuer), the issuer of \(label), is not on this machine",
            hint: "renew \(label) where the issuer is, or import the issuer with 'divan identity "
                + "import'"
        )
    }
}
