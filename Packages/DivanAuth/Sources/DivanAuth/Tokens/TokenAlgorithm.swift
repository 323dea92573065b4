/// The signature algorithms of tokens that are accepted: with public keys only.
///
/// Each key has one algorithm, whatever a token's header contains, so that a public key is never used as the secret of
/// another algorithm.
///
/// Source: RFC 7518 §3.1; RFC 8037 §3.1; RFC 8725 §3.1.
public enum TokenAlgorithm: String, CaseIterable, Sendable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}
