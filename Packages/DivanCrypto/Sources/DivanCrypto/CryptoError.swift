internal import CDivanCrypto

/// A key that cannot be created, read or written.
public enum CryptoError: Error, Equatable, Sendable {
    /// The text or bytes contain no private key, or need another password.
    case unreadableKey(detail: String)
    /// The key's algorithm or curve is not in `PrivateKey.Kind`.
    case unsupportedKey
    /// An RSA key outside `PrivateKey.rsaBitCounts`.
    case keySize(bitCount: Int)
    /// A password of more than `PrivateKey.passwordByteCount` bytes.
    case passwordLength(byteCount: Int)
    /// An operation of the library failed; `detail` is the library's message.
    case library(operation: String, detail: String)
}

extension CryptoError: CustomStringConvertible {
    /// One line: location, problem, remedy.
    public var description: String {
        switch self {
        case .unreadableKey(let detail):
            "private key: cannot read it (\(detail)); check the password, and that the file is "
                + "complete and in PEM or DER format"
        case .unsupportedKey:
            "private key: unsupported algorithm; use RSA, P-256 or P-384"
        case .keySize(let bitCount):
            "private key: unsupported RSA key size of \(bitCount) bits; use "
                + "\(PrivateKey.rsaBitCounts.lowerBound) to \(PrivateKey.rsaBitCounts.upperBound)"
        case .passwordLength(let byteCount):
            "private key: the password has \(byteCount) bytes; use at most "
                + "\(PrivateKey.passwordByteCount)"
        case .library(let operation, let detail):
            "\(operation): \(detail); free memory, or check the OpenSSL installation"
        }
    }
}

/// The library's message for the last failure on this thread.
func takeLibraryError() -> String {
    let code = divan_take_error()
    guard code != 0 else { return "no detail" }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
        guard let start = text.baseAddress else { return "no detail" }
        divan_error_text(code, start, text.count)
        return String(cString: start)
    }
}
