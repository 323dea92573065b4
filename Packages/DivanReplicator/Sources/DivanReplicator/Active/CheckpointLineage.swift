import DivanCrypto
import DivanJSON

/// The saves from which a checkpoint copy originates, which tell apart two copies that agree by chance, when both
/// databases went back in time and used their sequences twice.
///
/// The saves of one checkpoint are numbered in a *line* with a random name. Whoever continues from an older copy than
/// the other side has starts a new line, and remembers how far it followed the previous ones. One copy is known to
/// precede another if the other contains its line, at the same number or a later one. If neither precedes the other,
/// nothing that they have in common is reliable.
///
/// Peers store it as a member of the checkpoint, which they do not interpret. Copies without it, from earlier versions,
/// are handled as before.
///
/// Source: decision 0067.
struct CheckpointLineage: Equatable, Sendable {
    /// Saves of one line.
    private struct Segment: Equatable {
        let line: UInt64
        /// The number of the last of them.
        var number: UInt64
    }

    /// Number of previous lines remembered; a copy from before them is compared as a whole.
    static let stretchesCount = 16
    /// Numbers that every JSON reader represents exactly.
    private static let numbers: ClosedRange<UInt64> = 1...(1 << 53)
    static let key = "line"

    /// The latest first.
    private var stretches: [Segment] = []
    /// Whether the next save starts a new line.
    private var beginsLine = true

    /// Creates the lineage of a checkpoint that was never saved.
    init() {}

    /// Reads it from a stored or received checkpoint; what cannot be read counts as absent.
    init(json body: [UInt8]) {
        guard let items = (try? JSON(parsing: body.span))?.object?[Self.key]?.array else { return }
        for place in stride(from: 0, to: items.count - 1, by: 2) {
            guard stretches.count < Self.stretchesCount, let name = items[place].string,
                name.utf8.count <= 16, let line = UInt64(name, radix: 16),
                case .int(let value) = items[place + 1], let number = UInt64(exactly: value),
                Self.numbers.contains(number)
            else { break }
            stretches.append(Segment(line: line, number: number))
        }
        beginsLine = stretches.isEmpty
    }

    /// Writes it as a member of an object.
    func write(to writer: inout JSONWriter) {
        guard !stretches.isEmpty else { return }
        writer.key(Self.key)
        writer.beginArray()
        for stretch in stretches {
            writer.string(String(stretch.line, radix: 16))
            writer.integer(stretch.number)
        }
        writer.endArray()
    }

    /// Whether one of the two copies precedes the other, or one has no lineage.
    func isRelated(to other: CheckpointLineage) -> Bool {
        stretches.isEmpty || other.stretches.isEmpty || precedes(other) || other.precedes(self)
    }

    /// Whether this is the other copy, or an earlier one.
    private func precedes(_ other: CheckpointLineage) -> Bool {
        guard let latest = stretches.first else { return false }
        return other.stretches.contains {
            $0.line == latest.line && $0.number >= latest.number
        }
    }

    /// Whether this copy, which has another name, was begun or saved after the last save of `other`.
    ///
    /// Only what it took over from `other` shows that; in one line, the saves of two names cannot be told apart.
    func continues(_ other: CheckpointLineage) -> Bool {
        guard let latest = other.stretches.first else { return false }
        return stretches.dropFirst().contains {
            $0.line == latest.line && $0.number >= latest.number
        }
    }

    /// Starts a new line with the next save.
    mutating func beginLine() { beginsLine = true }

    /// The lineage with which both sides continue from the earlier of two copies.
    func met(_ other: CheckpointLineage) -> CheckpointLineage {
        guard !stretches.isEmpty, !other.stretches.isEmpty, isRelated(to: other) else {
            return CheckpointLineage()
        }
        guard stretches.first != other.stretches.first else { return self }
        var earlier = precedes(other) ? self : other
        earlier.beginsLine = true
        return earlier
    }

    /// Numbers the next save.
    mutating func advance(_ random: some RandomSource) {
        if !beginsLine, let latest = stretches.first, latest.number < Self.numbers.upperBound {
            stretches[0].number += 1
            return
        }
        let line = random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        stretches.insert(Segment(line: line, number: 1), at: 0)
        stretches = Array(stretches.prefix(Self.stretchesCount))
        beginsLine = false
    }
}
