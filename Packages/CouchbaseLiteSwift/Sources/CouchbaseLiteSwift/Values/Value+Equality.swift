import DivanJSON
import Foundation

/// Equality of containers: the same members, wherever they come from.
///
/// Numbers are equal by value, so that 1 equals 1.0; a boolean is the number 1 or 0, as for `NSNumber`
/// on Apple's systems. Blobs are equal by digest, or by content while a digest is missing.
extension Members {
    func hasSameContent(as other: Members, _ nesting: Nesting = .outermost) -> Bool {
        if let plainObject, let otherObject = other.plainObject, plainObject == otherObject {
            return true
        }
        guard count == other.count else { return false }
        return keys.allSatisfy { key in
            guard let value = self[key], let otherValue = other[key] else { return false }
            return value.hasSameContent(as: otherValue, nesting)
        }
    }
}

extension Elements {
    func hasSameContent(as other: Elements, _ nesting: Nesting = .outermost) -> Bool {
        guard values.count == other.values.count else { return false }
        return zip(values, other.values).allSatisfy { $0.hasSameContent(as: $1, nesting) }
    }
}

extension Value {
    fileprivate func hasSameContent(as other: Value, _ nesting: Nesting) -> Bool {
        if case .json(let left) = self, case .json(let right) = other {
            if left == right { return true }
            // Their doubles may be equal although their digits are not.
            if case (.long, .long) = (left, right) { return false }
        }
        if let left = members, let right = other.members {
            return left.hasSameContent(as: right, nesting.inner)
        }
        if let left = elements, let right = other.elements {
            return left.hasSameContent(as: right, nesting.inner)
        }
        if let left = blob, let right = other.blob { return left == right }
        if case (.unstorable(let left), .unstorable(let right)) = (self, other) {
            return left == right
        }
        if let left = boxedNumber, let right = other.boxedNumber { return left == right }
        return false
    }

    private var members: Members? {
        switch self {
        case .dictionary(let dictionary): dictionary.members
        case .json(.object(let object)) where !object.isBlob: Members(object)
        default: nil
        }
    }

    private var elements: Elements? {
        switch self {
        case .array(let array): array.elements
        case .json(.array(let elements)): Elements(elements)
        default: nil
        }
    }

    private var blob: Blob? {
        switch self {
        case .blob(let blob): blob
        case .json(.object(let object)) where object.isBlob: Blob(object, in: nil)
        default: nil
        }
    }

    /// The number; for a boolean 1 or 0.
    private var boxedNumber: NSNumber? {
        guard case .json(let json) = self else { return nil }
        // Foundation distinguishes boxed booleans from boxed numbers here.
        if case .bool(let isTrue) = json { return NSNumber(value: isTrue ? 1 : 0) }
        return json.kind == .number ? json.boxedNumber : nil
    }
}
