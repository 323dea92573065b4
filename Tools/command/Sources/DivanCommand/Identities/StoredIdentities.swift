import CouchbaseLiteSwift
import DivanCommandLine
import DivanCrypto
import DivanJSON
import DivanTLS
import Foundation

/// The stored identities, and their descriptions.
enum StoredIdentities {
    static var store: DirectoryIdentityStore {
        DirectoryIdentityStore(directory: TLSIdentity.storeDirectory)
    }

    /// The identity under a label.
    ///
    /// - Throws: `Failure` if there is none.
    static func credential(
        _ label: String,
        _ store: DirectoryIdentityStore = store
    ) throws -> TLSCredential {
        guard let credential = try store.credential(label: label) else {
            throw Failure(
                kind: .notFound,
                sentence: "identity '\(label)' not found in \(store.directory)",
                hint: "run 'divan identity ls' to list the identities, or 'divan identity new "
                    + "\(label.wordForShell)' to create this one"
            )
        }
        return credential
    }

    /// The identity with a label, or from a file.
    ///
    /// A name that contains a slash or ends in `.pem`, `.p12` or `.pfx` is a file; an encrypted one is opened
    /// with the password in the environment variable `DIVAN_IDENTITY_PASSWORD`.
    static func credential(named text: String, _ terminal: Terminal) throws -> TLSCredential {
        let isFile =
            text.contains("/") || [".pem", ".p12", ".pfx"].contains { text.hasSuffix($0) }
        return isFile ? try IdentityFile.read(text, terminal) : try credential(text)
    }

    /// The same for the public API.
    static func identity(_ text: String, _ terminal: Terminal) throws -> TLSIdentity {
        try TLSIdentity(pem: try credential(named: text, terminal).pem())
    }

    /// Describes an identity, for people or machines.
    ///
    /// `owner` is the purpose that it was created for, if known.
    static func report(
        _ credential: TLSCredential,
        label: String?,
        usedFor owner: String? = nil,
        _ terminal: Terminal
    ) {
        var chain = credential.certificates.map(CertificateSummary.init)
        if terminal.isJSON {
            var object: JSONObject = [
                "key": .string("\(credential.key)"),
                "certificates": .array(chain.map(\.json)),
            ]
            if let label { object["label"] = .string(label) }
            object["for"] = .string(owner ?? CertificateSummary(credential.leaf).purpose)
            return terminal.result(JSON.object(object).canonicalText)
        }
        if let label { terminal.result(label.escapingControlCharacters()) }
        let leaf = chain.removeFirst()
        for line in leaf.lines { terminal.result("  " + line) }
        terminal.result("  key      \(credential.key)")
        for (number, card) in chain.enumerated() {
            terminal.result("issuer \(number + 1)")
            for line in card.lines { terminal.result("  " + line) }
        }
    }
}

/// A summary of a certificate.
struct CertificateSummary {
    let certificate: DivanTLS.TLSCertificate

    init(_ certificate: DivanTLS.TLSCertificate) {
        self.certificate = certificate
    }

    /// One fact per line.
    var lines: [String] {
        let names = certificate.alternativeNames.map(\.value).joined(separator: ", ")
        return [
            "subject  \(certificate.subject)",
            "issuer   \(certificate.isSelfSigned ? "itself" : certificate.issuer)",
            "names    \(names.isEmpty ? "none except the subject" : names)",
            "valid    \(Days.text(certificate.notBefore)) to \(Days.text(certificate.notAfter))"
                + problem.map { ", \($0)" }.orEmpty,
            "usage    \(purpose)",
            "SHA-256  \(certificate.sha256Fingerprint)",
        ].map { $0.escapingControlCharacters() }
    }

    /// The purpose that peers accept it for.
    var purpose: String {
        if certificate.isAuthority { return "certificate authority" }
        if certificate.usages == .serverAuth { return "server" }
        if certificate.usages == .clientAuth { return "client" }
        return "server and client"
    }

    /// The same for machines.
    var json: JSON {
        [
            "subject": .string(certificate.subject), "issuer": .string(certificate.issuer),
            "selfSigned": .bool(certificate.isSelfSigned),
            "authority": .bool(certificate.isAuthority),
            "names": .array(certificate.alternativeNames.map { .string($0.value) }),
            "notBefore": .string(Days.moment(certificate.notBefore)),
            "notAfter": .string(Days.moment(certificate.notAfter)),
            "serialNumber": .string(certificate.serialNumber),
            "sha256": .string(certificate.sha256Fingerprint),
        ]
    }

    /// The problem with its validity period.
    var problem: String? {
        let now = Date()
        if certificate.notAfter < now { return "EXPIRED" }
        if certificate.notBefore > now { return "NOT YET VALID" }
        let days = Int(certificate.notAfter.timeIntervalSince(now) / 86_400)
        return days < 30 ? "expires in \(Numbers.count(days, "day"))" : nil
    }
}

/// Dates and times of certificates.
enum Days {
    /// Returns `2026-11-20`.
    static func text(_ date: Date) -> String { String(moment(date).prefix(10)) }

    /// Returns `2026-11-20T08:00:00Z`.
    static func moment(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension String? {
    /// The text, or an empty one.
    var orEmpty: String { self ?? "" }
}
