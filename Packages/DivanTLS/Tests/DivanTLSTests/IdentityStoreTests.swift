import Dispatch
import DivanCrypto
import DivanPlatform
import DivanTLS
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Both stores meet the contract; the directory store keeps its files private.
@Suite struct IdentityStoreTests {
    let folder: TemporaryDirectory
    let store: DirectoryIdentityStore

    init() throws {
        folder = try TemporaryDirectory()
        store = DirectoryIdentityStore(directory: folder.file("identities"))
    }

    func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func refusal(_ action: () throws -> Void) -> CredentialError.Reason? {
        #expect(throws: CredentialError.self, performing: action)?.reason
    }

    @Test func `the in-memory store fulfills the contract`() throws {
        #expect(try IdentityStoreContract.violations(of: InMemoryIdentityStore()) == [])
    }

    @Test func `the directory store fulfills the contract`() throws {
        #expect(try IdentityStoreContract.violations(of: store) == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: store.directory)
        #expect(names == [], "no drafts are left behind")
    }

    @Test func `a renewed identity replaces the old one and keeps key and names`() throws {
        var template = CertificateTemplate(
            attributes: ["CN": "cellar", "dNSName": "cellar.local"],
            usages: [.serverAuth],
            now: Date()
        )
        template.isAuthority = true
        let old = try TLSCredential.generate(template, key: .p256)
        try store.save(old, label: "cellar")
        let later = Date() + 3 * 365 * 86_400
        let new = try old.renewed(now: Date() + 1, notAfter: later)
        try store.replace(new, label: "cellar")
        let kept = try #require(try store.credential(label: "cellar"))
        #expect(kept.leaf == new.leaf && kept.leaf != old.leaf)
        #expect(kept.leaf.isSelfSigned && kept.leaf.isAuthority)
        #expect(kept.leaf.subject == old.leaf.subject)
        #expect(kept.leaf.alternativeNames == [.hostname("cellar.local")])
        #expect(abs(kept.leaf.notAfter.timeIntervalSince(later)) < 2)
        #expect(kept.leaf.serialNumber != old.leaf.serialNumber)
        #expect(try mode("\(store.directory)/cellar.pem") == 0o600)
        let robot = try TLSCredential.generate(
            CertificateTemplate(attributes: ["CN": "robot"], usages: .clientAuth, now: Date()),
            key: .p256,
            issuer: old
        )
        let again = try robot.renewed(now: Date() + 1, notAfter: later, issuer: new)
        #expect(again.certificates == [again.leaf, new.leaf])
        for issuer in [nil, robot] {
            #expect(
                refusal { _ = try robot.renewed(now: Date(), notAfter: later, issuer: issuer) }
                    == .issuerIsNoAuthority(subject: "CN=robot")
            )
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.directory)
        #expect(names == ["cellar.pem"], "no drafts are left behind")
    }

    @Test func `the contract detects a store that loses identities`() throws {
        struct ForgetfulStore: TLSIdentityStore {
            func credential(label: String) -> TLSCredential? { nil }
            func save(_ credential: TLSCredential, label: String) {}
            func delete(label: String) {}
            func labels() -> [String] { [] }
        }
        let violations = try IdentityStoreContract.violations(of: ForgetfulStore())
        #expect(violations.contains("A saved credential must be returned with its key."))
        let keepsOld = "Saving an existing label must throw and keep the old credential."
        #expect(violations.contains(keepsOld))
    }

    @Test func `files are private to their owner, and openssl can read them`() throws {
        let credential = try Sample.server()
        try store.save(credential, label: "my listener")
        let path = store.directory + "/my%20listener.pem"
        #expect(try mode(store.directory) == 0o700)
        #expect(try mode(path) == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let subject = try OpenSSLCommand.run(["x509", "-noout", "-subject"], input: text)
        #expect(subject.contains("server"))
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o601])
    func `a file that others can access is refused`(mode: Int) throws {
        try store.save(Sample.server(), label: "x")
        let path = store.directory + "/x.pem"
        try setMode(mode, of: path)
        let reason = refusal { _ = try store.credential(label: "x") }
        #expect(reason == .exposed(path: path, mode: UInt32(mode)))
    }

    @Test func `a directory that others can access is refused for every operation`() throws {
        try store.save(Sample.server(), label: "x")
        try setMode(0o755, of: store.directory)
        let expected = CredentialError.Reason.exposed(path: store.directory, mode: 0o755)
        let credential = try Sample.server()
        #expect(refusal { _ = try store.credential(label: "x") } == expected)
        #expect(refusal { try store.save(credential, label: "y") } == expected)
        #expect(refusal { try store.delete(label: "x") } == expected)
        #expect(refusal { _ = try store.labels() } == expected)
    }

    @Test func `symbolic links are not followed`() throws {
        try store.save(Sample.server(), label: "x")
        try FileManager.default.createSymbolicLink(
            atPath: store.directory + "/y.pem",
            withDestinationPath: store.directory + "/x.pem"
        )
        let path = store.directory + "/y.pem"
        #expect(
            refusal { _ = try store.credential(label: "y") }
                == .file(path: path, errno: Errno.tooManySymbolicLinkLevels.rawValue)
        )

        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: store.directory
        )
        let linked = DirectoryIdentityStore(directory: link)
        #expect(throws: CredentialError.self) { _ = try linked.labels() }
    }

    @Test func `a damaged or unknown file is an error, not a missing identity`() throws {
        try store.save(Sample.server(), label: "x")
        let path = store.directory + "/x.pem"
        try Data("rubbish".utf8).write(to: URL(filePath: path))
        try setMode(0o600, of: path)
        #expect(refusal { _ = try store.credential(label: "x") } == .noPrivateKey)
        try Data().write(to: URL(filePath: store.directory + "/README"))
        #expect(try store.labels() == ["x"])
    }

    @Test func `concurrent saves of one label store one identity`() async throws {
        let store = store
        let credentials = try (0..<8).map { _ in try Sample.server() }
        let winners = await withTaskGroup(of: TLSCredential?.self) { group in
            for credential in credentials {
                group.addTask {
                    do {
                        try store.save(credential, label: "x")
                        return credential
                    } catch { return nil }
                }
            }
            var winners: [TLSCredential] = []
            for await winner in group {
                if let winner { winners.append(winner) }
            }
            return winners
        }
        #expect(winners.count == 1)
        #expect(try store.credential(label: "x") == winners.first)
    }
}

