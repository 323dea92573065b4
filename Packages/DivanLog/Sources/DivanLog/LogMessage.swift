/// The text of a log entry, in which user data is marked.
///
/// A string literal is a message. Mark what comes from users and clients:
///
/// ```swift
/// log.warning("Document \(user: documentID) of \(address: client): \(error)")
/// ```
///
/// An error that does not conform to ``LogRepresentable`` counts as user data: its text may contain anything.
public struct LogMessage: Hashable, Sendable {
    fileprivate enum Part: Hashable, Sendable {
        case plain(String)
        case user(String)
        case address(String)
    }

    private var parts: [Part]

    /// Creates a message without user data.
    public init(_ text: String) {
        parts = [.plain(text)]
    }

    private init(_ parts: [Part]) {
        self.parts = parts
    }

    /// The text at a level.
    public func text(_ redaction: LogRedaction) -> String {
        parts.map { part in
            switch part {
            case .plain(let text): text
            case .user(let text): redaction.user(text)
            case .address(let text): redaction.address(text)
            }
        }.joined()
    }

    /// Joins two messages.
    public static func + (left: LogMessage, right: LogMessage) -> LogMessage {
        LogMessage(left.parts + right.parts)
    }
}

extension LogMessage: ExpressibleByStringInterpolation {
    /// Creates a message without user data.
    public init(stringLiteral text: String) {
        self.init(text)
    }

    /// Creates a message from an interpolated literal.
    public init(stringInterpolation: StringInterpolation) {
        parts = stringInterpolation.parts
    }

    /// Collects the parts of an interpolated literal.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var parts: [Part] = []

        /// Creates an empty collection.
        public init(literalCapacity: Int, interpolationCount: Int) {
            parts.reserveCapacity(2 * interpolationCount + 1)
        }

        /// Adds text of the literal.
        public mutating func appendLiteral(_ literal: String) {
            parts.append(.plain(literal))
        }

        /// Adds a value that is not user data.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            parts.append(.plain(String(describing: value)))
        }

        /// Adds an error: as it represents itself, or as user data.
        public mutating func appendInterpolation<Failure: Error>(_ error: Failure) {
            if let error = error as? any LogRepresentable {
                parts += error.logMessage.parts
            } else {
                appendInterpolation(user: error)
            }
        }

        /// Adds a value that marks the user data in its text.
        public mutating func appendInterpolation<Value: LogRepresentable>(_ value: Value) {
            parts += value.logMessage.parts
        }

        /// Adds an error that marks the user data in its text.
        public mutating func appendInterpolation<Failure: Error & LogRepresentable>(
            _ error: Failure
        ) {
            parts += error.logMessage.parts
        }

        /// Adds user data: a name, the ID or the contents of a document, or text from a peer.
        public mutating func appendInterpolation<Value>(user value: Value) {
            parts.append(.user(String(describing: value)))
        }

        /// Adds the network address of a client.
        public mutating func appendInterpolation<Value>(address value: Value) {
            parts.append(.address(String(describing: value)))
        }
    }
}

/// A value that marks the user data in its text for the log.
public protocol LogRepresentable {
    /// The text for the log.
    var logMessage: LogMessage { get }
}

extension LogRepresentable where Self: CustomStringConvertible {
    /// The description: this type contains no user data.
    public var logMessage: LogMessage { LogMessage(description) }
}

extension LogMessage: LogRepresentable {
    /// The message itself.
    public var logMessage: LogMessage { self }
}
