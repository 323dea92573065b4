import DivanJSON

/// Where in a document a blob is: a key, or a JSON Pointer that begins with a slash.
struct BlobLocation {
    /// The keys and indices on the way, at least one.
    let steps: [String]

    /// Parses what a person typed.
    init(_ text: String) {
        let pointer = text.isEmpty ? nil : JSONPointer(text)
        steps = pointer?.steps ?? [text]
    }

    /// Returns the body with a value at the place; `nil` if the path to it does not exist.
    func putting(_ value: JSON, into body: JSON) -> JSON? {
        Self.putting(value, into: body, steps[...])
    }

    private static func putting(
        _ value: JSON,
        into body: JSON,
        _ steps: ArraySlice<String>
    ) -> JSON? {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        // A blob inside another blob's dictionary is not found, so its content would be removed.
        if case .object(let members) = body, members["@type"] == .string("blob") { return nil }
        switch body {
        case .object(var members):
            guard let child = rest.isEmpty ? .null : members[step],
                let changed = putting(value, into: child, rest)
            else { return nil }
            members[step] = changed
            return .object(members)
        case .array(var items):
            if step == "-", rest.isEmpty { return .array(items + [value]) }
            guard let index = JSONPointer.index(step), items.indices.contains(index),
                let changed = putting(value, into: items[index], rest)
            else { return nil }
            items[index] = changed
            return .array(items)
        default: return nil
        }
    }
}
