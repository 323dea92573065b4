import DivanPlatform

/// How long one reader takes for one, two, four and eight times the size.
public struct Measurement: Sendable {
    /// What was measured.
    public let shape: Shape
    /// The single size.
    public let size: Int
    /// Processor time of the thread in milliseconds: for one, two, four and eight times the size.
    public private(set) var milliseconds: [Double]

    /// The factors of the size.
    public static let factors = [1, 2, 4, 8]
    /// The greatest ratio that passes: 8 is linear; the rest is a margin for sorting and caches.
    public static let limit = 12.0

    /// How many times longer eight times the size takes.
    public var ratio: Double { milliseconds[3] / max(milliseconds[0], 0.001) }

    /// Whether time grows no faster than size.
    public var isLinear: Bool { ratio <= Self.limit }

    /// One row of the table.
    public var row: String {
        let times = milliseconds.map { Self.text($0, width: 9) }.joined()
        let head = Self.padded(shape.reader, 22) + Self.padded(shape.input, 58)
        let size = String(repeating: " ", count: max(0, 9 - "\(size)".count)) + "\(size)"
        return head + size + times + Self.text(ratio, width: 8) + (isLinear ? "" : "  GROWS")
    }

    /// The head of the table.
    public static var head: String {
        padded("reader", 22) + padded("input", 58)
            + "     size     1× ms       2×       4×       8×   ratio"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func text(_ number: Double, width: Int) -> String {
        let tenths = Int((number * 10).rounded())
        let text = "\(tenths / 10).\(tenths % 10)"
        return String(repeating: " ", count: max(1, width - text.count)) + text
    }
}

extension Measurement {
    /// Measures a shape.
    ///
    /// Processor time, not wall-clock time, so that a busy machine changes little. A shared core
    /// may still run at half its speed for a while, so one run of the eightfold size is placed between
    /// eight runs of the single size, under the same conditions; what seems to grow is measured
    /// again, and counts if it grows each time.
    public init(_ shape: Shape) throws {
        var size = shape.size
        while size * 16 <= shape.largest, try Self.time(shape, size) < 1.5 { size *= 2 }
        self.shape = shape
        self.size = size
        milliseconds = try Self.round(shape, size)
        for _ in 1..<Self.roundCount where !isLinear {
            let again = try Self.round(shape, size)
            if again[3] * milliseconds[0] < milliseconds[3] * again[0] { milliseconds = again }
        }
    }

    /// How often a suspected growth is measured.
    private static let roundCount = 8

    /// The times of the four sizes; that of the single one is the mean of runs before and after.
    private static func round(_ shape: Shape, _ size: Int) throws -> [Double] {
        let half = factors[3] / 2
        var single = try (0..<half).reduce(0) { sum, _ in sum + (try time(shape, size)) }
        let others = try factors[1...].map { try time(shape, size * $0) }
        single = try (0..<half).reduce(single) { sum, _ in sum + (try time(shape, size)) }
        return [single / Double(2 * half)] + others
    }

    /// The time of one run.
    private static func time(_ shape: Shape, _ size: Int) throws -> Double {
        let run = try shape.prepare(size)
        let start = now()
        try run()
        return now() - start
    }

    /// Processor time that this thread has used, in milliseconds.
    private static func now() -> Double {
        Double(ProcessorClock.thread()) / 1_000_000
    }
}
