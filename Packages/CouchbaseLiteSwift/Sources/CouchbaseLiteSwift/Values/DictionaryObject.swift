import DivanJSON
public import Foundation

/// A dictionary inside a document; immutable unless it is a ``MutableDictionaryObject``.
///
/// An immutable dictionary can be read from several threads at once.
public class DictionaryObject: DictionaryProtocol, Equatable, Hashable, Sequence {
    /// Never changes in an immutable object, so that threads can share it.
    final var members: Members
    private let handedOut = ReturnedObjects<ExactText>()

    init(_ members: Members) {
        self.members = members
    }

    /// Number of members.
    public final var count: Int { members.count }

    /// The keys, in no particular order.
    public final var keys: [String] { members.keys }

    /// Returns the value: `String`, `NSNumber`, `NSNull`, `Blob`, `ArrayObject`, `DictionaryObject` or `nil`.
    ///
    /// Containers and blobs are the same object each time.
    public func value(forKey key: String) -> Any? {
        guard let value = members[key] else { return nil }
        guard value.isPlainContainer else { return value.object(in: members.origin) }
        return handedOut.object(at: ExactText(key)) {
            value.object(in: members.origin) as AnyObject
        }
    }

    /// Returns the string, or `nil` if the value is not a string.
    public final func string(forKey key: String) -> String? { members[key].string }

    /// Returns the number or boolean, or `nil` if the value is neither.
    public final func number(forKey key: String) -> NSNumber? { members[key].number }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public final func int(forKey key: String) -> Int { Int(clamping: members[key].int64) }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public final func int64(forKey key: String) -> Int64 { members[key].int64 }

    /// Returns the number in single precision, 1 for true, otherwise 0.
    public final func float(forKey key: String) -> Float { Float(members[key].double) }

    /// Returns the number, 1 for true, otherwise 0.
    public final func double(forKey key: String) -> Double { members[key].double }

    /// Returns false if the value is missing, null, false or zero; otherwise true.
    public final func boolean(forKey key: String) -> Bool { members[key].boolean }

    /// Returns the date that the string represents, or `nil`; local time if it has no time zone.
    public final func date(forKey key: String) -> Date? { members[key].date }

    /// Returns the blob, or `nil` if the value is not a blob.
    public func blob(forKey key: String) -> Blob? { value(forKey: key) as? Blob }

    /// Returns the array, or `nil` if the value is not an array.
    public func array(forKey key: String) -> ArrayObject? { value(forKey: key) as? ArrayObject }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public func dictionary(forKey key: String) -> DictionaryObject? {
        value(forKey: key) as? DictionaryObject
    }

    /// Whether the key exists, even with a null value.
    public final func contains(key: String) -> Bool { members[key] != nil }

    /// Returns a deep copy as plain collections; blobs stay objects, dates stay strings.
    public final func toDictionary() -> [String: Any] { members.plainDictionary() }

    /// Returns the members as JSON text, with the metadata of blobs.
    ///
    /// Not supported for mutable dictionaries, because their blobs may have no digest yet.
    public func toJSON() -> String {
        JSON.object(members.metadataObject()).canonicalText
    }

    /// Returns a copy that can be edited.
    public final func toMutable() -> MutableDictionaryObject {
        MutableDictionaryObject(members.copied())
    }

    /// Returns an iterator over the keys.
    public final func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    /// The fragment at `key`, whether or not a value exists there.
    public subscript(key: String) -> Fragment { Fragment(.member(of: self, key)) }

    /// Whether both contain the same members.
    public static func == (left: DictionaryObject, right: DictionaryObject) -> Bool {
        left === right || left.members.hasSameContent(as: right.members)
    }

    /// Feeds the keys into `hasher`.
    public final func hash(into hasher: inout Hasher) {
        hasher.combine(Set(keys))
    }

    /// This object if it can be edited, otherwise an editable copy.
    var editable: MutableDictionaryObject { toMutable() }
}
