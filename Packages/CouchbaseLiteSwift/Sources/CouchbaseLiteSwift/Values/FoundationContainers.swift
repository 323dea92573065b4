import Foundation

/// The content of Foundation's containers, one level deep.
///
/// On Linux a cast to Swift's containers, and nearly every accessor, converts the whole subtree: at each level again,
/// and with a stack that nothing limits. These return the items as they are stored.
extension NSDictionary {
    /// The members, or `nil` if a key is not a string.
    var standingMembers: [String: Any]? {
        let (keys, values) = (allKeys, allValues)
        var members = [String: Any](minimumCapacity: keys.count)
        for (key, value) in zip(keys, values) {
            guard let key = key as? String else { return nil }
            members[key] = value
        }
        return members
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
            let item = child.value as AnyObject
            return item is NSArray || item is NSDictionary ? item : object(at: index)
        }
    }
}

/// A caller's container of any type, one level deep.
enum CallerContainer {
    case members([String: Any])
    case items([Any])

    /// `nil` if `any` is not a container, or if a document cannot store it.
    init?(_ any: Any) {
        if type(of: any) is AnyClass {
            switch any as AnyObject {
            case let dictionary as NSDictionary:
                guard let members = dictionary.standingMembers else { return nil }
                self = .members(members)
            case let array as NSArray: self = .items(array.standingItems)
            default: return nil
            }
            return
        }
        switch Mirror(reflecting: any).displayStyle {
        case .optional:
            guard let wrapped = Value.unwrapped(any) else { return nil }
            self.init(wrapped)
        case .dictionary:
            guard let members = any as? [String: Any] else { return nil }
            self = .members(members)
        case .collection:
            guard let items = any as? [Any] else { return nil }
            self = .items(items)
        default: return nil
        }
    }
}
