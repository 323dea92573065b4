import DivanPlatform

/// Environment variables, read exactly: bytes that are not UTF-8 are refused, not replaced.
///
/// A command that runs for another process sees that process's secrets, never its own.
package enum Environment {
    /// Variables that are passed with a command to the process that runs it.
    private static let handedOver = [
        "DIVAN_IDENTITY_PASSWORD", "DIVAN_PASSWORD", "DIVAN_PROXY_PASSWORD", "DIVAN_SESSION",
    ]

    /// The values of the variables that are set.
    ///
    /// - Throws: `Failure` if the bytes of one are not UTF-8.
    package static func forHolder() throws(Failure) -> [String: String] {
        var values: [String: String] = [:]
        for name in handedOver { values[name] = try value(name) }
        return values
    }

    /// Whether a variable is set.
    package static func has(_ name: String) -> Bool {
        if let theirs = Streams.current.environment { return theirs[name] != nil }
        return CurrentProcess.variable(name) != nil
    }

    /// The value of a variable; `nil` if it is not set.
    ///
    /// - Throws: `Failure` if its bytes are not UTF-8.
    package static func value(_ name: String) throws(Failure) -> String? {
        if let theirs = Streams.current.environment { return theirs[name] }
        guard let bytes = CurrentProcess.bytes(ofVariable: name) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                kind: .invalid,
                sentence: "the value of \(name) is not valid UTF-8"
            )
        }
        return text
    }
}
