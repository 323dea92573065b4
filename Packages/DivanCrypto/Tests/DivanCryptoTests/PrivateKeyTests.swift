import DivanCrypto
import Testing

/// Keys survive every form in which they can be written; foreign bytes give a helpful error.
@Suite struct PrivateKeyTests {
    @Test(arguments: [PrivateKey.Kind.rsa(bitCount: 2048), .p256, .p384])
    func `a key round-trips through DER, PEM and encrypted PEM`(kind: PrivateKey.Kind) throws {
        let key = try PrivateKey.generate(kind)
        #expect(key.kind == kind)
        let read = try key.withPKCS8DER { try PrivateKey(der: $0) }
        #expect(read == key)
        #expect(try PrivateKey(pem: key.pem()) == key)
        let sealed = try key.pem(password: "sofa")
        #expect(sealed.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
        #expect(try PrivateKey(pem: sealed, password: "sofa") == key)
        #expect(try read.publicKeyDER() == key.publicKeyDER())
        #expect(try PrivateKey.generate(.p256) != key)
    }

    @Test
    func `a missing, empty or wrong password is an error, not a prompt`() throws {
        let sealed = try PrivateKey.generate(.p256).pem(password: "sofa")
        for password in [nil, "", "chair"] {
            let error = #expect(throws: CryptoError.self) {
                try PrivateKey(pem: sealed, password: password)
            }
            #expect(error?.description.contains("check the password") == true)
        }
    }

    @Test
    func `bytes that are not a key are rejected`() throws {
        var bytes = try PrivateKey.generate(.p256).pkcs8DER()
        bytes.append(0)
        #expect(throws: CryptoError.self) { try PrivateKey(der: bytes.span) }
        for count in [0, 1, 20, bytes.count - 2] {
            let cut = bytes.prefix(count)
            #expect(throws: CryptoError.self) { try PrivateKey(der: cut.span) }
        }
        #expect(throws: CryptoError.self) { try PrivateKey(pem: "") }
        #expect(throws: CryptoError.self) { try PrivateKey(pem: "-----BEGIN PRIVATE KEY-----") }
    }

    @Test
    func `a weak key size or an unsupported curve is rejected with a clear error`() throws {
        #expect(throws: CryptoError.keySize(bitCount: 1024)) {
            try PrivateKey.generate(.rsa(bitCount: 1024))
        }
        #expect(throws: CryptoError.unsupportedKey) { try PrivateKey(pem: ed25519) }
        let text = CryptoError.keySize(bitCount: 1024).description
        #expect(text == "private key: unsupported RSA key size of 1024 bits; use 2048 to 8192")
    }

    @Test
    func `a description never contains the key`() throws {
        #expect("\(try PrivateKey.generate(.p384))" == "P-384 private key")
    }

    @Test func `a password too long for reading a file is rejected when the file is written`()
        throws
    {
        let key = try PrivateKey.generate(.p256)
        let longest = String(repeating: "a", count: 1_024)
        #expect(try PrivateKey(pem: key.pem(password: longest), password: longest) == key)
        #expect(throws: CryptoError.passwordLength(byteCount: 1_025)) {
            try key.pem(password: longest + "a")
        }
    }

    @Test func `an error does not report an earlier failed comparison`() throws {
        let (curve, rsa) = (
            try PrivateKey.generate(.p256), try PrivateKey.generate(.rsa(bitCount: 2_048))
        )
        #expect(curve != rsa)
        let error = #expect(throws: CryptoError.self) { try PrivateKey(pem: "") }
        #expect(error?.description.contains("different key types") == false)
    }
}

/// The example key of RFC 8410 §10.3.
private let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
    -----END PRIVATE KEY-----
    """
