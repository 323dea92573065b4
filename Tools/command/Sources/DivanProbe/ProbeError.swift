/// The host cannot be reached: its name, its port, the system's message.
public struct ProbeError: Error, CustomStringConvertible {
    /// One line: location and problem.
    public let description: String
    /// Whether the name could not be resolved.
    public let isUnknownHost: Bool
}
