import DivanJSON
public import Foundation

/// The place of a fragment.
enum Place {
    /// The path does not exist: its parent is missing or has the wrong type.
    case nowhere
    case member(of: DictionaryObject, String)
    case element(of: ArrayObject, Int)
}

/// A path in a document, whether or not a value exists there: `document["a"][0]["b"].string`.
///
/// Reading a path without a value returns `nil`, 0 or false.
public class Fragment: FragmentProtocol, ArrayFragment, DictionaryFragment {
    final let place: Place

    init(_ place: Place) {
        self.place = place
    }

    /// Whether a value exists, including null.
    public final var exists: Bool { stored != nil }

    /// The value: `String`, `NSNumber`, `NSNull`, `Blob`, a container, or `nil`.
    public var value: Any? { current }

    /// The string, or `nil` if the value is not a string.
    public var string: String? { stored.string }

    /// The number or boolean, or `nil` if the value is neither.
    public var number: NSNumber? { stored.number }

    /// The number's integer part, 1 for true, otherwise 0.
    public var int: Int { Int(clamping: stored.int64) }

    /// The number's integer part, 1 for true, otherwise 0.
    public var int64: Int64 { stored.int64 }

    /// The number in single precision, 1 for true, otherwise 0.
    public var float: Float { Float(stored.double) }

    /// The number, 1 for true, otherwise 0.
    public var double: Double { stored.double }

    /// False if missing, null, false or zero; otherwise true.
    public var boolean: Bool { stored.boolean }

    /// The date that the string represents, or `nil`.
    public var date: Date? { stored.date }

    /// The blob, or `nil` if the value is not a blob.
    public var blob: Blob? { current as? Blob }

    /// The array, or `nil` if the value is not an array.
    public var array: ArrayObject? { current as? ArrayObject }

    /// The dictionary, or `nil` if the value is not a dictionary.
    public var dictionary: DictionaryObject? { current as? DictionaryObject }

    /// The fragment at `index` in this array.
    public subscript(index: Int) -> Fragment { Fragment(place(at: index)) }

    /// The fragment at `key` in this dictionary.
    public subscript(key: String) -> Fragment { Fragment(place(forKey: key)) }

    final func place(at index: Int) -> Place {
        guard let array = current as? ArrayObject else { return .nowhere }
        return .element(of: array, index)
    }

    final func place(forKey key: String) -> Place {
        guard let dictionary = current as? DictionaryObject else { return .nowhere }
        return .member(of: dictionary, key)
    }

    /// The value as its container returns it.
    private var current: Any? {
        switch place {
        case .nowhere: nil
        case .member(let dictionary, let key): dictionary.value(forKey: key)
        case .element(let array, let index): array.holds(index) ? array.value(at: index) : nil
        }
    }

    private var stored: Value? {
        switch place {
        case .nowhere: nil
        case .member(let dictionary, let key): dictionary.members[key]
        case .element(let array, let index): array.holds(index) ? array.element(index) : nil
        }
    }
}

/// The readable interface of a path in a document.
public protocol FragmentProtocol {
    /// The value: `String`, `NSNumber`, `NSNull`, `Blob`, a container, or `nil`.
    var value: Any? { get }
    /// The string, or `nil` if the value is not a string.
    var string: String? { get }
    /// The number or boolean, or `nil` if the value is neither.
    var number: NSNumber? { get }
    /// The number's integer part, 1 for true, otherwise 0.
    var int: Int { get }
    /// The number's integer part, 1 for true, otherwise 0.
    var int64: Int64 { get }
    /// The number in single precision, 1 for true, otherwise 0.
    var float: Float { get }
    /// The number, 1 for true, otherwise 0.
    var double: Double { get }
    /// False if missing, null, false or zero; otherwise true.
    var boolean: Bool { get }
    /// The date that the string represents, or `nil`.
    var date: Date? { get }
    /// The blob, or `nil` if the value is not a blob.
    var blob: Blob? { get }
    /// The array, or `nil` if the value is not an array.
    var array: ArrayObject? { get }
    /// The dictionary, or `nil` if the value is not a dictionary.
    var dictionary: DictionaryObject? { get }
    /// Whether a value exists, including null.
    var exists: Bool { get }
}
