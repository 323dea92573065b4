/// What an entry of an audit log records.
public enum AuditEvent: String, CaseIterable, Sendable {
    /// A file begins, or continues another file. Written by the log itself.
    case begin
    /// The incomplete last line of the file was removed. Written by the log itself.
    case repair
    /// Entries could not be written, such as on a full disk. Written by the log itself.
    case loss
    /// A server started.
    case start
    /// A server stopped.
    case stop
    /// A connection was accepted.
    case connect
    /// Requests for a connection, or logins, were refused.
    case refuse
    /// A connection ended.
    case disconnect
    /// Documents were written.
    case write
    /// Documents were read.
    case read
    /// An HTTP request was answered.
    case request
}
