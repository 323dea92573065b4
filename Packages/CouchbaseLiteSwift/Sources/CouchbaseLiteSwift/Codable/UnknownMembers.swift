import DivanJSON

/// Members of a document that its model never read: they are kept when the model is saved.
///
/// A key that the model read but does not write is dropped. Nested objects are followed as long as the model writes one
/// at the same place; an array is written as the model holds it, because its elements have no names by which to match
/// them. `Data` does not carry a blob's type and other properties: they stay with the content that they describe.
struct UnknownMembers {
    private let members: JSONObject
    private let inner: [(key: String, unknown: UnknownMembers)]
    private let blob: JSONObject?

    init(
        _ members: JSONObject,
        inner: [(key: String, unknown: UnknownMembers)],
        blob: JSONObject? = nil
    ) {
        self.members = members
        self.inner = inner.filter { !$0.unknown.isEmpty }
        self.blob = blob
    }

    private var isEmpty: Bool { members.isEmpty && inner.isEmpty && blob == nil }

    /// Adds them to what a model wrote.
    func restore(into dictionary: MutableDictionaryObject) {
        for (key, value) in members where dictionary.members[key] == nil {
            dictionary.members[key] = .json(value)
        }
        for (key, unknown) in inner {
            switch dictionary.members[key] {
            case .dictionary(let child): unknown.restore(into: child)
            case .blob(let content):
                guard let blob = unknown.blob, let described = Blob(blob, around: content)
                else { continue }
                dictionary.members[key] = .blob(described)
            default: continue
            }
        }
    }
}
