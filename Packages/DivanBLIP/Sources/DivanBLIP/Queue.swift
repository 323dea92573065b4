/// First in, first out, with places in between; taking the first costs nothing to those behind.
struct Queue<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var count: Int { elements.count - start }
    var isEmpty: Bool { start == elements.count }

    /// The first element, if any.
    var first: Element? { isEmpty ? nil : elements[start] }

    /// The element at a place counted from the first; `nil` outside.
    subscript(_ place: Int) -> Element? {
        place >= 0 && place < count ? elements[start + place] : nil
    }

    mutating func append(_ element: consuming Element) {
        elements.append(element)
    }

    /// Inserts before the element at `place`, or at the end.
    mutating func insert(_ element: Element, at place: Int) {
        elements.insert(element, at: start + min(max(place, 0), count))
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        // Most often there is just one.
        if elements.count == 1 { return elements.removeLast() }
        let first = elements[start].take()
        start += 1
        if isEmpty {
            elements.removeAll(keepingCapacity: elements.capacity <= 1024)
            start = 0
        } else if start >= 64, start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return first
    }
}
