import DivanPlatform

/// Reads keys as they are pressed, without waiting for Enter; the terminal does not echo them.
///
/// While one exists, Ctrl-C is a key, so that nothing ends the program before the terminal is restored.
/// Used by one thread; only its `WaitCanceller` may be used from others.
package final class Keyboard {
    /// The keys.
    package enum Key: Equatable, Sendable {
        case character(Character)
        case enter
        case escape
        case backspace
        case up
        case down
        /// Ctrl-C, Ctrl-D, or the end of the input.
        case end
    }

    /// Ends the wait for a key from any thread.
    package struct WaitCanceller: Sendable {
        fileprivate let descriptor: FileDescriptor

        package func cancel() {
            try? descriptor.writeAll([0])
        }
    }

    private static let byteLimit = 256  // of one reading; a key has a few

    /// Ends the wait for keys; has no effect after the keyboard is released.
    package var waitCanceller: WaitCanceller { WaitCanceller(descriptor: ends.writing) }

    private let usual: TerminalSettings
    private let ends: (reading: FileDescriptor, writing: FileDescriptor)

    /// Takes the keys of standard input; `nil` if that is not a terminal.
    package init?() {
        guard let usual = TerminalSettings(of: .standardInput),
            let ends = try? FileDescriptor.pipe()
        else { return nil }
        (self.usual, self.ends) = (usual, ends)
        ends.reading.setNonBlocking()
        ends.writing.setNonBlocking()
        usual.unbuffered.apply(to: .standardInput, discardingInput: false)
    }

    deinit {
        usual.apply(to: .standardInput, discardingInput: false)
        ends.reading.close()
        ends.writing.close()
    }

    /// The next keys; none on a timeout or when the wait is cancelled.
    package func keys(within milliseconds: Int32) -> [Key] {
        var polled = [
            PolledDescriptor(.standardInput, .reading), PolledDescriptor(ends.reading, .reading),
        ]
        _ = try? PolledDescriptor.wait(&polled, milliseconds: max(0, milliseconds))
        guard !polled[0].received.isEmpty else { return [] }
        guard let bytes = try? FileDescriptor.standardInput.readWaiting(upTo: Self.byteLimit),
            !bytes.isEmpty
        else { return [.end] }
        return Self.keys(String(decoding: bytes, as: UTF8.self))
    }

    /// The keys in a text that a terminal sent.
    package static func keys(_ text: String) -> [Key] {
        var keys: [Key] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\u{1B}":
                guard let second = rest.first, second == "[" || second == "O" else {
                    keys.append(.escape)
                    continue
                }
                rest.removeFirst()
                // Digits and semicolons, then the letter that identifies the key.
                let end: String.Index = rest.firstIndex { $0.value >= 0x40 } ?? rest.endIndex
                if rest[..<end].isEmpty, end < rest.endIndex {
                    if rest[end] == "A" { keys.append(.up) }
                    if rest[end] == "B" { keys.append(.down) }
                }
                rest = rest[(end < rest.endIndex ? rest.index(after: end) : end)...]
            case "\r", "\n": keys.append(.enter)
            case "\u{7F}", "\u{8}": keys.append(.backspace)
            case "\u{3}", "\u{4}": keys.append(.end)
            default:
                if scalar.value >= 0x20 { keys.append(.character(Character(scalar))) }
            }
        }
        return keys
    }
}
