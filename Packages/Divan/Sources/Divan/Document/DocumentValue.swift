@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanJSON
internal import DivanSQL
public import Foundation

/// A value in a document or row: null, a boolean, a number, a string, an array, an object or a blob.
///
/// It is created from literals and from any ``DocumentValueConvertible``, and read with the properties below, each of
/// which is `nil` for a value of another type:
///
/// ```swift
/// doc.tags = ["new", "red"]
/// if let first = doc.tags?[0]?.string { print(first) }
/// ```
///
/// Arrays and objects that were read from the database are parsed when they are first accessed. Numbers keep all their
/// digits.
public struct DocumentValue: Sendable {
    enum Storage: Sendable {
        case json(JSON)
        /// The text of an array or object.
        case text(ArraySlice<UInt8>)
    }

    var storage: Storage
    var contents: BlobContents

    init(_ json: JSON, _ contents: BlobContents = BlobContents()) {
        storage = .json(json)
        self.contents = contents
    }

    /// Reads a value that was found in the text of a document; damaged text becomes null.
    init(text: ArraySlice<UInt8>, _ contents: BlobContents) {
        switch text.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): storage = .text(text)
        default: storage = .json(Self.parsed(text))
        }
        self.contents = contents
    }

    /// The types of values.
    public enum Kind: String, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool
        /// A number.
        case number
        /// A string; also dates are stored as strings.
        case string
        /// An array.
        case array
        /// An object that is not a blob.
        case object
        /// A blob.
        case blob
    }

    /// The value as a tree.
    var json: JSON {
        switch storage {
        case .json(let json): json
        case .text(let text): Self.parsed(text)
        }
    }

    private static func parsed(_ text: ArraySlice<UInt8>) -> JSON {
        (try? JSON(parsing: text, limits: StorageLimits.bodyText)) ?? .null
    }
}

// MARK: - Reading

extension DocumentValue {
    /// The type of the value.
    public var kind: Kind {
        switch json {
        case .null: .null
        case .bool: .bool
        case .int, .uint, .double, .long: .number
        case .string: .string
        case .array: .array
        case .object: blob == nil ? .object : .blob
        }
    }

    /// Whether it is null.
    public var isNull: Bool { json.isNull }
    /// The boolean.
    public var bool: Bool? { json.bool }
    /// The number, if it is a whole number that fits.
    public var int: Int? { Int(documentValue: self) }
    /// The number; one with more digits is rounded.
    public var double: Double? { json.double }
    /// The number with its digits, as far as `Decimal` has room for them.
    public var decimal: Decimal? { json.decimal }
    /// The string.
    public var string: String? { json.string }
    /// The date that a string represents in ISO 8601; local time if it has no time zone.
    public var date: Date? { json.string.flatMap { Date(documentText: $0) } }
    /// The elements of an array.
    public var array: [DocumentValue]? {
        json.array.map { $0.map { DocumentValue($0, contents) } }
    }
    /// The members of an object; `nil` for a blob.
    public var object: [String: DocumentValue]? {
        guard case .object(let members) = json, blob == nil else { return nil }
        return Dictionary(
            members.map { ($0.key, DocumentValue($0.value, contents)) },
            uniquingKeysWith: { _, last in last }
        )
    }
    /// The blob.
    public var blob: Blob? {
        guard case .object(let members) = json else { return nil }
        return Blob(members, contents)
    }
    /// The number of elements or members; 0 for other values.
    public var count: Int {
        switch json {
        case .array(let elements): elements.count
        case .object(let members): members.count
        default: 0
        }
    }

    /// Converts the value to a type; `nil` if it is of another type.
    public func value<Value: DocumentValueConvertible>(as type: Value.Type) -> Value? {
        Value(documentValue: self)
    }

    /// The value as JSON text, with the metadata of blobs.
    public var jsonText: String {
        if case .text(let text) = storage { return String(decoding: text, as: UTF8.self) }
        return Self.text(of: json)
    }

    static func text(of json: JSON) -> String {
        let limits = JSONLimits(depth: .max)
        return (try? json.canonicalBytes(limits: limits)).map {
            String(decoding: $0, as: UTF8.self)
        }
            ?? "null"
    }
}

// MARK: - Elements and members

