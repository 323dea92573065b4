import CouchbaseLiteSwift
import DivanCrypto
import DivanTLS
import DivanTestKit
import Foundation

/// Databases in a directory, and identities that one authority has signed; with P-256 keys, because they are quick.
final class MeshPeers: Sendable {
    let group = "kitchen-\(UUID().uuidString)"
    let authority: TLSCredential
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        var template = CertificateTemplate(attributes: ["CN": "cellar"], usages: [], now: Date())
        template.isAuthority = true
        authority = try TLSCredential.generate(template, key: .p256)
    }

    var root: CouchbaseLiteSwift.TLSCertificate {
        get throws { try SecCertificate(pem: authority.leaf.pem) }
    }

    func database(_ name: String) throws -> Database {
        try Database(name: name, config: .in(directory))
    }

    func identity(
        _ name: String = "peer",
        usages: CertificateTemplate.Usages = [.clientAuth, .serverAuth],
        isSigned: Bool = true
    ) throws -> TLSIdentity {
        let template = CertificateTemplate(attributes: ["CN": name], usages: usages, now: Date())
        let credential = try TLSCredential.generate(
            template,
            key: .p256,
            issuer: isSigned ? authority : nil
        )
        return try TLSIdentity(pem: try credential.pem())
    }

    /// A mesh of peers of this process, on the loopback interface.
    func mesh(
        of database: Database,
        _ change: (inout Mesh.Configuration) throws -> Void = { _ in }
    ) throws -> Mesh {
        var configuration = Mesh.Configuration(
            group: group,
            collections: [try database.defaultCollection()],
            identity: try identity(),
            trust: .roots([try root])
        )
        configuration.discovery = .process
        configuration.networkInterface = "127.0.0.1"
        try change(&configuration)
        return try Mesh(configuration)
    }
}

extension Database {
    /// Saves a document with one number in it.
    func put(_ id: String, _ value: Int) throws {
        let document = MutableDocument(id: id)
        document.setInt(value, forKey: "value")
        try defaultCollection().save(document: document)
    }

    /// The number in a document; `nil` if there is no such document.
    func value(_ id: String) throws -> Int? {
        try defaultCollection().document(id: id)?.int(forKey: "value")
    }

    /// Waits until a document has a value.
    func wait(for id: String, _ value: Int) async throws {
        let collection = try defaultCollection()
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let queue = DispatchQueue(label: "mesh-tests")
        let token = collection.addChangeListener(queue: queue) { _ in continuation.yield() }
        defer { token.remove() }
        continuation.yield()
        for await _ in changes where try self.value(id) == value { return }
    }
}
