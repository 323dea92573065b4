@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanJSON
public import Foundation

/// A type that can be stored in a document's property.
///
/// Strings, booleans, integers, floating-point and decimal numbers, dates, URLs, UUIDs, blobs, and arrays and
/// dictionaries of them. For your own structs and enums, use `Codable` models.
public protocol DocumentValueConvertible: Sendable {
    /// Reads a value; `nil` if it is of another type.
    init?(documentValue: DocumentValue)
    /// The value in a document.
    var documentValue: DocumentValue { get }
}

extension DocumentValue: DocumentValueConvertible {
    /// Copies a value.
    public init?(documentValue: DocumentValue) { self = documentValue }
    /// The value itself.
    public var documentValue: DocumentValue { self }
}

extension DocumentValue {
    /// Creates a value from any type that documents can store.
    public init(_ value: some DocumentValueConvertible) { self = value.documentValue }

    /// Creates a value from any `Encodable` type, such as your own structs and enums.
    ///
    /// ```swift
    /// doc.findings = try DocumentValue(encoding: findings)
    /// ```
    ///
    /// - Throws: ``DivanError/Code/encodingFailed``.
    public init(encoding value: some Encodable) throws {
        let written = try ModelWriter.value(value)
        self.init(written.json, written.contents)
    }

    /// Decodes the value as any `Decodable` type.
    ///
    /// - Throws: ``DivanError/Code/decodingFailed`` if the value does not match the type.
    public func decode<Model: Decodable>(as type: Model.Type = Model.self) throws -> Model {
        try ModelReader.read(type, value: json, contents, place: "")
    }
}

extension DocumentValue {
    /// The number, if it is stored as an integer of 64 bits.
    @usableFromInline var int64: Int64? {
        guard case .json(.int(let integer)) = storage else { return nil }
        return integer
    }
}

extension DocumentValueConvertible where Self: FixedWidthInteger {
    /// Reads a whole number that fits; `nil` for any other value.
    @inlinable
    public init?(documentValue: DocumentValue) {
        // Most whole numbers: without calling a generic function of another module.
        if let integer = documentValue.int64 {
            self.init(exactly: integer)
        } else {
            self.init(number: documentValue)
        }
    }

    @usableFromInline
    init?(number: DocumentValue) {
        guard let integer = number.json.integer(Self.self) else { return nil }
        self = integer
    }

    /// The number.
    public var documentValue: DocumentValue { DocumentValue(JSON(self)) }
}

extension Int: DocumentValueConvertible {}
extension Int8: DocumentValueConvertible {}
extension Int16: DocumentValueConvertible {}
extension Int32: DocumentValueConvertible {}
extension Int64: DocumentValueConvertible {}
extension UInt: DocumentValueConvertible {}
extension UInt8: DocumentValueConvertible {}
extension UInt16: DocumentValueConvertible {}
extension UInt32: DocumentValueConvertible {}
extension UInt64: DocumentValueConvertible {}

extension String: DocumentValueConvertible {
    /// Reads a string.
    public init?(documentValue: DocumentValue) {
        guard let text = documentValue.json.string else { return nil }
        self = text
    }

    /// The string.
    public var documentValue: DocumentValue { DocumentValue(.string(self)) }
}

extension Bool: DocumentValueConvertible {
    /// Reads a boolean.
    public init?(documentValue: DocumentValue) {
        guard let bool = documentValue.json.bool else { return nil }
        self = bool
    }

    /// The boolean.
    public var documentValue: DocumentValue { DocumentValue(.bool(self)) }
}

extension Double: DocumentValueConvertible {
    /// Reads a number.
    public init?(documentValue: DocumentValue) {
        guard let double = documentValue.json.double else { return nil }
        self = double
    }

    /// The number; a document with NaN or infinity cannot be saved.
    public var documentValue: DocumentValue { DocumentValue(.double(self)) }
}

extension Float: DocumentValueConvertible {
    /// Reads a number in single precision.
    public init?(documentValue: DocumentValue) {
        guard let double = documentValue.json.double else { return nil }
        self = Float(double)
    }

    /// The number with the fewest digits that represent it.
    public var documentValue: DocumentValue { DocumentValue(JSON(self)) }
}

extension Decimal: DocumentValueConvertible {
    /// Reads a number with its digits.
    public init?(documentValue: DocumentValue) {
        guard let decimal = documentValue.json.decimal else { return nil }
        self = decimal
    }

    /// The number with all its digits; null for NaN.
    public var documentValue: DocumentValue {
        DocumentValue(isNaN ? .null : (try? JSON(parsing: description)) ?? .null)
    }
}

extension Date: DocumentValueConvertible {
    /// Reads a date in ISO 8601.
    public init?(documentValue: DocumentValue) {
        guard let date = documentValue.date else { return nil }
        self = date
    }

    /// The date in ISO 8601 with milliseconds, in the years 0 to 9999.
    public var documentValue: DocumentValue {
        DocumentValue(.string(ISO8601.format(secondsSince1970: timeIntervalSince1970)))
    }
}

extension URL: DocumentValueConvertible {
    /// Reads a URL.
    public init?(documentValue: DocumentValue) {
        guard let text = documentValue.json.string, let url = URL(string: text) else { return nil }
        self = url
    }

    /// The URL as a string.
    public var documentValue: DocumentValue { DocumentValue(.string(absoluteString)) }
}

extension UUID: DocumentValueConvertible {
    /// Reads a UUID.
    public init?(documentValue: DocumentValue) {
        guard let text = documentValue.json.string, let id = UUID(uuidString: text) else {
            return nil
        }
        self = id
    }

    /// The UUID as a string.
    public var documentValue: DocumentValue { DocumentValue(.string(uuidString)) }
}

extension Blob: DocumentValueConvertible {
    /// Reads a blob.
    public init?(documentValue: DocumentValue) {
        guard let blob = documentValue.blob else { return nil }
        self = blob
    }

    /// The blob's metadata, together with its content.
    public var documentValue: DocumentValue {
        var contents = BlobContents()
        contents.adopt(self)
        return DocumentValue(.object(metadata), contents)
    }
}

extension Array: DocumentValueConvertible where Element: DocumentValueConvertible {
    /// Reads an array; `nil` if one of its elements is of another type.
    public init?(documentValue: DocumentValue) {
        guard let values = documentValue.array else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for value in values {
            guard let element = Element(documentValue: value) else { return nil }
            elements.append(element)
        }
        self = elements
    }

    /// The array.
    public var documentValue: DocumentValue { DocumentValue(elements: map(\.documentValue)) }
}

extension Dictionary: DocumentValueConvertible
where Key == String, Value: DocumentValueConvertible {
    /// Reads an object; `nil` if one of its members is of another type.
    public init?(documentValue: DocumentValue) {
        guard let members = documentValue.object else { return nil }
        var dictionary: [String: Value] = [:]
        for (key, member) in members {
            guard let value = Value(documentValue: member) else { return nil }
            dictionary[key] = value
        }
        self = dictionary
    }

    /// The object.
    public var documentValue: DocumentValue {
        DocumentValue(members: map { ($0.key, $0.value.documentValue) })
    }
}
