import DivanJSON
import Foundation

/// A value that a caller may set, but no document can hold: saving it throws.
enum Unstorable: Error, Equatable {
    /// A container inside more containers than a document may have.
    case tooDeep
    /// A date that cannot be written with four digits for the year.
    case date(Date)

    /// The value as callers see it in `Any`: the date, or null for containers that were not read.
    var plainValue: Any {
        switch self {
        case .tooDeep: NSNull()
        case .date(let date): date
        }
    }

    /// The problem and the remedy, after the name of the place.
    var reason: String {
        switch self {
        case .tooDeep:
            "containers are nested more than \(JSONLimits.default.depth) levels deep, or one "
                + "contains itself; flatten the document"
        case .date(let date) where !date.timeIntervalSince1970.isFinite:
            "an infinite date or NaN cannot be stored; store null"
        case .date(let date):
            "the date \(date.timeIntervalSince1970) seconds after 1970 is outside the supported "
                + "years 0000 to 9999; store another date, or a number"
        }
    }
}

extension Unstorable: NumberedError, CustomStringConvertible {
    var number: ErrorNumber { .divan(CBLError.invalidParameter) }

    var description: String { "Document: " + reason }
}

extension Value {
    /// What cannot be stored in this value, if anything.
    func unstorable(_ nesting: Nesting = .outermost) -> Unstorable? {
        switch self {
        case .json, .blob: nil
        case .unstorable(let unstorable): unstorable
        case .dictionary(let dictionary): dictionary.members.unstorable(nesting.inner)
        case .array(let array): array.elements.unstorable(nesting.inner)
        }
    }
}

extension Members {
    fileprivate func unstorable(_ nesting: Nesting) -> Unstorable? {
        // Plain members were read before.
        guard plainObject == nil else { return nil }
        for key in keys {
            if let found = self[key]?.unstorable(nesting) { return found }
        }
        return nil
    }
}

extension Elements {
    fileprivate func unstorable(_ nesting: Nesting) -> Unstorable? {
        for value in values {
            if let found = value.unstorable(nesting) { return found }
        }
        return nil
    }
}
