/// The path from a document to a value in it.
///
/// Values below one dictionary share its part of the path, so that a long key above many values is
/// stored once; the text is only made when it is needed.
final class FieldPath: Sendable {
    private enum Step: Sendable {
        case member(String)
        case element(Int)
    }

    private let parent: FieldPath?
    private let step: Step?
    /// An upper bound of the text's size in bytes.
    private let byteCount: Int

    /// The document itself.
    init() {
        (parent, step, byteCount) = (nil, nil, 0)
    }

    private init(_ step: Step, below parent: FieldPath) {
        self.parent = parent
        self.step = step
        byteCount =
            switch step {
            case .member(let key):
                key.utf8.reduce(parent.byteCount + 1) { $0 + (FieldPath.isMark($1) ? 2 : 1) }
            // As many digits as an integer can have.
            case .element: parent.byteCount + 22
            }
    }

    /// The path to the value of a key.
    func member(_ key: String) -> FieldPath { FieldPath(.member(key), below: self) }

    /// The path to an item of an array.
    func element(_ position: Int) -> FieldPath { FieldPath(.element(position), below: self) }

    /// The path as people write it: names with dots between, positions in brackets; `\` precedes a
    /// `.`, `[` or `\` that belongs to a name.
    ///
    /// - Throws: `longPath` beyond `FieldLimits.pathByteCount`.
    func text() throws(FieldFailure) -> String {
        guard byteCount <= FieldLimits.pathByteCount else {
            throw .longPath(limit: FieldLimits.pathByteCount)
        }
        var steps: [Step] = []
        var next: FieldPath? = self
        while let path = next {
            if let step = path.step { steps.append(step) }
            next = path.parent
        }
        var text: [UInt8] = []
        for (number, step) in steps.reversed().enumerated() {
            switch step {
            case .member(let key):
                // Also after an empty name, or two places would have the same path.
                if number > 0 { text.append(UInt8(ascii: ".")) }
                for byte in key.utf8 {
                    if Self.isMark(byte) { text.append(UInt8(ascii: "\\")) }
                    text.append(byte)
                }
            case .element(let position): text += "[\(position)]".utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a byte of a name could be taken for a separator.
    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\\")
    }
}
