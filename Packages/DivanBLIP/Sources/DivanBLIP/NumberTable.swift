/// A table for consecutive numbers, such as those of requests.
///
/// Few numbers are in use at a time, so nearly every number has its own slot, determined by its last bits, without
/// hashing. If the slot of a new number is occupied, the occupant moves into a table of twice the size, or, from
/// 4,096 slots on, into a dictionary. So any numbers can be stored in any order, and a number that stays forever
/// does not block later numbers.
///
/// The code is inlinable, because the generic code would be several times slower in other packages.
public struct NumberTable<Element> {
    @usableFromInline
    struct Place {
        @usableFromInline var number: UInt64 = 0
        @usableFromInline var element: Element?

        @usableFromInline
        init() {}
    }

    /// Empty, or a power of two.
    @usableFromInline var places: [Place] = []
    /// Elements that had to leave their place.
    @usableFromInline var strays: [UInt64: Element] = [:]
    @usableFromInline var placedCount = 0

    @inlinable static var firstPlaceCount: Int { 8 }
    @inlinable static var lastPlaceCount: Int { 4096 }

    /// Creates an empty table.
    @inlinable
    public init() {}

    /// The number of elements.
    @inlinable
    public var count: Int { placedCount + strays.count }

    /// All numbers, in order.
    @inlinable
    public var numbers: [UInt64] {
        (places.filter { $0.element != nil }.map(\.number) + strays.keys).sorted()
    }

    /// All elements, in no order.
    @inlinable
    public var elements: [Element] { places.compactMap(\.element) + strays.values }

    /// The place of a number, stored or not.
    @inlinable @inline(__always)
    func place(of number: UInt64) -> Int {
        Int(truncatingIfNeeded: number & UInt64(truncatingIfNeeded: places.count &- 1))
    }

    /// Whether a number is stored at its place.
    @inlinable @inline(__always)
    func isPlaced(_ number: UInt64) -> Bool {
        guard !places.isEmpty else { return false }
        let place = place(of: number)
        return places[place].number == number && places[place].element != nil
    }

    /// The element of a number; `nil` if there is none.
    ///
    /// Setting `nil` removes it.
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

    /// Stores an element under a number, and replaces the previous one.
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

    /// Removes and returns the element of a number; `nil` if there is none.
    @inlinable
    public mutating func remove(_ number: UInt64) -> Element? {
        guard isPlaced(number) else {
            return strays.isEmpty ? nil : strays.removeValue(forKey: number)
        }
        placedCount -= 1
        return places[place(of: number)].element.take()
    }

    /// Changes the element of a number in place; `nil` if there is none.
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

    /// Moves the occupant of a number's place away.
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

    /// Doubles the places; numbers never collide, because their last bits already differed.
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
