import Foundation

/// The content of Foundation's containers, one level deep.
///
/// On Linux a cast to Swift's containers, and nearly every accessor, converts the whole subtree: at each level again,
/// and with a stack that nothing limits. These return the items as they are stored.
extension NSDictionary {
    /// The members, or `nil` if a key is not a string.
    var standingMembers: [(key: String, value: Any)]? {
        let (keys, values) = (allKeys, allValues)
        var members: [(key: String, value: Any)] = []
        members.reserveCapacity(keys.count)
        for (key, value) in zip(keys, values) {
            guard let key = Self.text(key) else { return nil }
            members.append((key, value))
        }
        return members
    }

    /// A cast to exactly the type of a key is several times as fast as one that converts.
    private static func text(_ key: Any) -> String? {
        type(of: key) == NSString.self ? (key as? NSString).map(String.init) : key as? String
    }
}

extension NSArray {
    /// The items.
    ///
    /// Every accessor of `NSArray` converts its items, except the reflection of its storage. A subclass that stores
    /// its items elsewhere is read with `object(at:)`.
    var standingItems: [Any] {
        let storage = Mirror(reflecting: self)
        guard storage.subjectType == [AnyObject].self, storage.children.count == count else {
            return (0..<count).map { object(at: $0) }
        }
        return storage.children.enumerated().map { index, child in
            let kind = type(of: child.value)
            return kind is NSArray.Type || kind is NSDictionary.Type
                ? child.value : object(at: index)
        }
    }
}

/// A caller's container of any type, one level deep.
enum CallerContainer {
    case members([(key: String, value: Any)])
    case items([Any])

    /// `nil` if `any` is not a container, or if a document cannot store it.
    init?(_ any: Any) {
        let kind = type(of: any)
        if kind is NSDictionary.Type, let dictionary = any as? NSDictionary {
            guard let members = dictionary.standingMembers else { return nil }
            self = .members(members)
            return
        }
        if kind is NSArray.Type, let array = any as? NSArray {
            self = .items(array.standingItems)
            return
        }
        guard !(kind is AnyClass) else { return nil }
        switch Mirror(reflecting: any).displayStyle {
        case .optional:
            guard let wrapped = Value.unwrapped(any) else { return nil }
            self.init(wrapped)
        case .dictionary:
            guard let members = any as? [String: Any] else { return nil }
            self = .members(Array(members))
        case .collection:
            guard let items = any as? [Any] else { return nil }
            self = .items(items)
        default: return nil
        }
    }
}
