import DivanJSON
import Foundation

/// Values from callers, in all types that the official setters accept.
///
/// Source: `api-map.md` §1.
extension Value {
    /// Creates a value from `any`; `nil` becomes null.
    ///
    /// A type that no document can hold is misuse and stops the program.
    init(_ any: Any?) {
        guard let any else {
            self = .json(.null)
            return
        }
        switch any {
        case let text as String: self = .json(.string(text))
        case let number as NSNumber: self = .json(JSON(number))
        case let dictionary as DictionaryObject: self = .dictionary(dictionary.editable)
        case let array as ArrayObject: self = .array(array.editable)
        case let blob as Blob: self = .blob(blob)
        case let members as [String: Any]: self.init(members: members)
        case let elements as [Any]: self.init(elements: elements)
        case let encryptable as Encryptable: self = .json(.object(encryptable.object))
        case let date as Date: self = .json(.string(date.documentText))
        case let data as Data:
            self = .blob(Blob(contentType: "application/octet-stream", data: data))
        case is NSNull: self = .json(.null)
        case let float as any BinaryFloatingPoint: self = .json(.double(Double(float)))
        case _ where Mirror(reflecting: any).displayStyle == .optional:
            self = .json(.null)  // an optional without value, wrapped in `Any`
        default:
            stopForMisuse("A document cannot hold a \(type(of: any)): \(any)")
        }
    }

    /// Plain JSON if every member is, so that untouched parts need no objects of their own.
    private init(members: [String: Any]) {
        let values = members.mapValues { Value($0) }
        if let object = values.plainObject {
            self = object.isBlob ? .blob(Blob(object, in: nil)) : .json(.object(object))
        } else {
            self = .dictionary(MutableDictionaryObject(Members(values)))
        }
    }

    private init(elements: [Any]) {
        let values = elements.map { Value($0) }
        if let array = values.plainArray {
            self = .json(.array(array))
        } else {
            self = .array(MutableArrayObject(Elements(values)))
        }
    }
}

extension [String: Value] {
    /// The members as JSON, or `nil` if one of them is an object of its own.
    fileprivate var plainObject: JSONObject? {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(count)
        for (key, value) in self {
            guard case .json(let json) = value else { return nil }
            members.append((key, json))
        }
        return JSONObject(members)
    }
}

extension [Value] {
    fileprivate var plainArray: [JSON]? {
        var array: [JSON] = []
        array.reserveCapacity(count)
        for value in self {
            guard case .json(let json) = value else { return nil }
            array.append(json)
        }
        return array
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
            self = .double(number.doubleValue)
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

extension Date {
    /// The string that a document stores for this date: UTC, three decimals, `Z`.
    var documentText: String { ISO8601.format(secondsSince1970: timeIntervalSince1970) }
}
