public import DivanJSON

/// How a value that is to be encrypted on its way to a peer stands in a local document:
/// `{"@type":"encryptable","value":…}`.
///
/// Source: `encryption.md` §6.
public enum EncryptableForm {
    /// The key that says what an object stands for.
    public static let typeKey = "@type"
    /// What stands under `typeKey`.
    public static let typeName = "encryptable"
    /// The key of the value.
    public static let valueKey = "value"

    /// The value in its local form.
    public static func object(holding value: JSON) -> JSONObject {
        [typeKey: .string(typeName), valueKey: value]
    }

    /// The value that an object stands for; `nil` when it is an object like any other.
    public static func value(of object: JSONObject) -> JSON? {
        guard case .string(typeName)? = object[typeKey] else { return nil }
        return object[valueKey]
    }

    /// Whether an encryptable value stands in a body as a property, where `DocumentFields` finds it, or
    /// elsewhere, where it refuses it.
    ///
    /// Most bodies are told by a search without parsing, 0.05 µs a kilobyte.
    public static func stands(in body: Span<UInt8>) -> Bool {
        mayStand(in: body) && ((try? JSON(parsing: body)).map { stands(in: $0) } ?? true)
    }

    /// Whether an encryptable value may stand in a body; when not, none does.
    static func mayStand(in body: Span<UInt8>) -> Bool {
        // Few bodies have an `@`.
        (body.contains("@type", by: 0) && body.contains("encryptable", by: 4))
            || body.hidesLetters
    }

    private static func stands(in value: JSON) -> Bool {
        switch value {
        case .object(let object):
            self.value(of: object) != nil || object.contains { stands(in: $0.value) }
        case .array(let elements): elements.contains { stands(in: $0) }
        default: false
        }
    }
}
