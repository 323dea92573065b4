import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanPlatform
import DivanTLS
import Foundation

/// `divan identity ls`.
enum IdentityListCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity ls",
        summary: "list the identities on this machine",
        options: [.json],
        details: """
            Prints the label, the expiration date, the subject, the purpose and the fingerprint of
            each identity. Use the label with --identity and the other commands.

            Identities named CBL-ANON-… were created by 'divan serve' without --identity; their
            database is listed if it is known. Identities are stored in the data directory, or in
            $DIVAN_IDENTITY_DIRECTORY.
            """,
        examples: ["divan identity ls", "divan identity ls --json | jq .label"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = StoredIdentities.store
        let labels = try store.labels()
        let width = labels.map(\.cellCount).max() ?? 0
        let owners = IdentityOwners(of: labels)
        for label in labels {
            let line: String
            var fingerprint: String?
            do {
                guard let credential = try store.credential(label: label) else { continue }
                let owner = owners.sentence(for: label)
                if terminal.isJSON {
                    StoredIdentities.report(credential, label: label, usedFor: owner, terminal)
                    continue
                }
                let card = CertificateSummary(credential.leaf)
                line =
                    "\(Days.text(credential.leaf.notAfter))  \(credential.leaf.subject)  "
                    + (owner ?? card.purpose) + card.problem.map { "  \($0)" }.orEmpty
                fingerprint = credential.leaf.sha256Fingerprint
            } catch {
                if terminal.isJSON {
                    let object: JSON = ["label": .string(label), "error": .string("\(error)")]
                    terminal.result(object.canonicalText)
                    continue
                }
                line = "unusable: \(error)"
            }
            terminal.result("\(label.padding(to: width))  \(line)".escapingControlCharacters())
            if let fingerprint { terminal.result("  SHA-256  \(fingerprint)") }
        }
        if labels.isEmpty {
            terminal.note("No identities; run 'divan identity new LABEL' to create one")
        }
    }
}

/// `divan identity show`.
enum IdentityShowCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity show",
        summary: "show the certificate of an identity",
        operands: [.init(name: "LABEL")],
        options: [.json],
        details: "Also prints the directory of the file. The private key is not shown.",
        examples: ["divan identity show jukebox"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let label = arguments.operands[0]
        StoredIdentities.report(try StoredIdentities.credential(label), label: label, terminal)
        terminal.note("Stored in \(StoredIdentities.store.directory)")
    }
}

/// `divan identity export`.
enum IdentityExportCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity export",
        summary: "export the certificate of an identity, or its key",
        operands: [.init(name: "LABEL")],
        options: [
            .flag("--chain", "include the issuers' certificates"),
            .value("--pem", "FILE", completion: .file, "write certificates and key as PEM"),
            .value("--p12", "FILE", completion: .file, "write certificates and key as PKCS#12"),
            Secret.option,
            .flag("--no-password", "do not encrypt the key (with --pem only)"),
            .json,
        ],
        details: """
            Without --pem and --p12, prints the certificate, which is not secret, for peers to pin.
            A file with the key can be read only by you, and the key is encrypted with a password.
            \(Secret.details)
            """,
        examples: [
            "divan identity export jukebox > jukebox.pem",
            "divan identity export robot --p12 robot.p12",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let label = arguments.operands[0]
        let credential = try StoredIdentities.credential(label)
        let isPlain = arguments.has("--no-password")
        if let file = arguments.value("--p12") {
            guard !isPlain, !arguments.has("--pem") else {
                let other = isPlain ? "--no-password" : "--pem"
                throw Failure.usage("'--p12' and '\(other)' cannot be combined")
            }
            let password = try password(arguments, label)
            let bytes = try credential.pkcs12(password: password, name: label)
            try write(bytes, file, label, terminal)
        } else if let file = arguments.value("--pem") {
            let password = isPlain ? nil : try password(arguments, label)
            try write(Array(try credential.pem(password: password).utf8), file, label, terminal)
        } else {
            let shown = arguments.has("--chain") ? credential.certificates : [credential.leaf]
            let pem = shown.map(\.pem).joined()
            guard terminal.isJSON else { return terminal.result(bytes: Array(pem.utf8)) }
            let object: JSON = [
                "label": .string(label), "pem": .string(pem),
                "fingerprint": .string(credential.leaf.sha256Fingerprint),
            ]
            terminal.result(object.canonicalText)
        }
    }

    private static func password(_ arguments: Arguments, _ label: String) throws -> String {
        try Secret.read(arguments, prompt: "Password for the file of \(label)", isNew: true)
    }

    private static func write(
        _ bytes: [UInt8],
        _ file: String,
        _ label: String,
        _ terminal: Terminal
    ) throws {
        try PrivateFile.write(bytes, to: file, isReplacing: false)
        terminal.done(
            "Wrote \(file), which contains the private key; keep it secret",
            ["label": .string(label), "path": .string(file)]
        )
    }
}

