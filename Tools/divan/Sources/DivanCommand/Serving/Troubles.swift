import Divan
import DivanCommandLine
import DivanJSON
import Synchronization

/// Errors of the library since the last look, equal ones together; filled from any thread.
///
/// Peers are told that a server's disk is full, or its database gone; so must be whoever runs it.
final class Troubles: LogSinkProtocol {
    /// One error.
    struct Entry: Sendable {
        let text: String
        var count: UInt64 = 1

        /// What is written for machines.
        var json: JSONObject { ["count": JSON(count), "text": .string(text)] }

        /// What a person reads.
        var sentence: String { count == 1 ? text : "\(text), \(Numbers.grouped(count)) times" }
    }

    /// So many different ones are told between two looks; a peer can bring them about.
    private static let limit = 20
    private static let textLength = 500

    private let entries = Mutex<[Entry]>([])

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        let text = String(message.prefix(Self.textLength))
        entries.withLock { entries in
            if let known = entries.firstIndex(where: { $0.text == text }) {
                entries[known].count += 1
            } else if entries.count < Self.limit {
                entries.append(Entry(text: text))
            }
        }
    }

    /// Hands out what was told.
    func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}
