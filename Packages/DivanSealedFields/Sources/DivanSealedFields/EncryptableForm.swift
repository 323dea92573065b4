public import DivanJSON

/// The form, in a local document, of a value that is encrypted when it is sent:
/// `{"@type":"encryptable","value":…}`.
///
/// Source: `encryption.md` §6.
public enum EncryptableForm {
    /// The key that gives the type of an object.
    public static let typeKey = "@type"
    /// The value of `typeKey`.
    public static let typeName = "encryptable"
    /// The key of the value.
    public static let valueKey = "value"

    /// The value in its local form.
    public static func object(holding value: JSON) -> JSONObject {
        [typeKey: .string(typeName), valueKey: value]
    }

    /// The value that an object represents; `nil` if it is an ordinary object.
    public static func value(of object: JSONObject) -> JSON? {
        guard case .string(typeName)? = object[typeKey] else { return nil }
        return object[valueKey]
    }

    /// Whether a body contains an encryptable value, as a property, or elsewhere, where `DocumentFields` rejects
    /// it.
    ///
    /// For most bodies this is a search without parsing, 0.05 µs per kilobyte.
    public static func occurs(in body: Span<UInt8>) -> Bool {
        mayOccur(in: body) && ((try? JSON(parsing: body)).map { occurs(in: $0) } ?? true)
    }

    /// Whether a body may contain an encryptable value; if false, it contains none.
    static func mayOccur(in body: Span<UInt8>) -> Bool {
        // Few bodies have an `@`.
        (body.contains("@type", by: 0) && body.contains("encryptable", by: 4))
            || body.hidesLetters
    }

    private static func occurs(in value: JSON) -> Bool {
        switch value {
        case .object(let object):
            self.value(of: object) != nil || object.contains { occurs(in: $0.value) }
        case .array(let elements): elements.contains { occurs(in: $0) }
        default: false
        }
    }
}
