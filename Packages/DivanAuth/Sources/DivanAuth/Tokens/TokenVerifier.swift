internal import DivanCrypto
public import DivanJSON

/// A token whose signature and claims are valid.
public struct VerifiedToken: Sendable, Equatable {
    /// The user.
    public let user: String
    /// When it expires, in seconds since 1970, including the tolerance for clocks.
    public let expiration: Double
    /// All its claims.
    public let claims: JSONObject
}

/// Verifies JSON web tokens of an issuer.
///
/// Has no clock and no I/O: pass the keys and the time. Can be used from any thread.
///
/// ```swift
/// let verifier = TokenVerifier(issuer: "https://id.example.org", audiences: ["divan"])
/// let token = try verifier.verify(text, keys: keys, at: 1_795_158_000)
/// ```
///
/// Source: RFC 7519; RFC 7515 §5.2; RFC 8725.
public struct TokenVerifier: Sendable {
    /// The value of `iss`.
    public var issuer: String
    /// The values of `aud` that are accepted.
    public var audiences: [String]
    /// The algorithms that are accepted.
    public var algorithms: [TokenAlgorithm]
    /// Seconds by which the clocks of issuer and server may differ; the default is 60.
    public var clockSkew: Double
    /// The claim with the name of the user; the default is `sub`.
    public var userClaim: String

    /// Nesting of the header and the claims.
    private static let limits = JSONLimits(depth: 16)
    /// Bytes of a user name.
    private static let userByteCount = 1...255

    /// Creates a verifier.
    public init(
        issuer: String,
        audiences: [String],
        algorithms: [TokenAlgorithm] = TokenAlgorithm.allCases,
        clockSkew: Double = 60,
        userClaim: String = "sub"
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.algorithms = algorithms
        self.clockSkew = clockSkew
        self.userClaim = userClaim
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token in its compact form, at most `AuthLimits.authorizationByteCount` bytes.
    ///   - keys: The issuer's keys.
    ///   - now: The time in seconds since 1970.
    /// - Returns: The user and the claims.
    /// - Throws: `TokenError` with the first problem.
    public func verify(
        _ text: String,
        keys: TokenKeySet,
        at now: Double
    ) throws(TokenError) -> VerifiedToken {
        guard text.utf8.count <= AuthLimits.authorizationByteCount else { throw .malformed }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]) else { throw .malformed }
        guard let name = header["alg"]?.string else { throw .malformed }
        guard let algorithm = TokenAlgorithm(rawValue: name), algorithms.contains(algorithm) else {
            throw .algorithm(name)
        }
        guard header["crit"] == nil else { throw .extensions }
        if let keyID = header["kid"] { guard keyID.string != nil else { throw .malformed } }
        let candidates = keys.keys(algorithm, header["kid"]?.string.map { ExactText($0) })
        guard !candidates.isEmpty else { throw .unknownKey }
        guard let signature = Base64URL.decode(parts[2].utf8) else { throw .malformed }
        let message = Array("\(parts[0]).\(parts[1])".utf8)
        guard candidates.contains(where: { $0.verifies(signature, of: message) }) else {
            throw .signature
        }
        guard let claims = Self.object(parts[1]) else { throw .malformed }
        return try checked(claims, at: now)
    }

    private func checked(_ claims: JSONObject, at now: Double) throws(TokenError) -> VerifiedToken {
        guard let issuer = claims["iss"]?.string, Self.isSame(issuer, self.issuer) else {
            throw .issuer
        }
        let audiences = claims["aud"]?.array?.map(\.string) ?? [claims["aud"]?.string]
        let isIntended = audiences.contains { audience in
            self.audiences.contains { own in audience.map { Self.isSame($0, own) } ?? false }
        }
        guard isIntended else { throw .audience }
        guard let expiry = claims["exp"]?.double, expiry.isFinite else { throw .claim("exp") }
        let expiration = expiry + clockSkew
        guard now < expiration else { throw .expired }
        if let start = claims["nbf"] {
            guard let start = start.double else { throw .claim("nbf") }
            guard start - clockSkew <= now else { throw .notYetValid }
        }
        guard let user = claims[userClaim]?.string, Self.userByteCount.contains(user.utf8.count),
            !user.utf8.contains(where: isControl)
        else { throw .claim(userClaim) }
        return VerifiedToken(user: user, expiration: expiration, claims: claims)
    }

    private static func object(_ part: Substring) -> JSONObject? {
        guard let bytes = Base64URL.decode(part.utf8) else { return nil }
        return (try? JSON(parsing: bytes, limits: limits))?.object
    }

    /// Compares bytes: equivalent texts are different names.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }
}
