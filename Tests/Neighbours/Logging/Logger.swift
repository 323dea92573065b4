/// A module of the name that swift-log has, with its public names that stand beside ours.
///
/// It is no logger: what matters is that a client builds which uses both.
public struct Logger: Sendable {
    /// How much a message matters.
    public enum Level: String, Sendable {
        /// Something to look at while developing.
        case debug
        /// Something that went wrong.
        case error
    }

    /// What the messages are about.
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

/// What takes a logger's messages.
public protocol LogHandler: Sendable {
    /// The least level that is taken.
    var logLevel: Logger.Level { get }
}
