import Glibc

/// The system's words for an errno; glibc keeps the text per thread.
func errorText(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "errno \(code)" }
    return String(cString: text)
}
