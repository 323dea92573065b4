public import Foundation

/// Access by key to a fragment.
public protocol DictionaryFragment {
    /// The fragment at `key`, whether or not a value exists there.
    subscript(key: String) -> Fragment { get }
}

/// Access by index to a fragment.
public protocol ArrayFragment {
    /// The fragment at `index`, whether or not a value exists there.
    subscript(index: Int) -> Fragment { get }
}

/// The readable interface of a dictionary: a document, or a dictionary inside one.
///
/// Reading a value as the wrong type returns `nil`, 0 or false. Integers are signed 64-bit numbers. A date is an ISO
/// 8601 string with milliseconds.
///
/// Source: `behaviour.md` §3.
public protocol DictionaryProtocol: DictionaryFragment {
    /// Number of members.
    var count: Int { get }
    /// The keys, in no particular order.
    var keys: [String] { get }
    /// The value: `String`, `NSNumber`, `NSNull`, `Blob`, a container, or `nil` if missing.
    func value(forKey key: String) -> Any?
    /// The string, or `nil` if the value is not a string.
    func string(forKey key: String) -> String?
    /// The number or boolean, or `nil` if the value is neither.
    func number(forKey key: String) -> NSNumber?
    /// The number's integer part, 1 for true, otherwise 0.
    func int(forKey key: String) -> Int
    /// The number's integer part, 1 for true, otherwise 0.
    func int64(forKey key: String) -> Int64
    /// The number in single precision, 1 for true, otherwise 0.
    func float(forKey key: String) -> Float
    /// The number, 1 for true, otherwise 0.
    func double(forKey key: String) -> Double
    /// False if missing, null, false or zero; otherwise true.
    func boolean(forKey key: String) -> Bool
    /// The date that the string represents, or `nil`; local time if it has no time zone.
    func date(forKey key: String) -> Date?
    /// The blob, or `nil` if the value is not a blob.
    func blob(forKey key: String) -> Blob?
    /// The array, or `nil` if the value is not an array.
    func array(forKey key: String) -> ArrayObject?
    /// The dictionary, or `nil` if the value is not a dictionary.
    func dictionary(forKey key: String) -> DictionaryObject?
    /// Whether the key exists, even with a null value.
    func contains(key: String) -> Bool
    /// A deep copy as plain collections; blobs stay objects, dates stay strings.
    ///
    /// A Swift dictionary contains only one of several Unicode-equivalent keys, such as composed and decomposed `é`;
    /// the other methods and `toJSON()` distinguish them.
    func toDictionary() -> [String: Any]
}

/// The readable interface of an array.
///
/// An index outside `0..<count` stops the program, except in subscripts.
///
/// Source: `behaviour.md` §3.
public protocol ArrayProtocol: ArrayFragment {
    /// Number of elements.
    var count: Int { get }
    /// The value: `String`, `NSNumber`, `NSNull`, `Blob` or a container.
    func value(at index: Int) -> Any?
    /// The string, or `nil` if the value is not a string.
    func string(at index: Int) -> String?
    /// The number or boolean, or `nil` if the value is neither.
    func number(at index: Int) -> NSNumber?
    /// The number's integer part, 1 for true, otherwise 0.
    func int(at index: Int) -> Int
    /// The number's integer part, 1 for true, otherwise 0.
    func int64(at index: Int) -> Int64
    /// The number in single precision, 1 for true, otherwise 0.
    func float(at index: Int) -> Float
    /// The number, 1 for true, otherwise 0.
    func double(at index: Int) -> Double
    /// False if null, false or zero; otherwise true.
    func boolean(at index: Int) -> Bool
    /// The date that the string represents, or `nil`; local time if it has no time zone.
    func date(at index: Int) -> Date?
    /// The blob, or `nil` if the value is not a blob.
    func blob(at index: Int) -> Blob?
    /// The array, or `nil` if the value is not an array.
    func array(at index: Int) -> ArrayObject?
    /// The dictionary, or `nil` if the value is not a dictionary.
    func dictionary(at index: Int) -> DictionaryObject?
    /// A deep copy as plain collections; blobs stay objects, dates stay strings.
    func toArray() -> [Any]
    /// The elements as JSON text; not supported for mutable arrays.
    func toJSON() -> String
}
