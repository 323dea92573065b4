/// What an end has sent and the network has not taken yet.
struct SimulatedOutbox {
    enum Item {
        case message([UInt8])
        case goodbye(code: UInt16, reason: String)

        /// Approximate bytes on the wire.
        var byteCount: Int {
            switch self {
            case .message(let message): message.count + 8
            case .goodbye(_, let reason): reason.utf8.count + 8
            }
        }
    }

    private var items: [Item] = []
    private var firstIndex = 0
    private var takenByteCount = 0  // of the first item
    /// Bytes that wait.
    private(set) var byteCount = 0

    var isEmpty: Bool { firstIndex == items.count }

    mutating func add(_ item: Item) {
        items.append(item)
        byteCount += item.byteCount
    }

    /// Takes a piece; returns the items that it completes and its length.
    mutating func take(upTo limit: Int) -> (completed: [Item], byteCount: Int) {
        var completed: [Item] = []
        var room = min(limit, byteCount)
        let count = room
        while room > 0, firstIndex < items.count {
            let item = items[firstIndex]
            let missing = item.byteCount - takenByteCount
            guard missing <= room else {
                takenByteCount += room
                break
            }
            room -= missing
            takenByteCount = 0
            completed.append(item)
            firstIndex += 1
        }
        byteCount -= count
        if isEmpty || firstIndex > 256 {
            items.removeFirst(firstIndex)
            firstIndex = 0
        }
        return (completed, count)
    }
}
