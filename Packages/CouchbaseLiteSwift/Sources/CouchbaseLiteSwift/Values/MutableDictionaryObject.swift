import DivanJSON
import Foundation

/// An editable dictionary, alone or inside a mutable document.
///
/// Nested containers are live: ``dictionary(forKey:)`` returns the same object each time, and editing it edits this
/// dictionary. Use it on one thread at a time.
public final class MutableDictionaryObject: DictionaryObject, MutableDictionaryProtocol {
    /// Creates an empty dictionary.
    public convenience init() {
        self.init(Members())
    }

    /// Creates a dictionary with the members of `data`.
    public convenience init(data: [String: Any]) {
        self.init()
        setData(data)
    }

    /// Creates a dictionary from a JSON object.
    ///
    /// - Throws: `CBLError.invalidJSON`.
    public convenience init(json: String) throws {
        self.init()
        try setJSON(json)
    }

    /// Returns the value: `String`, `NSNumber`, `NSNull`, `Blob`, a mutable container, or `nil`.
    public override func value(forKey key: String) -> Any? {
        guard let value = members[key] else { return nil }
        guard value.isPlainContainer else { return value.object(in: members.origin) }
        let live = value.live(in: members.origin)
        members[key] = live
        return live.object(in: members.origin)
    }

    /// Returns the array, or `nil` if the value is not an array.
    public override func array(forKey key: String) -> MutableArrayObject? {
        value(forKey: key) as? MutableArrayObject
    }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public override func dictionary(forKey key: String) -> MutableDictionaryObject? {
        value(forKey: key) as? MutableDictionaryObject
    }

    /// Sets a value of any type that documents can store; `nil` stores null.
    @discardableResult
    public func setValue(_ value: Any?, forKey key: String) -> Self {
        members[key] = Value(value)
        return self
    }

    /// Replaces all members.
    @discardableResult
    public func setData(_ data: [String: Any]) -> Self {
        members = Members(data)
        return self
    }

    /// Replaces all members with those of a JSON object.
    ///
    /// - Throws: `CBLError.invalidJSON`.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        members = Members(try JSONObject(publicText: json))
        return self
    }

    /// Removes the key and its value.
    @discardableResult
    public func removeValue(forKey key: String) -> Self {
        members[key] = nil
        return self
    }

    /// Stops the program: mutable objects do not support it.
    ///
    /// Use `toDictionary()`.
    public override func toJSON() -> String {
        stopForMisuse("toJSON() needs an immutable dictionary; save the document and read it back")
    }

    /// The fragment at `key`; assigning to it edits this dictionary.
    public override subscript(key: String) -> MutableFragment {
        MutableFragment(.member(of: self, key))
    }

    override var editable: MutableDictionaryObject { self }
}
