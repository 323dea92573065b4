/// A module with swift-log's name, and its public names that coexist with ours.
///
/// It is not a logger: what matters is that a client that uses both can be built.
public struct Logger: Sendable {
    /// The severity of a message.
    public enum Level: String, Sendable {
        /// A message for developers.
        case debug
        /// Something that went wrong.
        case error
    }

    /// The subject of the messages.
    public let label: String

    /// Creates a logger.
    public init(label: String) {
        self.label = label
    }

    /// The line that a message would become.
    public func line(_ message: String, at level: Level) -> String {
        "\(level.rawValue) \(label): \(message)"
    }
}

/// Receives a logger's messages.
public protocol LogHandler: Sendable {
    /// The lowest level that is accepted.
    var logLevel: Logger.Level { get }
}
