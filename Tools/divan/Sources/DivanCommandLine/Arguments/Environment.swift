import Glibc

/// What the environment says, as it is said: bytes that are no text are refused, not replaced.
///
/// A verb that works for another process sees that one's secrets, and never those of its own process.
package enum Environment {
    /// Variables that go with a command to the process that does its work.
    private static let handedOver = [
        "DIVAN_IDENTITY_PASSWORD", "DIVAN_PASSWORD", "DIVAN_PROXY_PASSWORD", "DIVAN_SESSION",
    ]

    /// The values of those that are set.
    ///
    /// - Throws: `Failure` when the bytes of one are no UTF-8.
    package static func forHolder() throws(Failure) -> [String: String] {
        var values: [String: String] = [:]
        for name in handedOver { values[name] = try value(name) }
        return values
    }

    /// Whether a variable is set.
    package static func has(_ name: String) -> Bool {
        if let theirs = Streams.current.environment { return theirs[name] != nil }
        return getenv(name) != nil
    }

    /// The value of a variable; `nil` when it is not set.
    ///
    /// - Throws: `Failure` when its bytes are no UTF-8.
    package static func value(_ name: String) throws(Failure) -> String? {
        if let theirs = Streams.current.environment { return theirs[name] }
        guard let bytes = getenv(name) else { return nil }
        guard let text = String(validatingCString: bytes) else {
            throw Failure(
                kind: .invalid,
                sentence: "the value of \(name) is no UTF-8; write it in UTF-8"
            )
        }
        return text
    }
}
