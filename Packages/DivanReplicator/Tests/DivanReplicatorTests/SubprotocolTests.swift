import DivanCompression
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanZlib
import Testing

/// The subprotocol, and therefore the codec, on which two peers agree.
@Suite struct SubprotocolTests {
    /// A codec that only has a name.
    private struct Named: CompressionCodec {
        let name: String

        func maximumByteCount(for inputByteCount: Int) -> Int { inputByteCount }
        func makeCompressor() -> any StreamCompressor {
            IdentityCodec().makeCompressor()
        }
        func makeDecompressor() -> any StreamDecompressor {
            IdentityCodec().makeDecompressor()
        }
    }

    private func peer(_ codecs: String...) -> PeerConfiguration {
        var peer = PeerConfiguration(
            role: .passive(.init(collections: [.default])),
            codec: DeflateCodec(),
            secondsSince1970: { 1_700_000_000 }
        )
        peer.furtherCodecs = codecs.map { Named(name: $0) }
        return peer
    }

    @Test(arguments: [
        "BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3+LZ4", "BLIP_3+CBMobile_3+Z9",
        "BLIP_3+CBMobile_4", "BLIP_3+CBMobile_4+LZ4",
    ])
    func `a name survives parsing and formatting`(name: String) {
        #expect(Subprotocol(name)?.rawValue == name)
    }

    @Test(arguments: [
        "", "BLIP_3", "BLIP_3+CBMobile_5", "BLIP_3+CBMobile_3+", "BLIP_3+CBMobile_3+lz4",
        "BLIP_3+CBMobile_2+LZ4", "BLIP_3+CBMobile_3+A,B", "BLIP_3+CBMobile_3+É",
        "BLIP_3+CBMobile_3+ABCDEFGHIJKLMNOPQ", "blip_3+cbmobile_3",
    ])
    func `an unknown name is rejected`(name: String) {
        #expect(Subprotocol(name) == nil)
    }

    @Test func `a client offers the standard names first`() {
        #expect(
            peer("lz4", "rle").subprotocols == [
                "BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3+LZ4",
                "BLIP_3+CBMobile_3+RLE",
            ]
        )
        #expect(peer("a b").subprotocols == Subprotocol.offered)
    }

    /// A database with version vectors accepts tree IDs in version 4, and sends none (decision 0012).
    @Test func `a client with version vectors that only pushes trees offers version 4 last`() {
        let (three, four) = ("BLIP_3+CBMobile_3", "BLIP_3+CBMobile_4")
        var client = peer("lz4")
        let names = { (scheme: RevisionScheme, pulls: Bool) in
            client.scheme = scheme
            client.role = .active(
                .init(
                    pushes: true,
                    pulls: pulls,
                    isContinuous: false,
                    collections: [.init(.default)],
                    remoteIdentity: "ws://there:4984/db/_blipsync"
                )
            )
            return client.subprotocols
        }
        let pushing = names(.trees, false)
        #expect(pushing == [three, "BLIP_3+CBMobile_2", four, three + "+LZ4"])
        #expect(names(.trees, true) == [three, "BLIP_3+CBMobile_2", three + "+LZ4"])
        #expect(names(.vectors, false) == [four, four + "+LZ4"])
        var listener = peer("lz4")
        #expect(listener.choose(from: pushing)?.rawValue == three + "+LZ4")
        listener.scheme = .vectors
        #expect(listener.choose(from: pushing) == .version4)
        #expect(listener.choose(from: names(.trees, true)) == nil)
    }

    /// Our listener's choice from what clients offer.
    @Test(arguments: [
        (["lz4"], ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3+LZ4"], "lz4"),
        ([], ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2", "BLIP_3+CBMobile_3+LZ4"], "deflate"),
        (["lz4"], ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"], "deflate"),
        (["lz4"], ["BLIP_3+CBMobile_4", "BLIP_3+CBMobile_3"], "deflate"),
        (["lz4"], ["BLIP_3+CBMobile_2"], "deflate"),
        (["rle", "lz4"], ["BLIP_3+CBMobile_3+LZ4", "BLIP_3+CBMobile_3+RLE"], "rle"),
        (["lz4"], ["BLIP_3+CBMobile_3+RLE"], nil),
        (["lz4"], ["BLIP_3+CBMobile_4"], nil), (["lz4"], [], nil),
    ])
    func `a listener selects a subprotocol that both sides support`(
        codecs: [String],
        offered: [String],
        expected: String?
    ) {
        var listener = peer()
        listener.furtherCodecs = codecs.map { Named(name: $0) }
        let chosen = listener.choose(from: offered)
        #expect(chosen.flatMap { listener.codec(for: $0)?.name } == expected)
        if let chosen { #expect(offered.contains(chosen.rawValue)) }
    }

    @Test(
        arguments: [
            (RevisionScheme.vectors, "BLIP_3+CBMobile_3", "version vectors"),
            (.vectors, "BLIP_3+CBMobile_2", "version vectors"),
            (.trees, "BLIP_3+CBMobile_4+LZ4", "revision trees"),
            (.vectors, "chat", nil), (.trees, "chat", nil),
        ] as [(RevisionScheme, String, String?)]
    )
    func `a client with the other revision scheme gets the reason for its rejection`(
        scheme: RevisionScheme,
        offer: String,
        reason: String?
    ) {
        var listener = peer()
        listener.scheme = scheme
        #expect(listener.choose(from: [offer]) == nil)
        let text = listener.refusal(of: [offer])
        #expect(text.contains(listener.subprotocols[0]))
        #expect(text.contains("this database") == (reason != nil))
        if let reason { #expect(text.contains(reason)) }
    }

    /// How servers that do not know Divan choose from our list (`websocket-and-urls.md` §2).
    @Test func `other servers find a standard name in our offer`() {
        let offered = peer("lz4").subprotocols
        for supported in [
            ["BLIP_3+CBMobile_4", "BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"],
            ["BLIP_3+CBMobile_3", "BLIP_3+CBMobile_2"], ["BLIP_3+CBMobile_2"],
        ] {
            // Sync Gateway: the first in the client's list that it supports.
            let first = offered.first { supported.contains($0) }
            // Couchbase Lite: one of its own names that occurs anywhere in the header.
            let header = offered.joined(separator: ",")
            let contained = supported.first { header.contains($0) }
            let expected = supported.first { $0 != "BLIP_3+CBMobile_4" }
            #expect(first == expected)
            #expect(contained == expected)
        }
    }

    @Test func `the codec for sending depends on the local configuration`() {
        var configuration = peer("lz4")
        #expect(configuration.usedCodecName(for: .version3) == "deflate")
        #expect(Subprotocol(codecName: "lz4").map(configuration.usedCodecName) == "lz4")
        configuration.compresses = false
        #expect(configuration.usedCodecName(for: .version3) == "none")
    }

    @Test func `a subprotocol without its codec closes the connection`() throws {
        let site = try Site()
        let peer = peer().makePeer(store: site.store)
        peer.connected(subprotocol: "BLIP_3+CBMobile_3+LZ4", at: .zero)
        #expect(peer.isEnded)
    }

    @Test func `two peers replicate with a custom codec`() throws {
        let (here, there) = (try Site(), try Site())
        for number in 0..<20 {
            try here.save(DocumentID(unchecked: "\(number)"), "{\"n\":\(number)}")
        }
        var options = Conversation.Options()
        options.furtherCodecs = [Named(name: "plain")]
        let name = try #require(Subprotocol(codecName: "plain"))
        _ = Conversation.oneShot(options, here, there, subprotocol: name)
        #expect(try here.contents() == there.contents())
    }
}
