/// Why a token, or a set of keys, is refused.
public enum TokenError: Error, Equatable, Sendable {
    /// It does not consist of three parts, or a part cannot be decoded.
    case malformed
    /// The algorithm is none of those that are accepted, such as `none` or `HS256`.
    case algorithm(String)
    /// It requires an extension of the format.
    case extensions
    /// No key has its ID and algorithm.
    case unknownKey
    /// The signature is wrong.
    case signature
    /// The issuer is another one.
    case issuer
    /// It is intended for another audience.
    case audience
    /// It has expired.
    case expired
    /// It is not valid yet.
    case notYetValid
    /// The named claim is missing or has the wrong type.
    case claim(String)
    /// The set of keys is not `{"keys": […]}`, or has too many keys or none that can be used.
    case keySet
}

extension TokenError: CustomStringConvertible {
    /// The reason, without any part of the token but names.
    public var description: String {
        switch self {
        case .malformed: "not a signed JSON web token"
        case .algorithm(let name): "algorithm \(name.prefix(20).debugDescription) is not accepted"
        case .extensions: "the token requires unsupported extensions"
        case .unknownKey: "signed with an unknown key"
        case .signature: "wrong signature"
        case .issuer: "wrong issuer"
        case .audience: "wrong audience"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .claim(let name): "claim \(name.debugDescription) is missing or invalid"
        case .keySet: "not a JSON web key set with an RS256, ES256 or EdDSA key"
        }
    }
}
