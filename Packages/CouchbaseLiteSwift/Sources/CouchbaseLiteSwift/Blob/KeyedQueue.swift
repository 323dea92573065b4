/// A queue of elements in order of arrival; each can be found, changed and removed by its key.
///
/// The cost of each of these steps does not depend on the length; `take(where:)` visits all elements.
struct KeyedQueue<Key: Hashable, Element> {
    private struct Entry {
        let key: Key
        /// Distinguishes it from an earlier, removed element of the same key.
        let number: Int
    }

    private var elements: [Key: (number: Int, element: Element)] = [:]
    /// Removed entries are skipped, and dropped once they outnumber the rest.
    private var order: [Entry] = []
    private var lastNumber = 0

    /// The number of elements.
    var count: Int { elements.count }

    subscript(key: Key) -> Element? { elements[key]?.element }

    /// Adds an element at the end; its key must not have one.
    mutating func append(_ element: Element, under key: Key) {
        lastNumber += 1
        elements[key] = (lastNumber, element)
        order.append(Entry(key: key, number: lastNumber))
        guard order.count > 2 * elements.count + 64 else { return }
        let elements = elements
        order.removeAll { elements[$0.key]?.number != $0.number }
    }

    /// Changes an element in place; `nil` if its key has none.
    mutating func update<Output>(_ key: Key, _ body: (inout Element) -> Output) -> Output? {
        guard let place = elements.index(forKey: key) else { return nil }
        return body(&elements.values[place].element)
    }

    /// Removes an element.
    mutating func remove(_ key: Key) {
        elements[key] = nil
    }

    /// Removes the wanted elements, oldest first.
    mutating func take(where isWanted: (Element) -> Bool) -> [Element] {
        var taken: [Element] = []
        var rest: [Entry] = []
        for entry in order {
            guard let (number, element) = elements[entry.key], number == entry.number else {
                continue
            }
            if isWanted(element) {
                taken.append(element)
                elements[entry.key] = nil
            } else {
                rest.append(entry)
            }
        }
        order = rest
        return taken
    }
}
