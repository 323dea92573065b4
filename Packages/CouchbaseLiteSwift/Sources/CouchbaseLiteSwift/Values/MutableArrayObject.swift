import DivanJSON
import Foundation

/// An editable array, alone or inside a mutable document.
///
/// Nested containers are live, as in ``MutableDictionaryObject``. Use it on one thread at a time.
public final class MutableArrayObject: ArrayObject, MutableArrayProtocol {
    /// Creates an empty array.
    public convenience init() {
        self.init(Elements())
    }

    /// Creates an array with the elements of `data`.
    public convenience init(data: [Any]) {
        self.init()
        setData(data)
    }

    /// Creates an array from a JSON array.
    ///
    /// - Throws: `CBLError.invalidJSON`.
    public convenience init(json: String) throws {
        self.init()
        try setJSON(json)
    }

    /// Returns the value: `String`, `NSNumber`, `NSNull`, `Blob` or a mutable container.
    public override func value(at index: Int) -> Any? {
        guard let value = element(index) else { return nil }
        guard value.isPlainContainer else { return value.object(in: elements.origin) }
        let live = value.live(in: elements.origin)
        elements.values[index] = live
        return live.object(in: elements.origin)
    }

    /// Returns the array, or `nil` if the value is not an array.
    public override func array(at index: Int) -> MutableArrayObject? {
        value(at: index) as? MutableArrayObject
    }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public override func dictionary(at index: Int) -> MutableDictionaryObject? {
        value(at: index) as? MutableDictionaryObject
    }

    /// Replaces the element at `index`; `nil` stores null.
    @discardableResult
    public func setValue(_ value: Any?, at index: Int) -> Self {
        guard elements.values.indices.contains(index) else {
            stopForMisuse("Array index \(index) is outside 0..<\(count)")
        }
        elements.values[index] = Value(value)
        return self
    }

    /// Appends an element; `nil` stores null.
    @discardableResult
    public func addValue(_ value: Any?) -> Self {
        elements.values.append(Value(value))
        return self
    }

    /// Inserts an element before the one at `index`; `count` appends, `nil` stores null.
    @discardableResult
    public func insertValue(_ value: Any?, at index: Int) -> Self {
        guard (0...count).contains(index) else {
            stopForMisuse("Array index \(index) is outside 0...\(count)")
        }
        elements.values.insert(Value(value), at: index)
        return self
    }

    /// Replaces all elements.
    @discardableResult
    public func setData(_ data: [Any]) -> Self {
        elements = Elements(data.map { Value($0, inside: 1) })
        return self
    }

    /// Replaces all elements with those of a JSON array.
    ///
    /// - Throws: `CBLError.invalidJSON`.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        guard case .array(let array) = try JSON(publicText: json) else {
            throw NSError(CBLError.invalidJSON, "JSON: the root is not an array; pass [ … ]")
        }
        elements = Elements(array)
        return self
    }

    /// Removes the element at `index`.
    @discardableResult
    public func removeValue(at index: Int) -> Self {
        guard elements.values.indices.contains(index) else {
            stopForMisuse("Array index \(index) is outside 0..<\(count)")
        }
        elements.values.remove(at: index)
        return self
    }

    /// Stops the program: mutable objects do not support it.
    ///
    /// Use `toArray()`.
    public override func toJSON() -> String {
        stopForMisuse("toJSON() needs an immutable array; save the document and read it back")
    }

    /// The fragment at `index`; assigning to it edits this array.
    public override subscript(index: Int) -> MutableFragment {
        MutableFragment(.element(of: self, index))
    }

    override var editable: MutableArrayObject { self }
}
