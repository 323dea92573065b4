import Divan
import Foundation
import Testing

/// Which peers a sync trusts.
@Suite(.timeLimit(.minutes(5))) struct SyncTrustTests {
    private let peers: SyncPeers

    init() throws {
        peers = try SyncPeers()
    }

    @Test func `an unknown certificate is refused, and the error shows what to do`() async throws {
        let listener = try await peers.listen(identity: TestIdentities.selfSigned.get())
        let sync = try peers.sync(listener)
        let error = await failure(of: sync)
        #expect(error?.code == .untrusted)
        #expect(error?.remedy != nil)
        #expect(error?.place.contains("127.0.0.1") == true)
        #expect(sync.peerCertificate == listener.certificate)
        #expect(listener.certificate?.commonName == "jukebox")
        await listener.stop()
    }

    @Test func `the pinned certificate is accepted, and another one is refused`() async throws {
        let listener = try await peers.listen(identity: TestIdentities.selfSigned.get())
        let certificate = try #require(listener.certificate)
        try await peers.notes.save(Document(id: "a", ["n": 1]))
        let summary = try await peers.sync(listener, trust: .pinned(certificate)).run()
        #expect(summary.pushedCount == 1 && summary.failures.isEmpty)
        #expect(try await peers.theirNotes.get("a") != nil)

        let other = try TestIdentities.signed.get().certificate
        let error = await failure(of: try peers.sync(listener, trust: .pinned(other)))
        #expect(error?.code == .untrusted)
        await listener.stop()
    }

    @Test func `a certificate of the authority is accepted, and of another one refused`()
        async throws
    {
        let listener = try await peers.listen(identity: TestIdentities.signed.get())
        let authority = try TestIdentities.authority.get().certificate
        try await peers.sync(listener, trust: .authority(authority)).run()

        let other = try TestIdentities.otherAuthority.get().certificate
        let error = await failure(of: try peers.sync(listener, trust: .authority(other)))
        #expect(error?.code == .untrusted)
        await listener.stop()
    }

    @Test func `a certificate for another host is refused`() async throws {
        let elsewhere = try TestIdentities.authority.get()
            .issue(named: "elsewhere", hosts: ["elsewhere.example"], key: .p256)
        let listener = try await peers.listen(identity: elsewhere)
        let authority = try TestIdentities.authority.get().certificate
        let error = await failure(of: try peers.sync(listener, trust: .authority(authority)))
        #expect(error?.code == .untrusted)
        await listener.stop()
    }

    @Test func `any self-signed certificate is accepted, but not one that is signed`()
        async throws
    {
        let selfSigned = try await peers.listen(identity: TestIdentities.selfSigned.get())
        try await peers.sync(selfSigned, trust: .anySelfSigned).run()
        await selfSigned.stop()

        let signed = try await peers.listen(identity: TestIdentities.signed.get())
        let error = await failure(of: try peers.sync(signed, trust: .anySelfSigned))
        #expect(error?.code == .untrusted)
        await signed.stop()
    }

    @Test func `a listener without an identity creates one that can be pinned`() async throws {
        let listener = try await peers.listen(options: { $0.usesTLS = true })
        let certificate = try #require(listener.certificate)
        #expect(certificate.isSelfSigned)
        try await peers.sync(listener, trust: .pinned(certificate)).run()
        await listener.stop()
        #expect(listener.certificate == nil)
    }

    @Test func `without TLS there is no certificate`() async throws {
        let listener = try await peers.listen()
        let sync = try peers.sync(listener)
        try await sync.run()
        #expect(sync.peerCertificate == nil && listener.certificate == nil)
        #expect(listener.localURL?.scheme == "ws")
        await listener.stop()
    }
}
