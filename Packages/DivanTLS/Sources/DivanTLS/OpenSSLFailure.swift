import CDivanTLS

/// What OpenSSL's error queue says about the call that just failed on this thread.
enum OpenSSLFailure {
    /// Clears errors of earlier calls on this thread; call it before a call that may fail.
    static func clear() {
        ERR_clear_error()
    }

    /// Empties the queue and returns its oldest entry, which is the cause; 0 if there is none.
    static func take() -> UInt {
        let code = ERR_get_error()
        ERR_clear_error()
        return code
    }

    /// The sentence fragment for a code of `take()`.
    static func text(_ code: UInt) -> String {
        guard let text = ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
        return String(cString: text)
    }

    /// Whether `library` raised the code for `reason`, both in OpenSSL's numbers.
    static func matches(_ code: UInt, library: Int32, reason: Int32) -> Bool {
        ERR_GET_LIB(code) == library && ERR_GET_REASON(code) == reason
    }
}
