/// The values of containers that are being parsed, those of the innermost one last.
///
/// Why the pointer is valid: the memory holds `capacity` values, is allocated and freed only here, and the
/// type cannot be copied. Those below `count` are initialized. Values are only added at the end, and taken
/// from there in the order of a container: each is moved out once, and `count` goes back before the next is
/// added.
struct PlainValues: ~Copyable {
    private(set) var count = 0
    private var capacity = 32
    private var values = UnsafeMutablePointer<Any>.allocate(capacity: 32)

    deinit {
        values.deinitialize(count: count)
        values.deallocate()
    }

    /// Adds a value.
    @inline(__always)
    mutating func append(_ value: consuming Any) {
        if count == capacity { grow() }
        (values + count).initialize(to: value)
        count += 1
    }

    /// Takes the values starting at `first` as an array.
    @inline(__always)
    mutating func takeArray(from first: Int) -> [Any] {
        let taken = count - first
        count = first
        return [Any](unsafeUninitializedCapacity: taken) { buffer, initialized in
            if taken > 0 { buffer.baseAddress?.moveInitialize(from: values + first, count: taken) }
            initialized = taken
        }
    }

    /// Takes the values starting at `first` as a dictionary with the keys of a shape, which has as many.
    @inline(__always)
    mutating func takeDictionary(
        _ shape: ObjectShapes.Shape,
        from first: Int
    ) -> [String: Any] {
        precondition(count - first == shape.numbers.count)
        count = first
        let start = values + first
        // Each number below the count occurs there once.
        return shape.numbers.mapValues { (start + $0).move() }
    }

    /// Takes the values starting at `first` as members with the first keys of a shape.
    mutating func takeMembers(
        _ shape: ObjectShapes.Shape,
        from first: Int
    ) -> [String: Any] {
        let values = takeArray(from: first)
        return Dictionary(zip(shape.keys, values)) { _, last in last }
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Any>.allocate(capacity: 2 * capacity)
        larger.moveInitialize(from: values, count: count)
        values.deallocate()
        values = larger
        capacity *= 2
    }
}
