internal import Glibc

/// A system call that failed.
public struct SystemError: Error, Hashable, Sendable {
    /// The name of the call, such as `open`.
    public let call: String
    /// The reason.
    public let errno: Errno

    /// Creates an error; by default for the last failed call of this thread, so use it right after the call.
    public init(_ call: String, _ errno: Errno = .current) {
        self.call = call
        self.errno = errno
    }
}

extension SystemError: CustomStringConvertible {
    /// One line: the call and the reason.
    public var description: String { "\(call): \(errno.text) (\(errno.name))" }
}

/// Repeats a call until no signal interrupts it.
@inline(__always)
func uninterrupted<Number: SignedInteger>(_ body: () -> Number) -> Number {
    while true {
        let result = body()
        if result >= 0 || Glibc.errno != EINTR { return result }
    }
}

/// The same, and throws if the call fails.
@inline(__always) @discardableResult
func checked<Number: SignedInteger>(
    _ call: String,
    _ body: () -> Number
) throws(SystemError) -> Number {
    let result = uninterrupted(body)
    guard result >= 0 else { throw SystemError(call) }
    return result
}

/// The text in a buffer that a C function filled.
func text(in characters: [CChar]) -> String {
    let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
}
