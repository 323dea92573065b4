import DivanJSON
import Foundation

/// How values of the types that callers often use are read, by type.
///
/// A cast to exactly the type of a value converts nothing.
struct CallerTypes: Sendable {
    /// Reads a value that is inside a number of containers; `nil` if no document can hold it.
    typealias Reading = @Sendable (Any, Int) -> Value?

    private(set) var readings: [ObjectIdentifier: Reading] = [:]

    /// All such types, found once.
    static let all = CallerTypes()

    private init() {
        add(String.self) { text, _ in .json(.string(text)) }
        add(Bool.self) { bool, _ in .json(.bool(bool)) }
        addIntegers()
        add(Double.self) { double, _ in .json(.double(double)) }
        add(Float.self) { float, _ in .json(JSON(float)) }
        add(Float16.self) { float, _ in .json(.double(Double(float))) }
        addLongDoubles()
        add(CGFloat.self) { float, _ in .json(.double(Double(float))) }
        add(NSNumber.self) { number, _ in .json(JSON(number)) }
        add(NSNull.self) { _, _ in .json(.null) }
        add(Date.self) { date, _ in Value(date) }
        add(Data.self) { data, _ in Value(data) }
        add(Blob.self) { blob, _ in .blob(blob) }
        add(Encryptable.self) { encryptable, _ in Value(encryptable) }
        add([Any].self) { elements, depth in
            Value(elements: elements, inside: depth) { Value($0, inside: $1) }
        }
        add([String: Any].self) { members, depth in
            Value(members: members, inside: depth) { Value($0, inside: $1) }
        }
        addOptionals()
        addObjects()
        addExactly(AnyHashable.self) { hashable, depth in Value(hashable.base, inside: depth) }
    }

    /// Foundation's classes; a subclass is found by casts, one after another.
    private mutating func addObjects() {
        addExactly(NSString.self) { text, _ in .json(.string(String(text))) }
        addExactly(NSMutableString.self) { text, _ in .json(.string(String(text))) }
        addExactly(NSDictionary.self) { Value(container: $0, inside: $1) }
        addExactly(NSMutableDictionary.self) { Value(container: $0, inside: $1) }
        addExactly(NSArray.self) { Value(container: $0, inside: $1) }
        addExactly(NSMutableArray.self) { Value(container: $0, inside: $1) }
    }

    private mutating func addOptionals() {
        let read: @Sendable (Any?, Int) -> Value = { element, depth in
            element.map { Value($0, inside: depth) } ?? .json(.null)
        }
        addExactly([Any?].self) { Value(elements: $0, inside: $1, read) }
        addExactly([String: Any?].self) { Value(members: $0, inside: $1, read) }
    }

    private mutating func addIntegers() {
        add(Int.self) { integer, _ in .json(.int(Int64(integer))) }
        add(Int8.self) { integer, _ in .json(.int(Int64(integer))) }
        add(Int16.self) { integer, _ in .json(.int(Int64(integer))) }
        add(Int32.self) { integer, _ in .json(.int(Int64(integer))) }
        add(Int64.self) { integer, _ in .json(.int(integer)) }
        add(UInt.self) { integer, _ in .json(JSON(integer)) }
        add(UInt8.self) { integer, _ in .json(.int(Int64(integer))) }
        add(UInt16.self) { integer, _ in .json(.int(Int64(integer))) }
        add(UInt32.self) { integer, _ in .json(.int(Int64(integer))) }
        add(UInt64.self) { integer, _ in .json(JSON(integer)) }
    }

    private mutating func addLongDoubles() {
        #if arch(x86_64) || arch(i386)
        add(Float80.self) { float, _ in .json(.double(Double(float))) }
        #endif
    }

    /// Adds a type, its optional, and the arrays and dictionaries of it.
    private mutating func add<T>(
        _ type: T.Type,
        _ read: @escaping @Sendable (T, Int) -> Value
    ) {
        addExactly(T.self, read)
        addExactly(T?.self) { value, depth in
            value.map { read($0, depth) } ?? .json(.null)
        }
        addExactly([T].self) { Value(elements: $0, inside: $1, read) }
        addExactly([String: T].self) { Value(members: $0, inside: $1, read) }
    }

    private mutating func addExactly<T>(
        _ type: T.Type,
        _ read: @escaping @Sendable (T, Int) -> Value?
    ) {
        readings[ObjectIdentifier(T.self)] = { any, depth in
            // An optional without a value, in `Any`, is cast to nothing.
            guard let value = any as? T else { return .json(.null) }
            return read(value, depth)
        }
    }
}
