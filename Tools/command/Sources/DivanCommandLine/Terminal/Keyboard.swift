import Glibc

/// Reads keys as they are pressed, without waiting for Enter; the terminal does not echo them.
///
/// While one exists, Ctrl-C is a key, so that nothing ends the program before the terminal is restored.
/// Used by one thread; only its `Bell` may be used from others.
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
    package struct Bell: Sendable {
        fileprivate let descriptor: Int32

        package func ring() {
            var byte: UInt8 = 0
            _ = Glibc.write(descriptor, &byte, 1)
        }
    }

    private static let byteLimit = 256  // of one reading; a key has a few

    /// Ends the wait for keys; has no effect after the keyboard is released.
    package var bell: Bell { Bell(descriptor: ends[1]) }

    private var usual = termios()
    private var ends: [Int32] = [-1, -1]

    /// Takes the keys of standard input; `nil` if that is not a terminal.
    package init?() {
        guard tcgetattr(STDIN_FILENO, &usual) == 0, pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        var bare = usual
        bare.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        tcsetattr(STDIN_FILENO, TCSANOW, &bare)
    }

    deinit {
        guard ends[0] >= 0 else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &usual)
        for end in ends { close(end) }
    }

    /// The next keys; none on a timeout or when the bell rings.
    package func keys(within milliseconds: Int32) -> [Key] {
        var polled = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&polled, 2, max(0, milliseconds)) > 0, polled[0].revents != 0 else { return [] }
        guard let bytes = try? Descriptor.read(upTo: Self.byteLimit, from: STDIN_FILENO),
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
                let end = rest.firstIndex { $0.value >= 0x40 } ?? rest.endIndex
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
