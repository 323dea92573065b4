import DivanHTTP
import DivanJSON
import Synchronization

/// The bytes of `{"rows":[…],…}` page by page, so that a list of any length takes the memory of a page.
final class ListBody: Sendable {
    /// One page.
    struct Page {
        /// The items' texts.
        var items: [[UInt8]]
        /// The members behind the list, which end it; `nil` while there is more.
        var end: JSONObject?
    }

    private enum State {
        case before
        case within
        case behind
    }

    private let key: String
    private let next: @Sendable () throws -> Page
    private let state = Mutex((place: State.before, isEmpty: true))

    /// Creates a list under a key.
    init(_ key: String, next: @escaping @Sendable () throws -> Page) {
        self.key = key
        self.next = next
    }

    /// The next bytes; `nil` behind the end.
    func read() throws -> [UInt8]? {
        var (place, isEmpty) = state.withLock { $0 }
        guard place != .behind else { return nil }
        var bytes: [UInt8] = place == .before ? Array("{\"\(key)\":[".utf8) : []
        let page = try next()
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

/// How far a list has come: the place of its last item, and how many more are wanted.
///
/// Used by the one page that is being read.
final class ListProgress<Place: Sendable>: Sendable {
    private let state: Mutex<(last: Place, rest: Int)>

    init(last: Place, rest: Int) {
        state = Mutex((last, rest))
    }

    var value: (last: Place, rest: Int) {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
