import DivanJSON
import Foundation

/// Values from callers, in all types that the official setters accept.
///
/// Theory of operation. On Linux a cast of a Swift container to a class converts the whole container to Foundation's
/// classes first, and a cast of Foundation's containers converts everything inside. So the type of a value decides how
/// it is read, only objects are cast to classes, and the items of Foundation's containers are read as they are stored.
/// Each container is visited once, on the way down, and not below the depth that a document may have.
///
/// Source: `api-map.md` §1.
extension Value {
    /// Creates a value from `any`; `nil` becomes null.
    ///
    /// A type that no document can hold is misuse and stops the program.
    init(_ any: Any?) {
        self = any.map { Value($0, inside: 0) } ?? .json(.null)
    }

    /// Creates a value that is inside `depth` containers.
    init(_ any: Any, inside depth: Int) {
        guard let value = Value(storing: any, inside: depth) else {
            // The value is not printed: a nested container's description has no limit.
            stopForMisuse("A document cannot store a value of type \(type(of: any))")
        }
        self = value
    }

    /// Creates a value that is inside `depth` containers; `nil` for a type that no document can hold.
    init?(storing any: Any, inside depth: Int = 0) {
        let kind = type(of: any)
        // The most frequent types first, without a lookup.
        if kind == String.self, let text = any as? String {
            self = .json(.string(text))
        } else if kind == Int.self, let integer = any as? Int {
            self = .json(.int(Int64(integer)))
        } else if kind == Double.self, let double = any as? Double {
            self = .json(.double(double))
        } else if kind == Bool.self, let bool = any as? Bool {
            self = .json(.bool(bool))
        } else if kind == [String: Any].self, let members = any as? [String: Any] {
            self.init(members: members, inside: depth) { Value($0, inside: $1) }
        } else if kind == [Any].self, let elements = any as? [Any] {
            self.init(elements: elements, inside: depth) { Value($0, inside: $1) }
        } else if let read = CallerTypes.all.readings[ObjectIdentifier(kind)] {
            guard let value = read(any, depth) else { return nil }
            self = value
        } else if kind is AnyClass {
            self.init(object: any as AnyObject, inside: depth)
        } else {
            self.init(rare: any, inside: depth)
        }
    }

    /// Creates a dictionary: plain JSON if every member is, so that untouched parts need no objects of their own.
    init<T>(
        members: some Swift.Collection<(key: String, value: T)>,
        inside depth: Int,
        _ read: (T, Int) -> Value
    ) {
        guard depth < JSONLimits.default.depth else {
            self = .unstorable(.tooDeep)
            return
        }
        let members = Members(members, inside: depth + 1, read)
        if let object = members.plainObject {
            self = object.isBlob ? .blob(Blob(object, in: nil)) : .json(.object(object))
        } else {
            self = .dictionary(MutableDictionaryObject(members))
        }
    }

    /// Creates an array, in the same two forms.
    init<T>(elements: [T], inside depth: Int, _ read: (T, Int) -> Value) {
        guard depth < JSONLimits.default.depth else {
            self = .unstorable(.tooDeep)
            return
        }
        var plain: [JSON] = []
        plain.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let value = read(element, depth + 1)
            guard case .json(let json) = value else {
                let rest = elements[(index + 1)...].map { read($0, depth + 1) }
                self = .array(
                    MutableArrayObject(Elements(plain.map { .json($0) } + [value] + rest))
                )
                return
            }
            plain.append(json)
        }
        self = .json(.array(plain))
    }

    /// Creates a value from an object.
    private init?(object: AnyObject, inside depth: Int) {
        switch object {
        case let number as NSNumber: self = .json(JSON(number))
        case let dictionary as DictionaryObject: self = .dictionary(dictionary.editable)
        case let array as ArrayObject: self = .array(array.editable)
        case let blob as Blob: self = .blob(blob)
        case is NSNull: self = .json(.null)
        case let text as String: self = .json(.string(text))
        case let date as Date: self.init(date)
        case let data as Data: self.init(data)
        case let dictionary as NSDictionary: self.init(container: dictionary, inside: depth)
        case let array as NSArray: self.init(container: array, inside: depth)
        case let encryptable as Encryptable: self.init(encryptable)
        default:
            // Foundation's containers wrap a value that has no class of Foundation; reading it unwraps it.
            guard object is NSObject else { return nil }
            let wrapped = NSArray(object: object).object(at: 0)
            guard type(of: wrapped) != type(of: object as Any) else { return nil }
            self.init(storing: wrapped, inside: depth)
        }
    }

    /// Creates a value from a container of Foundation; `nil` if a key is not a string.
    init?(container: NSObject, inside depth: Int) {
        guard depth < JSONLimits.default.depth else {
            self = .unstorable(.tooDeep)
            return
        }
        switch CallerContainer(container) {
        case .members(let members):
            self.init(members: members, inside: depth) { Value($0, inside: $1) }
        case .items(let items):
            self.init(elements: items, inside: depth) { Value($0, inside: $1) }
        case nil: return nil
        }
    }

    /// Creates a value of a type that `CallerTypes` does not list.
    private init?(rare any: Any, inside depth: Int) {
        switch Mirror(reflecting: any).displayStyle {
        case .optional:
            guard let wrapped = Self.unwrapped(any) else {
                self = .json(.null)
                return
            }
            self.init(storing: wrapped, inside: depth)
        case .dictionary:
            guard let members = any as? [String: Any] else { return nil }
            self.init(members: members, inside: depth) { Value($0, inside: $1) }
        case .collection:
            guard let elements = any as? [Any] else { return nil }
            self.init(elements: elements, inside: depth) { Value($0, inside: $1) }
        case .set, .tuple: return nil
        default:
            guard let number = any as? NSNumber else { return nil }
            self = .json(JSON(number))
        }
    }

    /// The value inside any number of optionals; `nil` if one of them has none.
    static func unwrapped(_ any: Any) -> Any? {
        var any = any
        while true {
            let mirror = Mirror(reflecting: any)
            guard mirror.displayStyle == .optional else { return any }
            guard let wrapped = mirror.children.first?.value else { return nil }
            any = wrapped
        }
    }
}

