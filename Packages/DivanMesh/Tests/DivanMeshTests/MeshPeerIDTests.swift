import DivanCrypto
import DivanMesh
import DivanTestKit
import Testing

/// What peers agree on without negotiating.
@Suite struct MeshPeerIDTests {
    private static func id(_ first: UInt8, _ last: UInt8 = 0) -> MeshPeerID? {
        var bytes = [UInt8](repeating: 0, count: 32)
        (bytes[0], bytes[31]) = (first, last)
        return MeshPeerID(bytes.span)
    }

    @Test func `an ID is the digest of the certificate`() {
        let certificate = Array("certificate".utf8)
        let id = MeshPeerID(certificate: certificate.span)
        let digest = SHA256.digest(of: certificate.span)
        #expect(id.bytes == digest)
        #expect(id.description == Hex.encode(digest.span))
        let bytes = id.bytes
        let copy = MeshPeerID(bytes.span)
        #expect(copy == id)
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `an ID has 32 bytes`(count: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        let id = MeshPeerID(bytes.span)
        #expect(id == nil)
    }

    @Test func `IDs are ordered by their bytes`() {
        let ids = MeshPeerID.random(200, seed: 1)
        let byBytes = ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        #expect(ids.sorted().map(\.bytes) == byBytes.map(\.bytes))
    }

    @Test func `a prefix is the first six bytes`() {
        let id = MeshPeerID(5)
        #expect(id.prefix.bytes == Array(id.bytes.prefix(6)))
        #expect(MeshPeerPrefix(id.bytes[..<6]) == id.prefix)
        #expect(MeshPeerPrefix(id.bytes[..<5]) == nil)
    }

    @Test
    func `the pair hash is the same at both ends and is the digest of the lower and the higher ID`()
    {
        let ids = MeshPeerID.random(20, seed: 2).sorted()
        for (lower, higher) in zip(ids, ids.dropFirst()) {
            let both = lower.bytes + higher.bytes
            let digest = SHA256.digest(of: both.span)
            let hash = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            #expect(lower.pairHash(with: higher) == hash)
            #expect(higher.pairHash(with: lower) == hash)
        }
    }

    @Test func `exactly one peer of a pair is the caller`() {
        let ids = MeshPeerID.random(40, seed: 3)
        for one in ids {
            for other in ids where other != one {
                #expect(one.isCaller(of: other) != other.isCaller(of: one))
            }
        }
    }

    @Test func `a peer is the caller of the peers in the following half of the ring`() throws {
        let low = try #require(Self.id(10))
        let near = try #require(Self.id(20))
        let far = try #require(Self.id(200))
        #expect(low.isCaller(of: near))
        #expect(far.isCaller(of: low))
    }

    @Test(arguments: [UInt8(10), 138])
    func `at equal and opposite ring positions the lower ID is the caller`(place: UInt8) throws {
        let one = try #require(Self.id(10, 1))
        let other = try #require(Self.id(place, 2))
        #expect(one.isCaller(of: other))
        #expect(!other.isCaller(of: one))
    }

    /// Calls are spread evenly: no peer is the caller of all others.
    @Test func `a peer is the caller of about half of the others`() {
        let ids = MeshPeerID.random(400, seed: 4)
        let counts = ids.prefix(50).map { one in ids.count { $0 != one && one.isCaller(of: $0) } }
        #expect(counts.allSatisfy { (130...270).contains($0) }, "\(counts)")
    }

    @Test func `an instance name is the beginning of the ID in base32`() {
        let bytes = Array("foobar".utf8) + [UInt8](repeating: 0, count: 26)
        let id = MeshPeerID(bytes.span)
        // RFC 4648 §10: foobar is MZXW6YTBOI.
        #expect(id?.instanceName == "mzxw6ytboiaa")
    }
}

/// Names and addresses that people and strangers write.
@Suite struct MeshNamesTests {
    @Test(
        arguments: [
            "jukebox.local:4984", "10.0.0.7:1", "[2001:db8::7]:65535", "[fe80::1%25eth0]:80",
            "a_b-c.example:443",
        ]
    )
    func `an address is a host and a port`(text: String) throws {
        let address = try MeshAddress(text)
        let fromBytes = try MeshAddress(text.utf8)
        #expect(address.description == text)
        #expect(address == fromBytes)
    }

    @Test(
        arguments: [
            "", ":", "a", "a:", ":1", "a:0", "a:65536", "a:01", "a:1x", "a:-1", "a:123456", "a b:1",
            "a/b:1", "user@a:1", "a?x:1", "a#b:1", "a\u{0}:1", "a\nb:1", "ä:1", "a::1:1", "[]:1",
            "2001:db8::7:1", "a:１", String(repeating: "a", count: 254) + ":1",
        ]
    )
    func `text without a valid host and port is not an address`(text: String) {
        #expect(throws: MeshError.invalidAddress(Array(text.utf8))) { try MeshAddress(text) }
    }

    @Test func `a group is identified by a digest of its name`() throws {
        let group = try MeshGroup("my room: café")
        let text = Array("divan-meshmy room: café".utf8)
        let digest = Array(SHA256.digest(of: text.span).prefix(8))
        #expect(group.code == Hex.encode(digest.span))
        #expect(group.subtype == "_" + group.code)
        #expect(group.path == "/mesh/" + group.code)
        #expect(group.name == "my room: café")
    }

    /// The two spellings look alike and are different names.
    @Test func `groups are equal if their bytes are`() throws {
        let composed = try MeshGroup("caf\u{E9}")
        let decomposed = try MeshGroup("cafe\u{301}")
        #expect(composed != decomposed)
        let again = try MeshGroup("caf\u{E9}")
        #expect(composed == again)
    }

    @Test(
        arguments: [
            "", "a.b", "a,b", "a\\b", "a\nb", "a\u{7F}", String(repeating: "ä", count: 32),
        ]
    )
    func `an empty group name, a long one or one with special characters is refused`(name: String) {
        #expect(throws: MeshError.invalidGroup(name)) { try MeshGroup(name) }
    }

    @Test func `an error says what to do`() {
        let errors: [MeshError] = [
            .invalidGroup("a.b"), .invalidAddress([0x1B, 0x5B]), .unsupportedVersion,
            .invalidValue(key: "id"), .tooLong(byteCount: 9_000, limit: 8_192),
            .tooMany("records", count: 65, limit: 64), .truncated(missingByteCount: 3),
            .trailingBytes(byteCount: 2), .foreignRecord,
        ]
        for error in errors {
            #expect(error.description.hasPrefix("mesh"))
            #expect(error.description.contains(";"))
            #expect(error.description.utf8.allSatisfy { $0 >= 0x20 })
        }
        #expect(Set(errors.map(\.description)).count == errors.count)
    }
}
