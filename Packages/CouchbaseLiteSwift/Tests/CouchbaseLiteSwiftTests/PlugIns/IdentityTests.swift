import CouchbaseLiteSwift
import DivanTLS
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// An identity store of the application that may be locked.
private final class LockableIdentityStore: TLSIdentityStore {
    struct Locked: Error, CustomStringConvertible {
        let description = "the vault is locked"
    }

    private let inner = InMemoryIdentityStore()
    private let isLocked = Atomic(false)
    let labelsRead = Heard<String>()

    func lock() { isLocked.store(true, ordering: .relaxed) }

    func credential(label: String) throws -> TLSCredential? {
        guard !isLocked.load(ordering: .relaxed) else { throw Locked() }
        labelsRead.append(label)
        return try inner.credential(label: label)
    }

    func save(_ credential: TLSCredential, label: String) throws {
        try inner.save(credential, label: label)
    }

    func delete(label: String) throws { try inner.delete(label: label) }

    func labels() throws -> [String] { try inner.labels() }
}

/// TLS identities in a store of the application.
@Suite(.timeLimit(.minutes(5))) struct CustomIdentityStoreTests {
    private func identity(_ label: String, _ vault: LockableIdentityStore) throws -> TLSIdentity {
        try TLSIdentity.createIdentity(
            for: .clientAuth,
            attributes: [certAttrCommonName: label],
            label: label,
            in: vault
        )
    }

    @Test func `a custom store passes the contract`() throws {
        #expect(try IdentityStoreContract.violations(of: LockableIdentityStore()) == [])
    }

    @Test func `a listener keeps its self-signed identity in a custom store`() throws {
        let peers = try Peers()
        let vault = LockableIdentityStore()
        let listener = try peers.listen { $0.identities = vault }
        let label = try #require(try TLSIdentity.labels(in: vault).first)
        #expect(label.hasPrefix("CBL-ANON-"))
        let stored = try TLSIdentity.identity(withLabel: label, in: vault)
        #expect(stored?.certs == listener.tlsIdentity?.certs)
        #expect(try TLSIdentity.identity(withLabel: label) == nil)
        listener.stop()

        let second = try peers.listen { $0.identities = vault }
        #expect(second.tlsIdentity?.certs == stored?.certs)
        second.stop()
        vault.lock()
        let error = #expect(throws: NSError.self) {
            _ = try peers.listen { $0.identities = vault }
        }
        #expect(error?.localizedDescription == "the vault is locked")
    }

    @Test func `a replicator reads its certificate from a custom store at each start`() async throws
    {
        let peers = try Peers()
        let vault = LockableIdentityStore()
        let first = try identity("till", vault)
        let accepted = Heard<[SecCertificate]>()
        let listener = try peers.listen {
            $0.authenticator = ListenerCertificateAuthenticator { chain in
                accepted.append(chain)
                return true
            }
        }
        defer { listener.stop() }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.acceptOnlySelfSignedServerCertificate = true
        configuration.resumesTLSSessions = false
        configuration.authenticator = StoredIdentityAuthenticator(label: "till", in: vault)
        let replicator = Replicator(config: configuration)
        #expect(await replicator.finalCode() == 0)
        #expect(accepted.elements.last == first.certs)
        #expect(vault.labelsRead.elements.contains("till"))

        try TLSIdentity.deleteIdentity(withLabel: "till", in: vault)
        let code = await replicator.finalCode()
        #expect(code == CBLError.crypto)
        let second = try identity("till", vault)
        #expect(await replicator.finalCode() == 0)
        #expect(accepted.elements.last == second.certs)
    }

    @Test func `identities are created, imported and deleted in a custom store`() throws {
        let vault = LockableIdentityStore()
        let made = try identity("a", vault)
        #expect(try TLSIdentity.identity(withLabel: "a", in: vault)?.certs == made.certs)
        let taken = #expect(throws: NSError.self) { _ = try identity("a", vault) }
        #expect(taken?.code == CBLError.crypto)
        let damaged = #expect(throws: NSError.self) {
            _ = try TLSIdentity.importIdentity(
                withData: Data("x".utf8),
                password: nil,
                label: "b",
                in: vault
            )
        }
        #expect(damaged?.code == CBLError.crypto)
        #expect(try TLSIdentity.labels(in: vault) == ["a"])
        try TLSIdentity.deleteIdentity(withLabel: "a", in: vault)
        #expect(try TLSIdentity.labels(in: vault).isEmpty)
    }
}