/// The listener's own identity is kept as long as it is valid.
extension IdentityStoreTests {
    func anonymous(at now: Date) throws -> TLSCredential {
        try AnonymousIdentity.credential(in: store, label: "db", now: now, key: .p256)
    }

    @Test func `the anonymous identity is kept until a day before it expires`() throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let first = try anonymous(at: start)
        #expect(first.leaf.subject == "CN=CBLAnonymousCertificate")
        #expect(first.leaf.isSelfSigned)

        let lastDay = first.leaf.notAfter - 86_400
        #expect(try anonymous(at: lastDay) == first)
        let second = try anonymous(at: lastDay + 1)
        #expect(second != first)
        #expect(second.leaf.matches(pin: first.leaf), "its peers need no new pin")
        #expect(second.leaf.notAfter > first.leaf.notAfter)
        #expect(try anonymous(at: lastDay + 2) == second)
        #expect(try store.labels() == ["db"])
    }

    /// Fails all writes, as a full disk does.
    private final class FullStore: TLSIdentityStore {
        let inner = InMemoryIdentityStore()

        func credential(label: String) throws -> TLSCredential? {
            try inner.credential(label: label)
        }
        func save(_ credential: TLSCredential, label: String) throws {
            throw CredentialError(.file(path: "full", errno: 28))
        }
        func replace(_ credential: TLSCredential, label: String) throws {
            throw CredentialError(.file(path: "full", errno: 28))
        }
        func delete(label: String) throws { try inner.delete(label: label) }
        func labels() throws -> [String] { try inner.labels() }
    }

    @Test func `if nothing can be written, the old identity is used while it is valid`() throws {
        let store = FullStore()
        let old = try Sample.server()
        try store.inner.save(old, label: "db")
        func renewed(_ now: Date) throws -> TLSCredential {
            try AnonymousIdentity.credential(in: store, label: "db", now: now, key: .p256)
        }
        #expect(try renewed(old.leaf.notAfter - 60) == old)
        #expect(throws: CredentialError.self) { try renewed(old.leaf.notAfter + 60) }
        #expect(try store.inner.credential(label: "db") == old, "nothing was deleted")
    }

    @Test func `concurrent renewals all return the stored identity`() throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let first = try anonymous(at: start)
        let late = first.leaf.notAfter - 60
        let found = Mutex<[TLSCredential]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            if let one = try? anonymous(at: late) { found.withLock { $0.append(one) } }
        }
        let stored = try #require(try store.credential(label: "db"))
        #expect(stored != first)
        #expect(found.withLock { $0 } == [TLSCredential](repeating: stored, count: 8))
    }

    @Test func `the second of two concurrent saves returns the first identity`() throws {
        /// Hides its contents on the first look, as in a race between two processes.
        final class RacingStore: TLSIdentityStore {
            let inner = InMemoryIdentityStore()
            let looks = Counter()
            func credential(label: String) throws -> TLSCredential? {
                looks.next() == 1 ? nil : try inner.credential(label: label)
            }
            func save(_ credential: TLSCredential, label: String) throws {
                try inner.save(credential, label: label)
            }
            func delete(label: String) throws { try inner.delete(label: label) }
            func labels() throws -> [String] { try inner.labels() }
        }
        let store = RacingStore()
        let first = try Sample.server()
        try store.inner.save(first, label: "db")
        let now = Sample.now
        let found = try AnonymousIdentity.credential(
            in: store,
            label: "db",
            now: now,
            key: .p256
        )
        #expect(found == first)
    }
}
