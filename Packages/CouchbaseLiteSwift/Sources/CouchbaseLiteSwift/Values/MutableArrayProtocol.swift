public import Foundation

/// The editable interface of an array; all setters return the array, so that calls can be chained.
///
/// Three families of methods for the same value types: `set…(_:at:)` replaces, `add…(_:)` appends, `insert…(_:at:)`
/// inserts. An index out of range, or a value of a type that documents cannot store, stops the program.
///
/// Source: `api-map.md` §1, §4.3.
public protocol MutableArrayProtocol: ArrayProtocol, MutableArrayFragment {
    /// Replaces the element at `index`.
    @discardableResult
    func setValue(_ value: Any?, at index: Int) -> Self
    /// Appends an element.
    @discardableResult
    func addValue(_ value: Any?) -> Self
    /// Inserts an element before the one at `index`; `count` appends.
    @discardableResult
    func insertValue(_ value: Any?, at index: Int) -> Self
    /// Replaces all elements.
    @discardableResult
    func setData(_ data: [Any]) -> Self
    /// Replaces all elements with those of a JSON array; throws `CBLError.invalidJSON`.
    @discardableResult
    func setJSON(_ json: String) throws -> Self
    /// Removes the element at `index`.
    @discardableResult
    func removeValue(at index: Int) -> Self
    /// Returns the editable array, or `nil` if the value is not an array.
    func array(at index: Int) -> MutableArrayObject?
    /// Returns the editable dictionary, or `nil` if the value is not a dictionary.
    func dictionary(at index: Int) -> MutableDictionaryObject?
}

extension MutableArrayProtocol {
    /// Replaces the element at `index` with a string.
    @discardableResult
    public func setString(_ value: String?, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with a number or boolean.
    @discardableResult
    public func setNumber(_ value: NSNumber?, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with an integer.
    @discardableResult
    public func setInt(_ value: Int, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with a 64-bit integer.
    @discardableResult
    public func setInt64(_ value: Int64, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with a single-precision number.
    @discardableResult
    public func setFloat(_ value: Float, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with a double-precision number.
    @discardableResult
    public func setDouble(_ value: Double, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with a boolean.
    @discardableResult
    public func setBoolean(_ value: Bool, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with a date.
    ///
    /// Documents support the years 0 to 9999; saving another date throws `CBLError.invalidParameter`.
    @discardableResult
    public func setDate(_ value: Date?, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with a blob.
    @discardableResult
    public func setBlob(_ value: Blob?, at index: Int) -> Self { setValue(value, at: index) }

    /// Replaces the element at `index` with an array.
    @discardableResult
    public func setArray(_ value: ArrayObject?, at index: Int) -> Self {
        setValue(value, at: index)
    }

    /// Replaces the element at `index` with a dictionary.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        setValue(value, at: index)
    }
}

extension MutableArrayProtocol {
    /// Appends a string.
    @discardableResult
    public func addString(_ value: String?) -> Self { addValue(value) }

    /// Appends a number or boolean.
    @discardableResult
    public func addNumber(_ value: NSNumber?) -> Self { addValue(value) }

    /// Appends an integer.
    @discardableResult
    public func addInt(_ value: Int) -> Self { addValue(value) }

    /// Appends a 64-bit integer.
    @discardableResult
    public func addInt64(_ value: Int64) -> Self { addValue(value) }

    /// Appends a single-precision number.
    @discardableResult
    public func addFloat(_ value: Float) -> Self { addValue(value) }

    /// Appends a double-precision number.
    @discardableResult
    public func addDouble(_ value: Double) -> Self { addValue(value) }

    /// Appends a boolean.
    @discardableResult
    public func addBoolean(_ value: Bool) -> Self { addValue(value) }

    /// Appends a date.
    ///
    /// Documents support the years 0 to 9999; saving another date throws `CBLError.invalidParameter`.
    @discardableResult
    public func addDate(_ value: Date?) -> Self { addValue(value) }

    /// Appends a blob.
    @discardableResult
    public func addBlob(_ value: Blob?) -> Self { addValue(value) }

    /// Appends an array.
    @discardableResult
    public func addArray(_ value: ArrayObject?) -> Self { addValue(value) }

    /// Appends a dictionary.
    @discardableResult
    public func addDictionary(_ value: DictionaryObject?) -> Self { addValue(value) }
}

extension MutableArrayProtocol {
    /// Inserts a string before the element at `index`.
    @discardableResult
    public func insertString(_ value: String?, at index: Int) -> Self {
        insertValue(value, at: index)
    }

    /// Inserts a number or boolean before the element at `index`.
    @discardableResult
    public func insertNumber(_ value: NSNumber?, at index: Int) -> Self {
        insertValue(value, at: index)
    }

    /// Inserts an integer before the element at `index`.
    @discardableResult
    public func insertInt(_ value: Int, at index: Int) -> Self { insertValue(value, at: index) }

    /// Inserts a 64-bit integer before the element at `index`.
    @discardableResult
    public func insertInt64(_ value: Int64, at index: Int) -> Self { insertValue(value, at: index) }

    /// Inserts a single-precision number before the element at `index`.
    @discardableResult
    public func insertFloat(_ value: Float, at index: Int) -> Self { insertValue(value, at: index) }

    /// Inserts a double-precision number before the element at `index`.
    @discardableResult
    public func insertDouble(_ value: Double, at index: Int) -> Self {
        insertValue(value, at: index)
    }

    /// Inserts a boolean before the element at `index`.
    @discardableResult
    public func insertBoolean(_ value: Bool, at index: Int) -> Self {
        insertValue(value, at: index)
    }

    /// Inserts a date before the element at `index`.
    ///
    /// Documents support the years 0 to 9999; saving another date throws `CBLError.invalidParameter`.
    @discardableResult
    public func insertDate(_ value: Date?, at index: Int) -> Self { insertValue(value, at: index) }

    /// Inserts a blob before the element at `index`.
    @discardableResult
    public func insertBlob(_ value: Blob?, at index: Int) -> Self { insertValue(value, at: index) }

    /// Inserts an array before the element at `index`.
    @discardableResult
    public func insertArray(_ value: ArrayObject?, at index: Int) -> Self {
        insertValue(value, at: index)
    }

    /// Inserts a dictionary before the element at `index`.
    @discardableResult
    public func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        insertValue(value, at: index)
    }
}
