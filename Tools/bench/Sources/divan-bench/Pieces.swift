import CDivanFloors

/// Byte strings, and the same for a floor in C.
struct Pieces {
    /// The strings.
    let bytes: [[UInt8]]
    /// Bytes of all of them.
    let byteCount: Int
    private let joined: [UInt8]

    init(_ bytes: [[UInt8]]) {
        self.bytes = bytes
        joined = bytes.flatMap { $0 }
        byteCount = joined.count
    }

    /// Passes the strings to a floor; the pointers are valid only during the call.
    func withFloor<T>(_ body: (UnsafePointer<floor_documents>) throws -> T) rethrows -> T {
        try joined.withUnsafeBufferPointer { joined in
            var starts: [UnsafePointer<CChar>?] = []
            var offset = 0
            for piece in bytes {
                // The piece is at this offset of `joined`.
                let start = joined.baseAddress.map { UnsafeRawPointer($0 + offset) }
                starts.append(start?.assumingMemoryBound(to: CChar.self))
                offset += piece.count
            }
            return try starts.withUnsafeBufferPointer { starts in
                try bytes.map(\.count).withUnsafeBufferPointer { lengths in
                    var documents = floor_documents(
                        ids: nil,
                        bodies: starts.baseAddress,
                        body_lengths: UnsafeRawPointer(lengths.baseAddress)?
                            .assumingMemoryBound(to: Int.self),
                        count: bytes.count
                    )
                    return try withUnsafePointer(to: &documents) { try body($0) }
                }
            }
        }
    }
}
