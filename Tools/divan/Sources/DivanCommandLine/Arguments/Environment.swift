import Glibc

/// What the environment says, as it is said: bytes that are no text are refused, not replaced.
package enum Environment {
    /// Whether a variable is set.
    package static func has(_ name: String) -> Bool { getenv(name) != nil }

    /// The value of a variable; `nil` when it is not set.
    ///
    /// - Throws: `Failure` when its bytes are no UTF-8.
    package static func value(_ name: String) throws(Failure) -> String? {
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
