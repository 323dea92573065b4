internal import DivanCrypto
internal import DivanJSON

/// An encrypted property as it is sent: `{"alg":…,"ciphertext":…,"kid":…}` under `encrypted$name`.
///
/// Source: `encryption.md` §6.
public struct SealedField: Equatable, Sendable {
    /// The prefix of the property's name.
    public static let prefix = "encrypted$"
    /// The default algorithm.
    public static let customAlgorithm = "CB_MOBILE_CUSTOM"

    /// The algorithm of the encryption, which other peers need.
    public var algorithm: String
    /// The ID of the key; `nil` if there is none.
    public var keyID: String?
    /// The encrypted value, as bytes.
    public var ciphertext: [UInt8]

    /// Creates a property from its parts.
    public init(
        _ ciphertext: [UInt8],
        algorithm: String = Self.customAlgorithm,
        keyID: String? = nil
    ) {
        self.ciphertext = ciphertext
        self.algorithm = algorithm
        self.keyID = keyID
    }

    /// Reads one; `nil` for anything else, which is then an ordinary value.
    init?(_ json: JSON) {
        guard let object = json.object, let algorithm = object["alg"]?.string,
            algorithm.utf8.count <= FieldLimits.nameByteCount,
            let ciphertext = object["ciphertext"]?.string.flatMap({ Base64.decode($0) })
        else { return nil }
        let keyID = object["kid"]
        guard keyID == nil || keyID?.string != nil,
            keyID?.string?.utf8.count ?? 0 <= FieldLimits.nameByteCount
        else { return nil }
        self.init(ciphertext, algorithm: algorithm, keyID: keyID?.string)
    }

    /// The JSON that is sent.
    var json: JSON {
        var object: JSONObject = [
            "alg": .string(algorithm), "ciphertext": .string(Base64.encode(ciphertext.span)),
        ]
        object["kid"] = keyID.map { .string($0) }
        return .object(object)
    }

    /// Whether a body may contain an encrypted property; if false, it contains none.
    static func mayOccur(in body: Span<UInt8>) -> Bool {
        body.contains("encrypted$", by: 9) || body.hidesLetters
    }
}
