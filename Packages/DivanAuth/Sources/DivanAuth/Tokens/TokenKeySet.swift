import DivanJSON

/// The public keys of an issuer.
public struct TokenKeySet: Sendable {
    /// Keys in a set; an issuer has a few.
    public static let keyCount = 100
    /// Bytes of the text of a set.
    public static let byteCount = 1 << 20

    /// The keys that can be used, in the order of the set.
    public let keys: [TokenKey]

    /// Reads a JSON web key set; keys of other kinds are left out.
    ///
    /// - Throws: `TokenError.keySet` if there are no usable keys, or more than `keyCount`.
    public init(parsing text: [UInt8]) throws(TokenError) {
        let limits = JSONLimits(depth: 16, byteCount: Self.byteCount)
        guard let items = (try? JSON(parsing: text, limits: limits))?["keys"]?.array,
            items.count <= Self.keyCount
        else { throw .keySet }
        keys = items.compactMap { TokenKey($0) }
        guard !keys.isEmpty else { throw .keySet }
    }

    /// The keys that may have signed a token.
    func keys(_ algorithm: TokenAlgorithm, _ keyID: ExactText?) -> [TokenKey] {
        keys.filter { $0.algorithm == algorithm && (keyID == nil || $0.keyID == keyID) }
    }
}
