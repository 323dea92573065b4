import DivanHTTP
import DivanJSON
import Synchronization

/// The bytes of `{"rows":[…],…}` page by page, so that a list of any length needs only the memory of one page.
final class ListBody: Sendable {
    /// One page.
    struct Page {
        /// The items' texts.
        var items: [[UInt8]]
        /// The members after the list, which complete it; `nil` while there is more.
        var end: JSONObject?
    }

    private enum State {
        case before
        case within
        case behind
    }

    private let key: String
    private let next: @Sendable () throws -> Page?
    private let state = Mutex((place: State.before, isEmpty: true))

    /// Creates a list under a key; `next` returns `nil` while a page is incomplete.
    init(_ key: String, next: @escaping @Sendable () throws -> Page?) {
        self.key = key
        self.next = next
    }

    /// The next bytes; `nil` after the end, none while there is no page.
    func read() throws -> [UInt8]? {
        var (place, isEmpty) = state.withLock { $0 }
        guard place != .behind else { return nil }
        guard let page = try next() else { return [] }
        var bytes: [UInt8] = place == .before ? Array("{\"\(key)\":[".utf8) : []
        for item in page.items {
            bytes += isEmpty ? "\n".utf8 : ",\n".utf8
            bytes += item
            isEmpty = false
        }
        place = .within
        if let end = page.end {
            bytes += "\n]".utf8
            for (key, value) in end {
                bytes +=
                    try [UInt8](",".utf8) + JSON.string(key).canonicalBytes() + ":".utf8
                    + value.canonicalBytes()
            }
            bytes += "}\n".utf8
            place = .behind
        }
        state.withLock { $0 = (place, isEmpty) }
        return bytes
    }
}