extension Value {
    /// The string that a document stores for `date`.
    init(_ date: Date) {
        self = date.documentText.map { .json(.string($0)) } ?? .unstorable(.date(date))
    }

    /// The blob that a document stores for `data`.
    init(_ data: Data) {
        self = .blob(Blob(contentType: "application/octet-stream", data: data))
    }

    /// The dictionary that a document stores for `encryptable`.
    init(_ encryptable: Encryptable) {
        self = encryptable.unstorable.map { .unstorable($0) } ?? .json(.object(encryptable.object))
    }
}

extension Date {
    /// The string that a document stores for this date: UTC, three decimals, `Z`; `nil` outside the years 0 to 9999.
    var documentText: String? { ISO8601.text(secondsSince1970: timeIntervalSince1970) }
}

extension Members {
    /// Creates the members of a dictionary inside `depth` containers, itself included.
    init<T>(
        _ members: some Swift.Collection<(key: String, value: T)>,
        inside depth: Int,
        _ read: (T, Int) -> Value
    ) {
        var plain = UnorderedMembers(minimumCapacity: members.count)
        var live: [String: Value] = [:]
        for (key, member) in members {
            switch read(member, depth) {
            case .json(let json): plain.append(json, forKey: key)
            case let value: live[key] = value
            }
        }
        self.init(JSONObject(consume plain))
        for (key, value) in live { self[key] = value }
    }

    /// Creates the members of a whole document or dictionary.
    init(_ members: [String: Any]) {
        self.init(members, inside: 1) { Value($0, inside: $1) }
    }
}

extension JSON {
    /// Creates a value from a number or boolean, keeping its type.
    init(_ number: NSNumber) {
        // A C string of at least one character, which lives as long as the number.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            // Foundation also boxes an `Int8` with this type, unless it is 0 or 1.
            let value = number.int64Value
            self = value == 0 || value == 1 ? .bool(value == 1) : .int(value)
        case UInt8(ascii: "f"):
            self = JSON(number.floatValue)
        case UInt8(ascii: "d"):
            // JSONSerialization reads some integers as decimals, such as the least `Int64`.
            let exact = (number as? NSDecimalNumber).flatMap { JSON($0.decimalValue) }
            self = exact ?? .double(number.doubleValue)
        case UInt8(ascii: "Q"), UInt8(ascii: "L"):
            self = JSON(number.uint64Value)
        default:
            self = .int(number.int64Value)
        }
    }

    /// This value as callers see it in `Any`: plain collections, with blobs that read their content from `origin`.
    func plainValue(in origin: Database?) -> Any {
        switch self {
        case .null: NSNull()
        case .string(let text): text
        case .array(let elements): elements.map { $0.plainValue(in: origin) }
        case .object(let members):
            members.isBlob ? Blob(members, in: origin) : members.plainDictionary(in: origin)
        case .bool, .int, .uint, .double, .long: boxedNumber ?? NSNull()
        }
    }
}

extension JSONObject {
    /// The members as a plain dictionary; blobs stay objects.
    func plainDictionary(in origin: Database?) -> [String: Any] {
        var dictionary = [String: Any](minimumCapacity: count)
        for (key, value) in self { dictionary[key] = value.plainValue(in: origin) }
        return dictionary
    }
}
