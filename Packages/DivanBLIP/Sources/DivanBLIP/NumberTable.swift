/// What is kept by numbers that rise by one, such as those of requests.
///
/// Few of them are in use at a time: so nearly each has a place of its own that follows from its last
/// bits, and nothing is hashed. What stands where a later number wants to
/// stand moves: into a table of twice the size, and from 4,096 places on into a dictionary. So any
/// numbers in any order are kept, and one that stays for ever holds up none behind it.
///
/// Inlined, since in other packages a generic one would take several times as long.
public struct NumberTable<Element> {
    @usableFromInline
    struct Place {
        @usableFromInline var number: UInt64 = 0
        @usableFromInline var element: Element?

        @usableFromInline
        init() {}
    }

    /// None, or a power of two.
    @usableFromInline var places: [Place] = []
    /// What had to leave its place.
    @usableFromInline var strays: [UInt64: Element] = [:]
    @usableFromInline var placedCount = 0

    @inlinable static var firstPlaceCount: Int { 8 }
    @inlinable static var lastPlaceCount: Int { 4096 }

    /// Creates an empty table.
    @inlinable
    public init() {}

    /// How many numbers it has.
    @inlinable
    public var count: Int { placedCount + strays.count }

    /// All numbers, in order.
    @inlinable
    public var numbers: [UInt64] {
        (places.filter { $0.element != nil }.map(\.number) + strays.keys).sorted()
    }

    /// What is kept under all numbers, in no order.
    @inlinable
    public var elements: [Element] { places.compactMap(\.element) + strays.values }

    /// Where a number stands, or would.
    @inlinable @inline(__always)
    func place(of number: UInt64) -> Int {
        Int(truncatingIfNeeded: number & UInt64(truncatingIfNeeded: places.count &- 1))
    }

    /// Whether a number stands at its place.
    @inlinable @inline(__always)
    func isPlaced(_ number: UInt64) -> Bool {
        guard !places.isEmpty else { return false }
        let place = place(of: number)
        return places[place].number == number && places[place].element != nil
    }

    /// What is kept under a number; `nil` when nothing is, and to keep it no longer.
    @inlinable
    public subscript(_ number: UInt64) -> Element? {
        get {
            if isPlaced(number) { return places[place(of: number)].element }
            return strays.isEmpty ? nil : strays[number]
        }
        set {
            guard let newValue else {
                _ = remove(number)
                return
            }
            insert(newValue, at: number)
        }
    }

    /// Keeps something under a number, in place of what was kept before.
    @inlinable
    public mutating func insert(_ element: consuming Element, at number: UInt64) {
        if !strays.isEmpty { strays[number] = nil }
        if !isPlaced(number) {
            makePlace(for: number)
            placedCount += 1
        }
        let place = place(of: number)
        places[place].number = number
        places[place].element = consume element
    }

    /// Takes out what is kept under a number; `nil` when nothing is.
    @inlinable
    public mutating func remove(_ number: UInt64) -> Element? {
        guard isPlaced(number) else {
            return strays.isEmpty ? nil : strays.removeValue(forKey: number)
        }
        placedCount -= 1
        return places[place(of: number)].element.take()
    }

    /// Changes what is kept under a number where it stands; `nil` when nothing is.
    @inlinable
    public mutating func change<Result>(
        _ number: UInt64,
        _ body: (inout Element) -> Result
    ) -> Result? {
        if isPlaced(number) {
            let place = place(of: number)
            guard var element = places[place].element.take() else { return nil }
            let result = body(&element)
            places[place].element = consume element
            return result
        }
        guard !strays.isEmpty, var element = strays[number] else { return nil }
        let result = body(&element)
        strays[number] = consume element
        return result
    }

    /// Has what stands in a number's place move.
    @inlinable
    mutating func makePlace(for number: UInt64) {
        if places.isEmpty {
            places = Array(repeating: Place(), count: Self.firstPlaceCount)
        }
        while places[place(of: number)].element != nil {
            if places.count < Self.lastPlaceCount {
                grow()
            } else {
                let stray = places[place(of: number)].number
                strays[stray] = places[place(of: number)].element.take()
                placedCount -= 1
            }
        }
    }

    /// Doubles the places; no two numbers come to stand in one, as their last bits differed before.
    @inlinable
    mutating func grow() {
        var old = places
        places = Array(repeating: Place(), count: old.count * 2)
        for index in old.indices {
            guard let element = old[index].element.take() else { continue }
            let place = place(of: old[index].number)
            places[place].number = old[index].number
            places[place].element = consume element
        }
    }
}
