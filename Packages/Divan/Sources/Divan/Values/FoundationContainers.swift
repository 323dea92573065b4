import Foundation

/// The content of Foundation's containers, one level deep.
///
/// On Linux a cast to Swift's containers, and nearly every accessor, converts the whole subtree: at each level again,
/// and with a stack that nothing limits. These return the items as they are stored.
extension NSDictionary {
    /// The members, or `nil` if a key is no string.
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
    /// A subclass has its own storage, and converts what it returns itself.
    var standingItems: [Any] {
        // No accessor of `NSArray` leaves its items as they are; the reflection of its storage does.
        if type(of: self) == NSArray.self || type(of: self) == NSMutableArray.self,
            let items = storage
        {
            return items
        }
        return (0..<count).map { object(at: $0) }
    }

    private var storage: [AnyObject]? {
        var mirror: Mirror? = Mirror(reflecting: self)
        while let level = mirror {
            for child in level.children where child.label == "_storage" {
                return child.value as? [AnyObject]
            }
            mirror = level.superclassMirror
        }
        return nil
    }
}

/// A caller's container of any type, one level deep.
enum CallerContainer {
    case members([String: Any])
    case items([Any])

    /// `nil` if `any` is no container, or is one that no document can hold.
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