/// `divan identity import`.
enum IdentityImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity import",
        summary: "import a key and its certificates from a file",
        operands: [.init(name: "LABEL"), .init(name: "FILE", completion: .file)],
        options: [Secret.option, .json],
        details: """
            FILE is PEM with the key and the certificates, or PKCS#12 (.p12, .pfx). An encrypted
            file requires its password. \(Secret.details)
            """,
        examples: ["divan identity import robot robot.p12 --password-file secret.txt"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let (label, file) = (arguments.operands[0], arguments.operands[1])
        let bytes = try IdentityFile.contents(file)
        let credential: TLSCredential
        do {
            credential = try read(bytes, arguments)
        } catch let error as CredentialError {
            throw Failure(kind: .invalid, text: "\(file): \(error)")
        }
        try StoredIdentities.store.save(credential, label: label)
        StoredIdentities.report(credential, label: label, terminal)
    }

    private static func read(_ bytes: [UInt8], _ arguments: Arguments) throws -> TLSCredential {
        if bytes.starts(with: Array("-----BEGIN".utf8)) {
            let text = String(decoding: bytes, as: UTF8.self)
            let password = text.contains("ENCRYPTED") ? try Secret.read(arguments) : nil
            return try TLSCredential(pem: text, password: password)
        }
        if let plain = try? TLSCredential(pkcs12: bytes.span, password: nil) { return plain }
        return try TLSCredential(pkcs12: bytes.span, password: try Secret.read(arguments))
    }
}

/// `divan identity rm`.
enum IdentityRemoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "identity rm",
        summary: "delete identities with their private keys",
        operands: [.init(name: "LABEL", isRepeating: true)],
        options: [.unneededYes, .dryRun, .json],
        details: """
            A deleted key cannot be recovered. Peers that pinned its certificate reject a new
            identity. To keep a copy, run 'divan identity export --p12' first.
            """,
        examples: ["divan identity rm robot"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let store = StoredIdentities.store
        let known = Set(try store.labels().map { ExactText($0) })
        for label in arguments.operands where !known.contains(ExactText(label)) {
            _ = try StoredIdentities.credential(label, store)
        }
        let names = arguments.operands.joined(separator: ", ")
        let labels = JSON.array(arguments.operands.map { .string($0) })
        if arguments.has("--dry-run") {
            return terminal.done("Would delete \(names)", ["forgot": labels, "dryRun": true])
        }
        try terminal.confirm("Delete \(names)?", isSure: arguments.has("--yes"))
        for label in arguments.operands { try store.delete(label: label) }
        terminal.done("Deleted \(names)", ["forgot": labels, "dryRun": false])
    }
}

extension Terminal {
    /// Asks for confirmation before something that has a consequence, such as that it cannot be undone.
    ///
    /// - Throws: `Failure` unless the answer is yes; without a terminal only `isSure` counts.
    func confirm(
        _ question: String,
        because consequence: String = "This cannot be undone",
        isSure: Bool
    ) throws(Failure) {
        if isSure { return }
        guard FileDescriptor.standardInput.isTerminal else {
            throw .usage(
                "confirmation required: \(question) \(consequence)",
                hint: "add '--yes' to confirm"
            )
        }
        write("\(question.escapingControlCharacters()) [y/N] ", to: .standardError)
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw Failure(kind: .interrupted, sentence: "nothing was changed")
        }
    }
}
