import DivanPlatform

extension Socket {
    /// Sends small messages at once, and makes the system end a connection whose peer acknowledges nothing for that
    /// long; a socket that does not support this is used all the same.
    ///
    /// The sockets that a listening socket accepts inherit its options (`tcp(7)`).
    func prepareForMessages(stallTimeout: Duration) {
        try? setOption(.noDelay, 1)
        let milliseconds = min(max(stallTimeout / .milliseconds(1), 1), Double(Int32.max))
        try? setOption(.userTimeout, Int32(milliseconds))
    }

    /// Acknowledges at once what is read next.
    ///
    /// The system resets this, so it is set after each read: otherwise peers that leave Nagle's algorithm on (Sync
    /// Gateway) wait 40 ms for us (`websocket-and-urls.md` §4).
    func setQuickAcknowledgement() {
        try? setOption(.quickAcknowledgement, 1)
    }
}
