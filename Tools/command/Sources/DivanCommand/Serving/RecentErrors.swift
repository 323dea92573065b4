import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import Synchronization

/// Errors of the library since the last poll, identical ones grouped; filled from any thread.
///
/// A peer gets errors such as a full disk or a deleted database in its reply; this reports them to the operator.
final class RecentErrors: LogSinkProtocol {
    /// One error.
    struct Entry: Sendable {
        let text: String
        var count: UInt64 = 1

        /// The output for machines.
        var json: JSONObject { ["count": JSON(count), "text": .string(text)] }

        /// The output for people.
        var sentence: String { count == 1 ? text : "\(text), \(Numbers.grouped(count)) times" }
    }

    /// Maximum number of different errors between two polls; a peer can cause them.
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

    /// Returns the errors.
    func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}
