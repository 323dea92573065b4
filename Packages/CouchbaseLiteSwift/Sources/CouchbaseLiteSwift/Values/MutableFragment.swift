public import Foundation

/// A path in a mutable document, which can be assigned to: `document["a"]["b"].int = 1`.
///
/// Assigning to a key of an existing dictionary creates it. Assigning through a path whose parent
/// does not exist, or past the end of an array, is ignored, as in the official SDK.
public final class MutableFragment: Fragment, MutableFragmentProtocol, MutableArrayFragment,
    MutableDictionaryFragment
{
    /// The value: `String`, `NSNumber`, `NSNull`, `Blob`, a mutable container, or `nil`.
    public override var value: Any? {
        get { super.value }
        set { assign(newValue) }
    }

    /// The string, or `nil` if the value is not a string.
    public override var string: String? {
        get { super.string }
        set { assign(newValue) }
    }

    /// The number or boolean, or `nil` if the value is neither.
    public override var number: NSNumber? {
        get { super.number }
        set { assign(newValue) }
    }

    /// The number's integer part, 1 for true, otherwise 0.
    public override var int: Int {
        get { super.int }
        set { assign(newValue) }
    }

    /// The number's integer part, 1 for true, otherwise 0.
    public override var int64: Int64 {
        get { super.int64 }
        set { assign(newValue) }
    }

    /// The number in single precision, 1 for true, otherwise 0.
    public override var float: Float {
        get { super.float }
        set { assign(newValue) }
    }

    /// The number, 1 for true, otherwise 0.
    public override var double: Double {
        get { super.double }
        set { assign(newValue) }
    }

    /// False if missing, null, false or zero; otherwise true.
    public override var boolean: Bool {
        get { super.boolean }
        set { assign(newValue) }
    }

    /// The date that the string represents, or `nil`.
    public override var date: Date? {
        get { super.date }
        set { assign(newValue) }
    }

    /// The blob, or `nil` if the value is not a blob.
    public override var blob: Blob? {
        get { super.blob }
        set { assign(newValue) }
    }

    /// The array, or `nil` if the value is not an array.
    public override var array: MutableArrayObject? {
        get { super.array as? MutableArrayObject }
        set { assign(newValue) }
    }

    /// The dictionary, or `nil` if the value is not a dictionary.
    public override var dictionary: MutableDictionaryObject? {
        get { super.dictionary as? MutableDictionaryObject }
        set { assign(newValue) }
    }

    /// The fragment at `index` in this array.
    public override subscript(index: Int) -> MutableFragment { MutableFragment(place(at: index)) }

    /// The fragment at `key` in this dictionary.
    public override subscript(key: String) -> MutableFragment {
        MutableFragment(place(forKey: key))
    }

    private func assign(_ value: Any?) {
        switch place {
        case .member(let dictionary as MutableDictionaryObject, let key):
            dictionary.setValue(value, forKey: key)
        case .element(let array as MutableArrayObject, let index) where index < array.count:
            guard index >= 0 else { return }
            array.setValue(value, at: index)
        default:
            return
        }
    }
}

/// The readable and writable interface of a path in a mutable document.
public protocol MutableFragmentProtocol: FragmentProtocol {
    /// The value: `String`, `NSNumber`, `NSNull`, `Blob`, a mutable container, or `nil`.
    var value: Any? { get set }
    /// The string, or `nil` if the value is not a string.
    var string: String? { get set }
    /// The number or boolean, or `nil` if the value is neither.
    var number: NSNumber? { get set }
    /// The number's integer part, 1 for true, otherwise 0.
    var int: Int { get set }
    /// The number's integer part, 1 for true, otherwise 0.
    var int64: Int64 { get set }
    /// The number in single precision, 1 for true, otherwise 0.
    var float: Float { get set }
    /// The number, 1 for true, otherwise 0.
    var double: Double { get set }
    /// False if missing, null, false or zero; otherwise true.
    var boolean: Bool { get set }
    /// The date that the string represents, or `nil`.
    var date: Date? { get set }
    /// The blob, or `nil` if the value is not a blob.
    var blob: Blob? { get set }
    /// The array, or `nil` if the value is not an array.
    var array: MutableArrayObject? { get set }
    /// The dictionary, or `nil` if the value is not a dictionary.
    var dictionary: MutableDictionaryObject? { get set }
}
