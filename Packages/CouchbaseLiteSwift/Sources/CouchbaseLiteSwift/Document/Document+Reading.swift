public import Foundation

extension Document {
    /// Number of members.
    public final var count: Int { root.count }

    /// The keys, in no particular order.
    public final var keys: [String] { root.keys }

    /// Returns the string, or `nil` if the value is not a string.
    public final func string(forKey key: String) -> String? { member(key).string }

    /// Returns the number or boolean, or `nil` if the value is neither.
    public final func number(forKey key: String) -> NSNumber? { member(key).number }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public final func int(forKey key: String) -> Int { Int(clamping: member(key).int64) }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public final func int64(forKey key: String) -> Int64 { member(key).int64 }

    /// Returns the number in single precision, 1 for true, otherwise 0.
    public final func float(forKey key: String) -> Float { Float(member(key).double) }

    /// Returns the number, 1 for true, otherwise 0.
    public final func double(forKey key: String) -> Double { member(key).double }

    /// Returns false if the value is missing, null, false or zero; otherwise true.
    public final func boolean(forKey key: String) -> Bool { member(key).boolean }

    /// Returns the date that the string represents, or `nil`; local time if it has no time zone.
    public final func date(forKey key: String) -> Date? { member(key).date }

    /// Returns the blob, or `nil` if the value is not a blob.
    public final func blob(forKey key: String) -> Blob? { root.blob(forKey: key) }

    /// Whether the key exists, even with a null value.
    public final func contains(key: String) -> Bool { member(key) != nil }

    /// Returns a deep copy as plain collections; blobs stay objects, dates stay strings.
    public final func toDictionary() -> [String: Any] { plainMembers() }

    /// Returns an iterator over the keys.
    public final func makeIterator() -> IndexingIterator<[String]> { root.makeIterator() }
}
