import CDivanFloors
import DivanPlatform
import Foundation

/// Real documents of about 1.2 KB, and the same for the floors in C.
final class Documents {
    /// The JSON texts.
    let bodies: [[UInt8]]
    /// A document ID for each.
    let ids: [String]
    /// Bytes of all texts.
    let byteCount: Int
    private let idPointers: [UnsafeMutablePointer<CChar>?]
    private let bodyPointers: [UnsafeMutablePointer<CChar>?]
    private let lengths: [Int]

    /// Reads the routes of the travel set from the checkout in the current directory.
    init() throws {
        let path = "Tests/Fixtures/travel/routes.jsonl"
        guard let text = FileManager.default.contents(atPath: path) else {
            throw BenchFailure("\(path) is missing; run the bench from the checkout's root")
        }
        bodies = text.split(separator: UInt8(ascii: "\n")).map { line in
            // `_id` is reserved at the top level; the ID is outside the body.
            let body = String(decoding: line, as: UTF8.self)
            return Array(body.replacingOccurrences(of: "\"_id\"", with: "\"id\"").utf8)
        }
        ids = bodies.indices.map { "route-\($0)" }
        byteCount = bodies.reduce(0) { $0 + $1.count }
        lengths = bodies.map(\.count)
        idPointers = ids.map { Memory.cString($0) }
        bodyPointers = bodies.map { Memory.cString(String(decoding: $0, as: UTF8.self)) }
    }

    deinit {
        for pointer in idPointers + bodyPointers { Memory.free(pointer) }
    }

    /// Passes the documents to a floor; the pointers are valid as long as this object.
    func withFloor<T>(_ body: (UnsafePointer<floor_documents>) throws -> T) rethrows -> T {
        try idPointers.map { UnsafePointer($0) }.withUnsafeBufferPointer { ids in
            try bodyPointers.map { UnsafePointer($0) }.withUnsafeBufferPointer { bodies in
                try lengths.withUnsafeBufferPointer { lengths in
                    var documents = floor_documents(
                        ids: ids.baseAddress,
                        bodies: bodies.baseAddress,
                        body_lengths: UnsafeRawPointer(lengths.baseAddress)?
                            .assumingMemoryBound(to: Int.self),
                        count: ids.count
                    )
                    return try withUnsafePointer(to: &documents) { try body($0) }
                }
            }
        }
    }
}

/// Why the bench cannot continue.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
