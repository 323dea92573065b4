import DivanCrypto
import Testing

/// Stored passwords: the algorithm against its standard, the text against damage.
@Suite struct PasswordHashTests {
    private let quick = Scrypt(costExponent: 4, blockSize: 1, parallelism: 1)

    /// RFC 7914 §12.
    @Test(arguments: [
        (
            "", "", 4, 1, 1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        (
            "password", "NaCl", 10, 8, 16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
    ])
    func `scrypt derives the keys of RFC 7914`(
        _ password: String,
        _ salt: String,
        _ costExponent: Int,
        _ blockSize: Int,
        _ parallelism: Int,
        _ expected: String
    ) throws {
        let work = try #require(
            Scrypt(costExponent: costExponent, blockSize: blockSize, parallelism: parallelism)
        )
        let (password, salt) = (Array(password.utf8), Array(salt.utf8))
        let key = try work.key(password: password.span, salt: salt.span, byteCount: 64)
        #expect(Hex.encode(key.span) == expected)
    }

    @Test func `a hash matches only its own password, also after a round trip through text`() throws
    {
        let hash = try PasswordHash("open sesame")
        let read = try #require(PasswordHash(text: hash.text))
        #expect(read == hash)
        #expect(try read.matches("open sesame"))
        #expect(try !read.matches("open barley"))
        #expect(hash.text.hasPrefix("$scrypt$ln=14,r=8,p=5$"))
    }

    @Test func `hashing a password twice gives different hashes`() throws {
        let work = try #require(quick)
        let hashes = try (0..<8).map { _ in try PasswordHash("same", work: work).text }
        #expect(Set(hashes).count == 8)
    }

    @Test func `neither the description nor a dump shows the salt or the key`() throws {
        let hash = try PasswordHash("open sesame", work: try #require(quick))
        var dumped = ""
        dump(hash, to: &dumped)
        for text in [hash.description, String(reflecting: hash), dumped] {
            for secret in hash.text.split(separator: "$").suffix(2) {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test(arguments: [
        "", "open sesame", "$scrypt$", "$5$salt$key", "$scrypt$ln=14,r=8,p=5$c2FsdHNhbHQ$",
        "$scrypt$ln=14,r=8,p=5$$a2V5a2V5a2V5", "$scrypt$ln=14,r=8$c2FsdHNhbHQ$a2V5a2V5a2V5",
        "$scrypt$ln=40,r=8,p=5$c2FsdHNhbHQ$a2V5a2V5a2V5",
        "$scrypt$ln=20,r=8,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5",
        "$scrypt$ln=-1,r=8,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5",
        "$scrypt$ln=014,r=8,p=5$c2FsdHNhbHQ$a2V5a2V5a2V5",
        "$scrypt$r=8,ln=14,p=5$c2FsdHNhbHQ$a2V5a2V5a2V5",
        "$scrypt$ln=14,r=8,p=5$c2FsdHNhbHQ=$a2V5a2V5a2V5",
        "$scrypt$ln=14,r=8,p=5$c2FsdHNhbHQ$a2V5a2V5a2V5$",
    ])
    func `malformed text is rejected`(_ text: String) {
        #expect(PasswordHash(text: text) == nil)
    }

    @Test func `costs that are out of range or need too much memory are rejected`() {
        #expect(Scrypt(costExponent: 17, blockSize: 8, parallelism: 1) == nil)
        #expect(Scrypt(costExponent: 0, blockSize: 8, parallelism: 1) == nil)
        #expect(Scrypt(costExponent: 14, blockSize: 0, parallelism: 1) == nil)
        #expect(Scrypt(costExponent: 14, blockSize: 8, parallelism: 17) == nil)
        #expect(Scrypt(costExponent: 16, blockSize: 8, parallelism: 1) != nil)
    }

    /// RFC 7914 §2.
    @Test func `a cost that is too high for the block size is rejected`() {
        #expect(Scrypt(costExponent: 16, blockSize: 1, parallelism: 1) == nil)
        #expect(Scrypt(costExponent: 15, blockSize: 1, parallelism: 1) != nil)
        #expect(PasswordHash(text: "$scrypt$ln=16,r=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5") == nil)
    }
}
