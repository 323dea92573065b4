public import DivanLog

extension SyncError: LogRepresentable {
    /// The description; the message counts as user data, because it may name a document or come from the peer.
    public var logMessage: LogMessage {
        if message.isEmpty { return "\(description)" }
        let code = "replication (\(wireCode.domainName)/\(code))"
        return hasRemedy ? "\(code): \(user: message)" : "\(code): \(user: message); \(remedy)"
    }
}
