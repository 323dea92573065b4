/// What happened, in order: a hash of all of it, and the lines if requested.
struct Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lines: [String] = []
    let keepsLines: Bool

    init(keepsLines: Bool) {
        self.keepsLines = keepsLines
    }

    /// Adds a fact in numbers: cheap, for what happens thousands of times.
    mutating func add(_ numbers: Int...) {
        for number in numbers { mix(UInt64(bitPattern: Int64(number))) }
    }

    /// Adds a sentence.
    mutating func add(_ time: Duration, _ text: @autoclosure () -> String) {
        let text = text()
        mix(UInt64(bitPattern: time.milliseconds))
        for byte in text.utf8 { mix(UInt64(byte)) }
        if keepsLines { lines.append("\(time.clockText)  \(text)") }
    }

    /// FNV-1a, a word at a time.
    private mutating func mix(_ word: UInt64) {
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// Seconds and milliseconds, in a column.
    var clockText: String {
        let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000)
        let fraction = String(1_000 + rest).dropFirst()
        let text = "\(seconds).\(fraction)"
        return String(repeating: " ", count: max(0, 10 - text.utf8.count)) + text
    }
}