extension DocumentValue {
    /// The element at an index; `nil` outside of the array.
    ///
    /// Setting an element at the end index appends it, and setting `nil` removes it; other indices are ignored.
    public subscript(index: Int) -> DocumentValue? {
        get {
            guard case .array(let elements) = json, elements.indices.contains(index) else {
                return nil
            }
            return DocumentValue(elements[index], contents)
        }
        set {
            guard case .array(var elements) = json, (0...elements.count).contains(index) else {
                return
            }
            if let newValue {
                if index == elements.count {
                    elements.append(newValue.json)
                } else {
                    elements[index] = newValue.json
                }
                contents.adopt(newValue.contents)
            } else if index < elements.count {
                elements.remove(at: index)
            }
            storage = .json(.array(elements))
        }
    }

    /// The member of an object under a path of keys; `nil` if it does not exist.
    ///
    /// Setting a value creates missing objects on the way, and setting `nil` removes the member.
    public subscript(keys: String...) -> DocumentValue? {
        get { member(keys[...]) }
        set { setMember(keys[...], newValue) }
    }

    func member(_ keys: ArraySlice<String>) -> DocumentValue? {
        guard let key = keys.first else { return self }
        let value: DocumentValue?
        switch storage {
        case .text(let text):
            value = JSONText.value(of: key, in: text).map { DocumentValue(text: $0, contents) }
        case .json(let json): value = json[key].map { DocumentValue($0, contents) }
        }
        return value?.member(keys.dropFirst())
    }

    mutating func setMember(_ keys: ArraySlice<String>, _ value: DocumentValue?) {
        storage = .json(json.setting(keys, to: value?.json) ?? .null)
        if let value { contents.adopt(value.contents) }
    }
}

extension JSON {
    /// The value with a member set or removed; `nil` if the value itself is removed.
    func setting(_ keys: ArraySlice<String>, to value: JSON?) -> JSON? {
        guard let key = keys.first else { return value }
        var members = object ?? [:]
        guard keys.count > 1, value != nil || members[key]?.object != nil else {
            members[key] = keys.count > 1 ? members[key] : value
            return .object(members)
        }
        members[key] = (members[key] ?? .object([:])).setting(keys.dropFirst(), to: value)
        return .object(members)
    }
}

extension Date {
    /// Reads a date in ISO 8601.
    init?(documentText text: String) {
        guard let milliseconds = DateText.milliseconds(text, isLocal: true) else { return nil }
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}

extension DocumentValue: Hashable, CustomStringConvertible {
    /// Whether both are the same value; numbers are compared by their values.
    public static func == (left: DocumentValue, right: DocumentValue) -> Bool {
        left.json == right.json
    }

    /// Hashes the kind and the size; equal values have equal hashes.
    public func hash(into hasher: inout Hasher) {
        switch json {
        case .string(let text): hasher.combine(text)
        case .bool(let bool): hasher.combine(bool)
        case let json where json.kind == .number: hasher.combine(json.double)
        default: hasher.combine(count)
        }
    }

    /// The value as JSON text.
    public var description: String { jsonText }
}

extension DocumentValue: ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// JSON's `null`; setting a member to Swift's `nil` removes it.
    public static var null: DocumentValue { DocumentValue(.null) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    /// Creates a number.
    public init(integerLiteral value: Int) { self.init(JSON(value)) }
    /// Creates a number.
    public init(floatLiteral value: Double) { self.init(.double(value)) }
    /// Creates a string.
    public init(stringLiteral value: String) { self.init(.string(value)) }
    /// Creates an array.
    public init(arrayLiteral elements: DocumentValue...) { self.init(elements: elements) }
    /// Creates an object; of equal keys, the last one counts.
    public init(dictionaryLiteral members: (String, DocumentValue)...) {
        self.init(members: members)
    }

    init(elements: some Sequence<DocumentValue>) {
        var contents = BlobContents()
        let array = elements.map { element in
            contents.adopt(element.contents)
            return element.json
        }
        self.init(.array(array), contents)
    }

    init(members: some Sequence<(String, DocumentValue)>) {
        var contents = BlobContents()
        let object = members.map { key, value in
            contents.adopt(value.contents)
            return (key: key, value: value.json)
        }
        self.init(.object(JSONObject(object)), contents)
    }
}
