import DivanJSON

extension JSONDelta {
    /// The delta node for one place, or `nil` when both sides are equal.
    ///
    /// Calls itself once for each level that both sides have; depth is bounded by the parser.
    static func difference(from old: JSON, to new: JSON) -> JSON? {
        switch (old, new) {
        case (.object(let old), .object(let new)):
            difference(from: old, to: new)
        case (.array(let old), .array(let new)) where old.isEmpty == new.isEmpty:
            difference(from: old, to: new)
        case (.string(let old), .string(let new)):
            difference(from: old, to: new)
        default:
            old == new ? nil : literal(new)
        }
    }

    /// Walks both objects in their common order of keys (`delta.md` §3).
    private static func difference(from old: JSONObject, to new: JSONObject) -> JSON? {
        var changes: [JSONObject.Member] = []
        new.forEachDifference(from: old) { key, before, after in
            guard let after else { return changes.append((key, [])) }
            guard let before else { return changes.append((key, literal(after))) }
            if let change = difference(from: before, to: after) { changes.append((key, change)) }
        }
        return changes.isEmpty ? nil : .object(JSONObject(changes))
    }

    /// Compares item by item up to the shorter length (`delta.md` §4).
    private static func difference(from old: [JSON], to new: [JSON]) -> JSON? {
        var changes: [JSONObject.Member] = []
        for (offset, pair) in zip(old, new).enumerated() {
            if let change = difference(from: pair.0, to: pair.1) {
                changes.append(("\(offset)", change))
            }
        }
        if old.count != new.count {
            let shorter = min(old.count, new.count)
            changes.append(("\(shorter)-", .array(Array(new.dropFirst(shorter)))))
        }
        return changes.isEmpty ? nil : .object(JSONObject(changes))
    }

    private static func difference(from old: String, to new: String) -> JSON? {
        guard !old.utf8.elementsEqual(new.utf8) else { return nil }
        guard let patch = TextPatch.make(from: old, to: new) else { return .string(new) }
        return [.string(patch), 0, 2]
    }

    /// A new value as a delta node: containers are wrapped, otherwise they would be read as patches.
    private static func literal(_ value: JSON) -> JSON {
        switch value.kind {
        case .array, .object: [value]
        case .null, .bool, .number, .string: value
        }
    }
}
