import DivanJSON

/// One delta being applied; tracks the current place for error messages.
struct DeltaApplication {
    private var path: [String] = []

    /// Applies a whole delta.
    mutating func apply(_ delta: JSON, toRoot old: JSON) throws(DeltaError) -> JSON {
        guard let result = try apply(delta, to: old) else { throw error(.rootDeleted) }
        return result
    }

    /// Applies a node; `old` and the result are `nil` if there is no value (`delta.md` §2).
    private mutating func apply(_ node: JSON, to old: JSON?) throws(DeltaError) -> JSON? {
        switch node {
        case .null, .bool, .int, .uint, .double, .long, .string:
            return node
        case .array(let operation):
            return try apply(operation, to: old)
        case .object(let patch):
            guard let old else { throw error(.nothingToChange) }
            switch old {
            case _ where patch.isEmpty: return old
            case .object(let members): return .object(try apply(patch, to: members))
            case .array(let items): return .array(try apply(patch, to: items))
            default: throw error(.notAContainer(old.kind))
            }
        }
    }

    private func apply(_ operation: [JSON], to old: JSON?) throws(DeltaError) -> JSON? {
        if operation.count == 1 { return operation[0] }
        guard let old else { throw error(.nothingToChange) }
        switch operation.count {
        case 0: return nil
        case 2: return operation[1]
        case 3 where operation[2] == 0: return nil
        case 3 where operation[2] == 2:
            guard let patch = operation[0].string, let text = old.string else {
                throw error(.notAString)
            }
            do throws(TextPatch.Problem) {
                return .string(try TextPatch.apply(patch, to: text))
            } catch {
                throw self.error(.textPatch(error))
            }
        default: throw error(.unknownOperation)
        }
    }

    private mutating func apply(
        _ patch: JSONObject,
        to old: JSONObject
    ) throws(DeltaError) -> JSONObject {
        guard patch.count <= 16 else { return try merge(patch, into: old) }
        // The common case looks up a few keys and leaves the other members in place.
        var result = old
        for change in patch {
            path.append(change.key)
            result[change.key] = try apply(change.value, to: result[change.key])
            path.removeLast()
        }
        return result
    }

    /// Walks both objects in their common order of keys.
    private mutating func merge(
        _ patch: JSONObject,
        into old: JSONObject
    ) throws(DeltaError) -> JSONObject {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(old.count + patch.count)
        var oldRest = old[...]
        for change in patch {
            while let first = oldRest.first,
                first.key.utf8.lexicographicallyPrecedes(change.key.utf8)
            {
                members.append(first)
                oldRest.removeFirst()
            }
            var oldValue: JSON?
            if let first = oldRest.first, first.key.utf8.elementsEqual(change.key.utf8) {
                oldValue = first.value
                oldRest.removeFirst()
            }
            path.append(change.key)
            if let value = try apply(change.value, to: oldValue) {
                members.append((change.key, value))
            }
            path.removeLast()
        }
        return JSONObject(members + oldRest)
    }

    /// Applies an array patch (`delta.md` §4); keys that name no item are ignored, as there.
    private mutating func apply(
        _ patch: JSONObject,
        to old: [JSON]
    ) throws(DeltaError) -> [JSON] {
        let patch = ArrayPatch(patch)
        var items: [JSON] = []
        for (offset, item) in old.enumerated() {
            path.append("\(offset)")
            if let change = patch.changes[offset] {
                guard let value = try apply(change, to: item) else {
                    throw error(.deletionInsideArray)
                }
                items.append(value)
            } else if let remainder = patch.remainders[offset] {
                return items + (try literalItems(of: remainder))
            } else {
                items.append(item)
            }
            path.removeLast()
        }
        guard let remainder = patch.remainders[old.count] else { return items }
        return items + (try literalItems(of: remainder))
    }

    private func literalItems(of remainder: JSON) throws(DeltaError) -> [JSON] {
        guard let items = remainder.array else { throw error(.remainderNotAnArray) }
        return items
    }

    private func error(_ reason: DeltaError.Reason) -> DeltaError {
        DeltaError(reason: reason, path: path)
    }
}

/// The keys of an array patch by the offset that they name.
private struct ArrayPatch {
    var changes: [Int: JSON] = [:]
    var remainders: [Int: JSON] = [:]

    init(_ patch: JSONObject) {
        for member in patch {
            let isRemainder = member.key.hasSuffix("-")
            let digits = isRemainder ? member.key.dropLast() : member.key[...]
            // Only the plain spelling counts: no sign, no leading zero.
            guard let offset = Int(digits), offset >= 0, "\(offset)" == digits else { continue }
            if isRemainder {
                remainders[offset] = member.value
            } else {
                changes[offset] = member.value
            }
        }
    }
}
