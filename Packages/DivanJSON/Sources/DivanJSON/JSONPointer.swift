/// The path to a value in a document, as text: `/pages/0/scan`.
///
/// The text is split by bytes; a tilde that is not part of an escape is literal.
///
/// Source: RFC 6901.
public struct JSONPointer: Sendable {
    private static let slash = UInt8(ascii: "/")
    private static let tilde = UInt8(ascii: "~")

    /// Keys and indices, the outermost first; none for the document itself.
    public let steps: [String]

    /// Parses a pointer; `nil` for text that is not empty and does not begin with a slash.
    public init?(_ text: some StringProtocol) {
        guard let first = text.utf8.first else {
            steps = []
            return
        }
        guard first == Self.slash else { return nil }
        steps = text.utf8.dropFirst()
            .split(separator: Self.slash, omittingEmptySubsequences: false)
            .map { Self.key(of: $0) }
    }

    /// A key as one step of a pointer, without its slash.
    public static func step(to key: String) -> String {
        guard key.utf8.contains(where: { $0 == tilde || $0 == slash }) else { return key }
        var step: [UInt8] = []
        for byte in key.utf8 {
            switch byte {
            case tilde: step += [tilde, UInt8(ascii: "0")]
            case slash: step += [tilde, UInt8(ascii: "1")]
            default: step.append(byte)
            }
        }
        return String(decoding: step, as: UTF8.self)
    }

    /// The array index of a step; `nil` for a number with a sign or a leading zero.
    public static func index(_ step: String) -> Int? {
        Int(step).flatMap { "\($0)" == step ? $0 : nil }
    }

    private static func key(of step: some Collection<UInt8>) -> String {
        guard step.contains(tilde) else { return String(decoding: step, as: UTF8.self) }
        var key: [UInt8] = []
        var rest = Array(step)[...]
        while let byte = rest.popFirst() {
            switch (byte, rest.first) {
            case (tilde, UInt8(ascii: "0")):
                key.append(tilde)
                rest.removeFirst()
            case (tilde, UInt8(ascii: "1")):
                key.append(slash)
                rest.removeFirst()
            default: key.append(byte)
            }
        }
        return String(decoding: key, as: UTF8.self)
    }
}

extension JSON {
    /// The value at a pointer; `nil` if there is none.
    public subscript(pointer: JSONPointer) -> JSON? {
        var value = self
        for step in pointer.steps {
            switch value {
            case .object(let members):
                guard let member = members[step] else { return nil }
                value = member
            case .array(let items):
                guard let index = JSONPointer.index(step), items.indices.contains(index) else {
                    return nil
                }
                value = items[index]
            default: return nil
            }
        }
        return value
    }
}
