import DivanJSON

/// A peer's sequence: any JSON value, kept as the exact text received.
///
/// Identity is compared by the bytes of that text. Only a checkpoint comparison interprets it, and only the forms that
/// Sync Gateway is known to write.
///
/// Source: `replication.md` §3, `checkpoints.md` §5.
public struct RemoteSequence: Hashable, Sendable, CustomStringConvertible {
    private enum Form: Hashable {
        /// A plain integer, in the form that `String` writes: the form of nearly all.
        case number(UInt64)
        case text(ExactText)

        func hash(into hasher: inout Hasher) {
            switch self {
            case .number(let number): hasher.combine(number)
            case .text(let exact): hasher.combine(exact)
            }
        }
    }

    private let form: Form

    /// The raw JSON, such as `1234` or `"20:100:35"` with its quotes.
    public var json: String {
        switch form {
        case .number(let number): String(number)
        case .text(let exact): exact.text
        }
    }

    /// Wraps JSON text as received; the text is not checked.
    public init(json: String) {
        self.init(json: json.utf8.span)
    }

    /// Wraps JSON text as received; the text is not checked.
    init(json bytes: Span<UInt8>) {
        form =
            Self.number(bytes).map { .number($0) }
            ?? .text(
                ExactText(bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
            )
    }

    /// Represents the sequences of a list that could not be read; not JSON, so that no peer sends it.
    static let unreadable = RemoteSequence(json: "unreadable list")

    /// Writes an integer sequence.
    public init(_ number: UInt64) {
        form = .number(number)
    }

    /// The number, if the text is exactly how it is written.
    private static func number(_ text: Span<UInt8>) -> UInt64? {
        guard !text.isEmpty, text[0] != UInt8(ascii: "0") || text.count == 1 else {
            return nil
        }
        var number: UInt64 = 0
        for index in text.indices {
            let byte = text[index]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let digit = UInt64(byte - UInt8(ascii: "0"))
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            guard !overflow, tens <= .max - digit else { return nil }
            number = tens + digit
        }
        return number
    }

    /// The raw JSON.
    public var description: String { json }

    /// The value if it is a plain integer.
    public var number: UInt64? {
        switch form {
        case .number(let number): number
        case .text(let exact): UInt64(exact.text)
        }
    }

    /// The value if it is an integer in the form that `String` writes.
    var integer: UInt64? {
        if case .number(let number) = form { number } else { nil }
    }

    /// Whether this sequence is known to precede `other`; `nil` if they cannot be compared.
    public func precedes(_ other: RemoteSequence) -> Bool? {
        guard let mine = Parts(json), let theirs = Parts(other.json) else { return nil }
        return mine.precedes(theirs)
    }
}

/// The forms `Seq`, `Trig:Seq`, `Low:Trig:Seq` and `Low::Seq`.
private struct Parts {
    var sequence: UInt64
    var trigger: UInt64?
    var low: UInt64?

    init?(_ json: String) {
        var text = json[...]
        if text.count >= 2, text.first == "\"", text.last == "\"" {
            text = text.dropFirst().dropLast()
        }
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), let last = fields.last,
            let sequence = UInt64(last)
        else { return nil }
        self.sequence = sequence
        switch fields.count {
        case 2:
            guard let trigger = UInt64(fields[0]) else { return nil }
            self.trigger = trigger
        case 3:
            guard let low = UInt64(fields[0]) else { return nil }
            self.low = low
            guard fields[1].isEmpty || UInt64(fields[1]) != nil else { return nil }
            trigger = UInt64(fields[1])
        default:
            break
        }
    }

    /// The table of `checkpoints.md` §5, row by row.
    func precedes(_ other: Parts) -> Bool {
        if let low {
            guard let otherLow = other.low else { return low < (other.trigger ?? other.sequence) }
            guard low == otherLow else { return low < otherLow }
            return withoutLow.precedes(other.withoutLow)
        }
        if let otherLow = other.low { return (trigger ?? sequence) <= otherLow }
        switch (trigger, other.trigger) {
        case (nil, nil): return sequence < other.sequence
        case (nil, let theirs?): return sequence < theirs
        case (let mine?, nil): return mine <= other.sequence
        case (let mine?, let theirs?):
            return mine == theirs ? sequence < other.sequence : mine < theirs
        }
    }

    private var withoutLow: Parts {
        var copy = self
        copy.low = nil
        return copy
    }
}
