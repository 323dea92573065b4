import Divan
import DivanCommandLine
import DivanTLS
import Foundation

/// `divan identity renew`.
enum IdentityRenewCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity renew",
        summary: "renew the certificate of an identity, keeping its key",
        operands: [.init(name: "LABEL")],
        options: [.value("--days", "N", "how long it is valid from now (default: 365)"), .json],
        details: """
            Key, names and uses stay. Who signed the old certificate signs the new one: the identity
            itself, or an authority that is kept here, too. divan serve shows the new one when it is
            started again.

            Peers that pinned the old certificate refuse the new one until they pin that; peers that
            pinned or trust its authority notice nothing. What an authority has signed stays valid.
            """,
        examples: ["divan identity renew jukebox --days 730"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let label = arguments.operands[0]
        let store = IdentityShelf.store
        let days: Int = try arguments.number("--days", in: 1...36_500) ?? 365
        let old = try IdentityShelf.credential(label, store)
        let issuer = old.leaf.isSelfSigned ? nil : try authority(of: old, label, store)
        let now = Date()
        let new = try old.renewed(now: now, notAfter: now + Double(days) * 86_400, issuer: issuer)
        try store.replace(new, label: label)
        if let issuer, issuer.leaf.notAfter < new.leaf.notAfter {
            terminal.warn(
                "\(label) cannot be used after \(Days.text(issuer.leaf.notAfter)), when its issuer "
                    + "expires"
            )
        }
        IdentityShelf.report(new, label: label, terminal)
        if new.leaf.isAuthority {
            terminal.note("What it signed stays valid; peers that trust it need this certificate")
        } else if issuer == nil {
            terminal.note("Peers that pinned the old certificate need this one")
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
            // One that cannot be read is not the one.
            guard let kept = try? store.credential(label: label) else { continue }
            if kept.leaf.isAuthority, kept.leaf.subject == issuer { return kept }
        }
        throw Failure(
            kind: .notFound,
            sentence: "\(issuer), which signed \(label), is not kept here; have it renewed there, "
                + "or import the authority with divan identity import"
        )
    }
}
