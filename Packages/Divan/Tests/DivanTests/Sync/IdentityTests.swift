import Divan
import DivanTestKit
import Foundation
import Testing

/// Certificates and identities.
@Suite(.timeLimit(.minutes(5))) struct IdentityTests {
    @Test func `a certificate shows its names, dates and fingerprint`() throws {
        let certificate = try TestIdentities.signed.get().certificate
        #expect(certificate.commonName == "robot" && certificate.subject.contains("CN=robot"))
        #expect(certificate.issuer.contains("robots") && !certificate.isSelfSigned)
        #expect(!certificate.isAuthority)
        #expect(certificate.fingerprint.count == 64)
        #expect(certificate.validFrom < Date() && Date() < certificate.validUntil)
        #expect(try Certificate(pem: certificate.pem) == certificate)
        #expect(try Certificate(der: certificate.der) == certificate)
        #expect("\(certificate)".contains("robot"))
        #expect(try TestIdentities.authority.get().certificate.isAuthority)
    }

    @Test func `damaged certificates are refused`() throws {
        #expect(throws: DivanError.self) { try Certificate(der: Data([1, 2, 3])) }
        let error = #expect(throws: DivanError.self) { try Certificate(pem: "hello") }
        #expect(error?.code == .invalidIdentity && error?.remedy != nil)
    }

    @Test func `an identity is read from PEM and PKCS 12, with its password only`() throws {
        let identity = try TestIdentities.signed.get()
        #expect(try Identity(pem: identity.pem()) == identity)
        #expect(try Identity(pem: identity.pem(password: "x"), password: "x") == identity)
        let pkcs12 = try identity.pkcs12(password: "secret")
        #expect(try Identity(pkcs12: pkcs12, password: "secret") == identity)
        let error = #expect(throws: DivanError.self) {
            try Identity(pkcs12: pkcs12, password: "wrong")
        }
        #expect(error?.code == .invalidIdentity)
        #expect(identity.certificates.count == 2)
    }

    @Test func `files in PEM, DER and PKCS 12 are read`() throws {
        let directory = try TemporaryDirectory()
        let identity = try TestIdentities.signed.get()
        func file(_ name: String, _ data: Data) throws -> URL {
            let url = URL(filePath: directory.file(name))
            try data.write(to: url)
            return url
        }
        let certificate = identity.certificate
        #expect(try Certificate(contentsOf: file("a.der", certificate.der)) == certificate)
        #expect(
            try Certificate(contentsOf: file("a.pem", Data(certificate.pem.utf8))) == certificate
        )
        #expect(try Identity(contentsOf: file("b.pem", Data(identity.pem().utf8))) == identity)
        let pkcs12 = try file("b.p12", identity.pkcs12(password: "x"))
        #expect(try Identity(contentsOf: pkcs12, password: "x") == identity)
        let error = #expect(throws: DivanError.self) {
            try Certificate(contentsOf: URL(filePath: directory.file("missing")))
        }
        #expect(error?.code == .notFound && error?.place.hasSuffix("missing") == true)
    }

    @Test func `identities are stored, listed, replaced and deleted by name`() throws {
        let directory = try TemporaryDirectory()
        let stores = [
            Identity.Storage.memory(),
            .directory(URL(filePath: directory.file("identities"))),
        ]
        let (first, second) = (
            try TestIdentities.signed.get(), try TestIdentities.selfSigned.get()
        )
        for storage in stores {
            #expect(try Identity.stored(as: "robot", in: storage) == nil)
            try first.store(as: "robot", in: storage)
            #expect(try Identity.stored(as: "robot", in: storage) == first)
            try second.store(as: "robot", in: storage)
            #expect(try Identity.stored(as: "robot", in: storage) == second)
            #expect(try Identity.storedNames(in: storage) == ["robot"])
            try Identity.deleteStored("robot", in: storage)
            try Identity.deleteStored("robot", in: storage)
            #expect(try Identity.storedNames(in: storage).isEmpty)
        }
    }

    @Test func `only an authority can issue identities`() throws {
        let identity = try TestIdentities.signed.get()
        let error = #expect(throws: DivanError.self) { try identity.issue(named: "other") }
        #expect(error?.code == .invalidIdentity && error?.remedy != nil)
        #expect(throws: DivanError.self) { try Identity.selfSigned(named: "") }
        #expect(throws: DivanError.self) {
            try Identity.selfSigned(named: "a", validFor: .seconds(-1))
        }
    }

    @Test func `printing an identity or a token does not show the secret`() throws {
        let identity = try TestIdentities.signed.get()
        var text = ""
        dump(identity, to: &text)
        #expect(!(text + "\(identity)").contains("PRIVATE KEY"))
        var token = ""
        dump(Sync.Token("abc"), to: &token)
        #expect(!(token + "\(Sync.Token("abc"))").contains("abc"))
    }
}

