/// Elements in the order in which they came, each found, changed and taken out by its key.
///
/// However long the line is, each of these steps costs the same; `take(where:)` goes through all.
struct KeyedLine<Key: Hashable, Element> {
    private struct Entry {
        let key: Key
        /// Tells it from an earlier element of the same key, which has left.
        let number: Int
    }

    private var elements: [Key: (number: Int, element: Element)] = [:]
    /// What has left is passed over, and goes when it is more than the rest.
    private var order: [Entry] = []
    private var lastNumber = 0

    /// How many stand in line.
    var count: Int { elements.count }

    subscript(key: Key) -> Element? { elements[key]?.element }

    /// Adds an element at the end; its key has none.
    mutating func append(_ element: Element, under key: Key) {
        lastNumber += 1
        elements[key] = (lastNumber, element)
        order.append(Entry(key: key, number: lastNumber))
        guard order.count > 2 * elements.count + 64 else { return }
        let elements = elements
        order.removeAll { elements[$0.key]?.number != $0.number }
    }

    /// Changes an element where it stands; `nil` where its key has none.
    mutating func update<Output>(_ key: Key, _ body: (inout Element) -> Output) -> Output? {
        guard let place = elements.index(forKey: key) else { return nil }
        return body(&elements.values[place].element)
    }

    /// Takes an element out.
    mutating func remove(_ key: Key) {
        elements[key] = nil
    }

    /// Takes those out that are wanted, the longest wait first.
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
