public import Foundation

/// Access by key to a fragment that can be assigned to.
public protocol MutableDictionaryFragment {
    /// The fragment at `key`, whether or not a value exists there.
    subscript(key: String) -> MutableFragment { get }
}

/// Access by index to a fragment that can be assigned to.
public protocol MutableArrayFragment {
    /// The fragment at `index`, whether or not a value exists there.
    subscript(index: Int) -> MutableFragment { get }
}

/// The editable interface of a dictionary; all setters return the dictionary, so that calls can be chained.
///
/// Setting `nil` stores null; ``removeValue(forKey:)`` removes a key. A value of a type that documents cannot store
/// stops the program.
///
/// Source: `api-map.md` §1, §4.3.
public protocol MutableDictionaryProtocol: DictionaryProtocol, MutableDictionaryFragment {
    /// Sets a value of any type that documents can store.
    @discardableResult
    func setValue(_ value: Any?, forKey key: String) -> Self
    /// Replaces all members.
    @discardableResult
    func setData(_ data: [String: Any]) -> Self
    /// Replaces all members with those of a JSON object; throws `CBLError.invalidJSON`.
    @discardableResult
    func setJSON(_ json: String) throws -> Self
    /// Removes the key and its value.
    @discardableResult
    func removeValue(forKey key: String) -> Self
    /// Returns the editable array, or `nil` if the value is not an array.
    func array(forKey key: String) -> MutableArrayObject?
    /// Returns the editable dictionary, or `nil` if the value is not a dictionary.
    func dictionary(forKey key: String) -> MutableDictionaryObject?
}

extension MutableDictionaryProtocol {
    /// Sets a string.
    @discardableResult
    public func setString(_ value: String?, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets a number or boolean.
    @discardableResult
    public func setNumber(_ value: NSNumber?, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets an integer.
    @discardableResult
    public func setInt(_ value: Int, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets a 64-bit integer.
    @discardableResult
    public func setInt64(_ value: Int64, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets a single-precision number.
    @discardableResult
    public func setFloat(_ value: Float, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets a double-precision number; it must be finite when the document is saved.
    @discardableResult
    public func setDouble(_ value: Double, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets a boolean.
    @discardableResult
    public func setBoolean(_ value: Bool, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets a date, stored as a string in UTC with milliseconds.
    ///
    /// Documents support the years 0 to 9999; saving another date throws `CBLError.invalidParameter`.
    @discardableResult
    public func setDate(_ value: Date?, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets a blob; its content is stored when the document is saved.
    @discardableResult
    public func setBlob(_ value: Blob?, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets an array; later changes of a mutable array change the document.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }

    /// Sets a dictionary; later changes of a mutable dictionary change the document.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self {
        setValue(value, forKey: key)
    }
}
