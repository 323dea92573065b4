internal import CDivanAuth
internal import DivanCrypto
public import DivanJSON

/// A public key with which an issuer's tokens are verified.
///
/// Can be used from any thread.
public struct TokenKey: Sendable {
    /// The ID by which tokens refer to it; `nil` if it has none.
    public let keyID: ExactText?
    /// The only algorithm with which it is used.
    public let algorithm: TokenAlgorithm
    private let handle: TokenKeyHandle

    /// Bits of an RSA modulus: less is not safe, more takes too long.
    private static let modulusByteCounts = 256...1_024

    /// Reads a JSON web key; `nil` for one that is not for signatures with a known algorithm.
    ///
    /// Source: RFC 7517 §4; RFC 7518 §6; RFC 8037 §2.
    init?(_ json: JSON) {
        guard let (algorithm, key) = Self.key(json) else { return nil }
        handle = TokenKeyHandle(taking: key)
        self.algorithm = algorithm
        keyID = json["kid"]?.string.map { ExactText($0) }
        if let use = json["use"] { guard use == .string("sig") else { return nil } }
        if let named = json["alg"] {
            guard named == .string(algorithm.rawValue) else { return nil }
        }
        if let operations = json["key_ops"] {
            guard operations.array?.contains(.string("verify")) == true else { return nil }
        }
    }

    private static func key(_ json: JSON) -> (TokenAlgorithm, OpaquePointer)? {
        let number = { (name: String) in json[name]?.string.flatMap { Base64URL.decode($0.utf8) } }
        let curve = json["crv"]?.string ?? ""
        switch (json["kty"]?.string, curve) {
        case ("RSA", _):
            guard let modulus = number("n"), let exponent = number("e"),
                modulusByteCounts.contains(modulus.count), (1...8).contains(exponent.count)
            else { return nil }
            return divan_token_key_rsa(modulus, modulus.count, exponent, exponent.count)
                .map { (.rs256, $0) }
        case ("EC", "P-256"):
            guard let x = number("x"), let y = number("y"), x.count == 32, y.count == 32 else {
                return nil
            }
            return divan_token_key_p256(x, y).map { (.es256, $0) }
        case ("OKP", "Ed25519"):
            guard let bytes = number("x"), bytes.count == 32 else { return nil }
            return divan_token_key_ed25519(bytes).map { (.edDSA, $0) }
        default: return nil
        }
    }

    /// Whether a signature of a message is valid.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch algorithm {
        case .rs256:
            return divan_token_verify_rs256(
                handle.key,
                message,
                message.count,
                signature,
                signature.count
            ) == 1
        case .es256:
            guard signature.count == 64 else { return false }
            return divan_token_verify_es256(handle.key, message, message.count, signature) == 1
        case .edDSA:
            guard signature.count == 64 else { return false }
            return divan_token_verify_ed25519(handle.key, message, message.count, signature) == 1
        }
    }
}

/// The one owner of a library key.
///
/// `@unchecked Sendable` is valid because the pointer never changes and every call on it only reads,
/// which the library allows from several threads at the same time.
private final class TokenKeyHandle: @unchecked Sendable {
    let key: OpaquePointer

    /// Takes over the caller's reference.
    init(taking key: OpaquePointer) {
        self.key = key
    }

    deinit {
        divan_token_key_free(key)
    }
}