/// Encrypted fields, the log, and the metrics.
@Suite(.timeLimit(.minutes(5)), .serialized) struct SyncServiceTests {
    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
    }

    private func keys(_ byte: UInt8) throws -> FieldKeys {
        try FieldKeys(current: "1", ["1": .bytes(Data(repeating: byte, count: 32))])
    }

    @Test func `an encryptable value is encrypted for the peer, and decrypted with the key`()
        async throws
    {
        var patient = Document(id: "a", ["name": "Ada"])
        patient.insurance = .encryptable("123-45")
        #expect(patient.insurance?.decrypted?.string == "123-45")
        try await peers.notes.save(patient)
        var options = Sync.Options()
        options.fieldKeys = try keys(1)
        try await Sync(peers.here, with: peers.there, options: options).run()
        let theirs = try #require(try await peers.theirNotes.get("a"))
        #expect(theirs.name?.string == "Ada" && theirs.insurance == nil)
        #expect(!theirs.json.contains("123-45"))

        let third = try Database.inMemory(name: "third")
        _ = try await third.collection("notes")
        try await Sync(third, with: peers.there, options: options).run()
        let copy = try #require(try await third.collection("notes").get("a"))
        #expect(copy.insurance?.decrypted?.string == "123-45")
        try await third.close()
    }

    @Test func `without keys, a document with an encryptable value is not sent`() async throws {
        try await peers.notes.save(Document(id: "a", ["secret": .encryptable(1)]))
        let summary = try await Sync(peers.here, with: peers.there).run()
        #expect(summary.failureCount == 1)
        #expect(try await peers.theirNotes.get("a") == nil)
    }

    @Test func `field keys must contain the current one`() throws {
        let error = #expect(throws: DivanError.self) {
            try FieldKeys(current: "2", ["1": .bytes(Data(repeating: 1, count: 32))])
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a sink receives messages of its level, with their area`() async throws {
        let entries = Collected<Log.Entry>()
        Log.sink = Log.Sink(level: .info) { entries.append($0) }
        defer { Log.sink = nil }
        try await Sync(peers.here, with: peers.there).run()
        #expect(entries.elements.contains { $0.area == "Sync" && $0.level == .info })
        #expect(entries.elements.allSatisfy { $0.level >= .info })
        #expect(Log.sink != nil)
    }

    @Test func `the console level and the files can be changed`() throws {
        let before = Log.consoleLevel
        defer { Log.consoleLevel = before }
        Log.consoleLevel = .error
        #expect(Log.consoleLevel == .error)
        Log.consoleLevel = nil
        #expect(Log.consoleLevel == nil)
        let directory = try TemporaryDirectory()
        let files = Log.Files(in: URL(filePath: directory.file("logs")), maxFileCount: 3)
        Log.files = files
        defer { Log.files = nil }
        #expect(Log.files?.maxFileCount == 3 && Log.files?.level == .info)
        #expect(FileManager.default.fileExists(atPath: directory.file("logs")))
    }

    @Test func `the metrics count what a sync has transferred`() async throws {
        let name = "metrics-\(UUID().uuidString.prefix(8))"
        let mine = try Database.inMemory(name: name)
        try await mine.collection("notes").save(Document(id: "a"))
        let sync = Sync(mine, with: peers.there)
        try await sync.run()
        let lines = DivanMetrics.text.split(separator: "\n").filter { $0.contains(name) }
        #expect(lines.contains { $0.contains("pushed_documents_total") && $0.hasSuffix(" 1") })
        try await mine.close()
    }

    @Test func `a codec and a level of compression are used on the wire`() async throws {
        let listener = try await peers.listen(options: { $0.compression = .lz4 })
        try await peers.notes.save(
            Document(id: "a", ["text": .init(String(repeating: "a ", count: 999))])
        )
        let sync = try peers.sync(listener) { $0.compression = .lz4 }
        try await sync.run()
        #expect(sync.statistics.compression == "lz4")
        let other = try peers.sync(listener) { $0.compression = .deflate(level: 9) }
        try await other.run()
        #expect(other.statistics.compression == "deflate")
        await listener.stop()
    }
}
