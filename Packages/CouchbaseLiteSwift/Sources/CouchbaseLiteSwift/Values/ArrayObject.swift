import DivanJSON
public import Foundation

/// An array inside a document; immutable unless it is a ``MutableArrayObject``.
///
/// An index outside `0..<count` stops the program, except in subscripts. An immutable array can be read from several
/// threads at once.
public class ArrayObject: ArrayProtocol, Equatable, Hashable, Sequence {
    /// Never changes in an immutable object, so that threads can share it.
    final var elements: Elements
    private let handedOut = ReturnedObjects<Int>()

    init(_ elements: Elements) {
        self.elements = elements
    }

    /// Whether there is an element at `index`.
    final func holds(_ index: Int) -> Bool { elements.values.indices.contains(index) }

    /// Number of elements.
    public final var count: Int { elements.values.count }

    /// Returns the value: `String`, `NSNumber`, `NSNull`, `Blob` or a container.
    ///
    /// Containers and blobs are the same object each time.
    public func value(at index: Int) -> Any? {
        guard let value = element(index) else { return nil }
        guard value.isPlainContainer else { return value.object(in: elements.origin) }
        return handedOut.object(at: index) { value.object(in: elements.origin) as AnyObject }
    }

    /// Returns the string, or `nil` if the value is not a string.
    public final func string(at index: Int) -> String? { element(index).string }

    /// Returns the number or boolean, or `nil` if the value is neither.
    public final func number(at index: Int) -> NSNumber? { element(index).number }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public final func int(at index: Int) -> Int { Int(clamping: element(index).int64) }

    /// Returns the number's integer part, 1 for true, otherwise 0.
    public final func int64(at index: Int) -> Int64 { element(index).int64 }

    /// Returns the number in single precision, 1 for true, otherwise 0.
    public final func float(at index: Int) -> Float { Float(element(index).double) }

    /// Returns the number, 1 for true, otherwise 0.
    public final func double(at index: Int) -> Double { element(index).double }

    /// Returns false if the element is null, false or zero; otherwise true.
    public final func boolean(at index: Int) -> Bool { element(index).boolean }

    /// Returns the date that the string represents, or `nil`; local time if it has no time zone.
    public final func date(at index: Int) -> Date? { element(index).date }

    /// Returns the blob, or `nil` if the value is not a blob.
    public func blob(at index: Int) -> Blob? { value(at: index) as? Blob }

    /// Returns the array, or `nil` if the value is not an array.
    public func array(at index: Int) -> ArrayObject? { value(at: index) as? ArrayObject }

    /// Returns the dictionary, or `nil` if the value is not a dictionary.
    public func dictionary(at index: Int) -> DictionaryObject? {
        value(at: index) as? DictionaryObject
    }

    /// Returns a deep copy as plain collections; blobs stay objects, dates stay strings.
    public final func toArray() -> [Any] { elements.plainArray() }

    /// Returns the elements as JSON text, with the metadata of blobs; not supported for mutable arrays.
    public func toJSON() -> String {
        JSON.array(elements.metadataArray()).canonicalText
    }

    /// Returns a copy that can be edited.
    public final func toMutable() -> MutableArrayObject { MutableArrayObject(elements.copied()) }

    /// Returns an iterator over the values.
    public final func makeIterator() -> AnyIterator<Any> {
        AnyIterator((0..<count).compactMap { value(at: $0) }.makeIterator())
    }

    /// The fragment at `index`, whether or not a value exists there.
    public subscript(index: Int) -> Fragment { Fragment(.element(of: self, index)) }

    /// Whether both contain the same elements in the same order.
    public static func == (left: ArrayObject, right: ArrayObject) -> Bool {
        left === right || left.elements.hasSameContent(as: right.elements)
    }

    /// Feeds the count into `hasher`.
    public final func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }

    /// This object if it can be edited, otherwise an editable copy.
    var editable: MutableArrayObject { toMutable() }

    /// The element, optional to match a dictionary's members; the index must be in range.
    final func element(_ index: Int) -> Value? {
        guard elements.values.indices.contains(index) else {
            stopForMisuse("Array index \(index) is outside 0..<\(count)")
        }
        return elements.values[index]
    }
}
