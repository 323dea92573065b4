internal import DivanJSON

/// The keys that a model reads while it is decoded.
///
/// Confined to the thread that decodes.
final class ReadKeys {
    private var names: Set<ExactText> = []
    private var isWhole = false
    private var children: [ExactText: ReadKeys] = [:]

    func note(_ key: String) { names.insert(ExactText(key)) }

    /// Notes that the model reads every key, as a dictionary does.
    func noteAll() { isWhole = true }

    func child(_ key: String) -> ReadKeys {
        let name = ExactText(key)
        if let child = children[name] { return child }
        let child = ReadKeys()
        children[name] = child
        return child
    }

    /// Whether the model reads a key.
    func knows(_ key: String) -> Bool { isWhole || names.contains(ExactText(key)) }

    /// What it reads of the object under a key.
    func existingChild(_ key: String) -> ReadKeys? { children[ExactText(key)] }
}

extension WrittenObject {
    /// Adds the members of a stored document that the model does not know, at every level of nested objects.
    ///
    /// The model knows a key that it writes, or writes as `nil`, or reads. Arrays and dictionaries are replaced.
    func keepUnknown(of stored: JSONObject, _ read: ReadKeys?) {
        guard !isDictionary else { return }
        for (key, value) in stored {
            switch member(key) {
            case .object(let child):
                guard case .object(let inner) = value, !inner.isBlob else { continue }
                child.keepUnknown(of: inner, read?.existingChild(key))
            case nil:
                guard !isKnownAbsent(key), read?.knows(key) != true else { continue }
                set(.json(value), key)
            default: continue
            }
        }
    }

    /// Adds the members that the model does not know; `decode` decodes the stored document, and notes what it reads.
    ///
    /// A document of another shape shows nothing; its unknown keys are kept then.
    func keepUnknown(of stored: JSONObject, decode: (ReadKeys) throws -> Void) {
        guard hasUnknown(of: stored) else { return }
        let read = ReadKeys()
        try? decode(read)
        keepUnknown(of: stored, read)
    }

    /// Whether a key of a stored document may lead to members that the model did not write.
    func mayNotKnow(_ key: String) -> Bool {
        guard !isDictionary else { return false }
        return switch member(key) {
        case .object(let child): !child.isDictionary
        case .later: true
        case nil: !isKnownAbsent(key)
        case .json, .array: false
        }
    }

    /// Whether a stored document has top-level or nested keys that the model did not write.
    func hasUnknown(of stored: JSONObject) -> Bool {
        guard !isDictionary else { return false }
        return stored.contains { key, value in
            switch member(key) {
            case .object(let child):
                guard case .object(let inner) = value, !inner.isBlob else { return false }
                return child.hasUnknown(of: inner)
            case nil: return !isKnownAbsent(key)
            default: return false
            }
        }
    }
}

extension JSONObject {
    /// Whether it describes a blob.
    var isBlob: Bool { self[Blob.Key.type]?.string == Blob.Key.blob }
}
