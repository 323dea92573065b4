import DivanCrypto
import DivanTestKit
import Testing

/// Published digests, in one piece and split at every position.
@Suite struct DigestTests {
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ])
    func `SHA-1 gives the digests of the FIPS 180 examples`(text: String, digest: String) {
        let bytes = Array(text.utf8)
        #expect(SHA1.digest(of: bytes.span).hexText == digest)
        #expect(bytes.cutsThatDiffer { sha1($0).hexText }.isEmpty)
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 gives the digests of the FIPS 180 examples`(text: String, digest: String) {
        let bytes = Array(text.utf8)
        #expect(SHA256.digest(of: bytes.span).hexText == digest)
        #expect(bytes.cutsThatDiffer { sha256($0).hexText }.isEmpty)
    }

    @Test
    func `a copy of a digest continues independently`() {
        var digest = SHA1()
        digest.update([UInt8("a".utf8.first ?? 0)].span)
        let copy = digest
        digest.update(Array("bc".utf8).span)
        #expect(digest.finalize().hexText == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(copy.finalize().hexText == "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8")
    }

    @Test
    func `the README example works`() {
        let body = Array(#"{"name":"Divan"}"#.utf8)
        let digest = Hex.encode(SHA1.digest(of: body.span).span)
        #expect(digest.utf8.count == 40)
        #expect(Hex.decode(digest) == SHA1.digest(of: body.span))
    }

    private func sha1(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
        var digest = SHA1()
        for piece in pieces { digest.update(piece.span) }
        return digest.finalize()
    }

    private func sha256(_ pieces: [ArraySlice<UInt8>]) -> [UInt8] {
        var digest = SHA256()
        for piece in pieces { digest.update(piece.span) }
        return digest.finalize()
    }
}
