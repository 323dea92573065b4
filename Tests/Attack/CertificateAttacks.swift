import CouchbaseLiteSwift
import DivanCrypto
import DivanTLS
import Foundation

/// Certificates that are wrong in one respect each, against a listener that trusts one root, and against
/// a client.
struct CertificateAttacks {
    let attacked: AttackedProcess
    let report: Report
    let authority: TLSCredential

    /// Creates the root that the listener is to trust, and writes it where the listener looks.
    static func makeAuthority(in directory: String) throws -> TLSCredential {
        let authority = try TLSCredential.generate(
            template("root", authority: true),
            key: .p256
        )
        try authority.leaf.pem.write(
            toFile: directory + "/root.pem",
            atomically: true,
            encoding: .utf8
        )
        return authority
    }

    private static func template(
        _ name: String,
        _ usages: CertificateTemplate.Usages = .clientAuth,
        authority: Bool = false,
        from start: Date = Date(),
        until end: Date? = nil
    ) -> CertificateTemplate {
        var template = CertificateTemplate(
            attributes: ["CN": name],
            usages: authority ? [] : usages,
            now: start,
            notAfter: end
        )
        template.isAuthority = authority
        return template
    }

    private func make(
        _ template: CertificateTemplate,
        _ issuer: TLSCredential?
    ) throws -> TLSCredential {
        try TLSCredential.generate(template, key: .p256, issuer: issuer)
    }

    func run() {
        report.heading("Certificates")
        let day = 86_400.0
        report.attack("a sound certificate", "101") {
            try shown(try make(Self.template("robot"), authority))
        }
        report.attack("none", "refused") { try shown(nil) }
        report.attack("expired", "refused") {
            let template = Self.template("robot", until: Date(timeIntervalSinceNow: -30))
            return try shown(try make(template, authority))
        }
        report.attack("not yet valid", "refused") {
            let start = Date(timeIntervalSinceNow: day)
            let template = Self.template("robot", from: start)
            return try shown(try make(template, authority))
        }
        report.attack("a server's certificate as a client's", "refused") {
            try shown(try make(Self.template("robot", .serverAuth), authority))
        }
        report.attack("self-signed where a root is asked", "refused") {
            try shown(try make(Self.template("robot"), nil))
        }
        report.attack("signed by another root of the same name", "refused") {
            let other = try make(Self.template("root", authority: true), nil)
            return try shown(try make(Self.template("robot"), other))
        }
        report.attack("signed by a client's certificate", "refused") { try signedByClient() }
        report.attack("a chain of twenty authorities", "refused", "431") { try longChain() }
        report.attack("struck off the list", "403") {
            let credential = try make(Self.template("lost-robot"), authority)
            guard try shown(credential) == "101" else { return "refused too early" }
            _ = try attacked.ask("strike lost-robot")
            return try shown(credential)
        }
        runAgainstClient()
    }

    /// How the certificate listener reacts to a client.
    private func shown(_ credential: TLSCredential?) throws -> String {
        let wire = try Wire(to: attacked.certificates.port, from: Sources.next())
        do {
            try wire.startTLS(presenting: credential)
        } catch {
            return "refused"
        }
        wire.send(Request(path: "/attacked/_blipsync").bytes)
        return Request.status(wire.receive()).map(String.init) ?? "refused"
    }

    /// The library refuses to sign with a certificate that is not an authority, so the chain is assembled by hand.
    private func signedByClient() throws -> String {
        let client = try make(Self.template("robot"), authority)
        var template = Self.template("robot", authority: true)
        template.attributes = ["CN": "robot"]
        // The same key, so that the only fault is that the client is no authority.
        let posing = try TLSCredential.make(template, key: client.key)
        let leaf = try make(Self.template("thief"), posing)
        let chain = [leaf.leaf, client.leaf, authority.leaf]
        return try shown(try TLSCredential(certificates: chain, key: leaf.key))
    }

    private func longChain() throws -> String {
        var issuer = authority
        for number in 0..<20 {
            issuer = try make(Self.template("middle-\(number)", authority: true), issuer)
        }
        return try shown(try make(Self.template("robot"), issuer))
    }

    private func runAgainstClient() {
        report.attack("a listener whose certificate is good for another name", "5015", "5008") {
            var template = Self.template("elsewhere", .serverAuth)
            template.attributes["dNSName"] = "elsewhere.example"
            let credential = try make(template, authority)
            return try clientCode(credential)
        }
        report.attack("a listener whose certificate has expired", "5007") {
            var template = Self.template(
                "here",
                .serverAuth,
                until: Date(timeIntervalSinceNow: -30)
            )
            template.attributes["iPAddress"] = "127.0.0.1"
            return try clientCode(try make(template, authority))
        }
    }

    /// How a replicator that trusts the root ends at a listener with this certificate.
    private func clientCode(_ credential: TLSCredential) throws -> String {
        var options = DatabaseConfiguration()
        options.directory = attacked.directory + "/\(UUID().uuidString)"
        let database = try Database(name: "names", config: options)
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        var listening = URLEndpointListenerConfiguration(collections: [collection])
        listening.networkInterface = "127.0.0.1"
        listening.tlsIdentity = try TLSIdentity(pem: credential.pem())
        let listener = URLEndpointListener(config: listening)
        try listener.start()
        defer { listener.stop() }
        let target = try URLEndpoint(validating: "wss://127.0.0.1:\(listener.port ?? 0)/names")
        var configuration = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: collection)],
            target: target
        )
        configuration.trustedRootCertificates = Data(authority.leaf.derBytes)
        configuration.maxAttempts = 1
        let replicator = Replicator(config: configuration)
        let stopped = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "attack.client")
        let token = replicator.addChangeListener(withQueue: queue) { change in
            if change.status.activity == .stopped { stopped.signal() }
        }
        defer { token.remove() }
        replicator.start()
        _ = stopped.wait(timeout: .now() + 20)
        return "\((replicator.status.error as NSError?)?.code ?? 0)"
    }
}
