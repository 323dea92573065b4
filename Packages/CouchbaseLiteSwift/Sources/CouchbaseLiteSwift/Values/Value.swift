import DivanJSON
import DivanSQL
import Foundation

/// One value in a container: plain JSON, or the object that a caller holds and may edit.
enum Value {
    case json(JSON)
    case dictionary(MutableDictionaryObject)
    case array(MutableArrayObject)
    case blob(Blob)
    /// Never stored; a document with it cannot be saved.
    case unstorable(Unstorable)
}

/// How a value is read as each type; an absent one reads like one of the wrong type.
///
/// Source: `behaviour.md` §3.
extension Value? {
    var string: String? {
        guard case .json(.string(let text)) = self else { return nil }
        return text
    }

    var number: NSNumber? {
        guard case .json(let json) = self else { return nil }
        return json.boxedNumber
    }

    /// Fractions are truncated; a number out of range becomes the nearest bound.
    var int64: Int64 {
        guard case .json(let json) = self else { return 0 }
        return switch json {
        case .bool(let bool): bool ? 1 : 0
        case .int(let integer): integer
        case .uint: .max
        case .double(let double): Int64(clamping: double)
        case .long(let number): Int64(clamping: number.double)
        default: 0
        }
    }

    var double: Double {
        guard case .json(let json) = self else { return 0 }
        return switch json {
        case .bool(let bool): bool ? 1 : 0
        case .int(let integer): Double(integer)
        case .uint(let integer): Double(integer)
        case .double(let double): double
        case .long(let number): number.double
        default: 0
        }
    }

    /// False for absent, null, false and zero; true for everything else, including the string "false".
    var boolean: Bool {
        switch self {
        case nil, .json(.null): false
        case .json(.bool(let bool)): bool
        case .json(.int(let integer)): integer != 0
        case .json(.double(let double)): double != 0
        default: true
        }
    }

    var date: Date? {
        if case .unstorable(.date(let date)) = self { return date }
        return string.flatMap { DateText.milliseconds($0, isLocal: true) }
            .map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}

extension JSON {
    /// The number or boolean as callers see it in `Any`; `nil` for every other type.
    ///
    /// A plain `Int` in `Any` would not cast to `Double` or `Int64` on Linux; an `NSNumber` does.
    var boxedNumber: NSNumber? {
        switch self {
        case .bool(let bool): bool ? Self.trueNumber : Self.falseNumber
        case .int(let integer): Self.number(integer)
        case .uint(let integer): NSNumber(value: integer)
        case .double(let double): NSNumber(value: double)
        case .long(let number): NSNumber(value: number.double)
        default: nil
        }
    }

    // Most numbers are small, and numbers are immutable, so shared instances suffice.
    private static let trueNumber = NSNumber(value: true)
    private static let falseNumber = NSNumber(value: false)
    private static let smallNumbers = (0..<256).map { NSNumber(value: Int64($0)) }

    private static func number(_ integer: Int64) -> NSNumber {
        0..<256 ~= integer ? smallNumbers[Int(integer)] : NSNumber(value: integer)
    }

    /// Whether this object represents a blob (`blobs.md` §1).
    var isBlob: Bool {
        guard case .object(let members) = self else { return false }
        return members.isBlob
    }
}

extension JSONObject {
    /// Whether this object represents a blob: it has the type, and names or contains content.
    var isBlob: Bool {
        guard case .string(Blob.blobType)? = self[Blob.typeProperty] else { return false }
        switch self[Blob.blobContentType] {
        case .none, .string: break
        default: return false
        }
        switch self[Blob.blobLengthProperty] {
        case .none, .int, .uint, .double: break
        default: return false
        }
        if case .string = self[Blob.blobDigestProperty] { return true }
        if case .string = self[Blob.dataProperty] { return true }
        return false
    }

    /// The description of the blob that this object is read as; `nil` for other objects.
    var blobDescription: JSONObject? { isBlob ? self : oldAttachment }

    /// The description of the blob that an attachment of CouchDB is read as; `nil` for other objects.
    ///
    /// Sync Gateway's REST API and Couchbase Lite 1.x write such attachments. They are told by the
    /// four properties by which the official SDK tells them, and stay as they are in the document.
    var oldAttachment: JSONObject? {
        guard let digest = self[Blob.blobDigestProperty],
            let length = self[Blob.blobLengthProperty], contains("revpos"), contains("stub")
        else { return nil }
        var members = JSONObject()
        members[Blob.typeProperty] = .string(Blob.blobType)
        members[Blob.blobDigestProperty] = digest
        members[Blob.blobLengthProperty] = length
        members[Blob.blobContentType] = self[Blob.blobContentType]
        return members.isBlob ? members : nil
    }
}

extension Int64 {
    /// The integer part of `double`, or the nearest bound; 0 for not-a-number.
    fileprivate init(clamping double: Double) {
        guard !double.isNaN else {
            self = 0
            return
        }
        let whole = double.rounded(.towardZero)
        self = Int64(exactly: whole) ?? (whole < 0 ? .min : .max)
    }
}
