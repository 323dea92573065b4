/// Nobody to talk to: the host's name, its port, the system's words.
public struct ProbeError: Error, CustomStringConvertible {
    /// One line: place and problem.
    public let description: String
    /// Whether the name could not be found at all.
    public let isUnknownHost: Bool
}
