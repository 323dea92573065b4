internal import CDivanSeal
internal import Synchronization

/// The key of a database: 32 bytes, in memory that is wiped when the key is released, and is excluded from core
/// dumps and, if the system's limits allow it, from swap.
///
/// Its description and `dump` do not show the key. Can be used from any thread.
public final class SealKey: Sendable {
    /// The one owner of the bytes.
    private struct Secret: ~Copyable {
        private let memory: OpaquePointer

        init?(copying bytes: UnsafePointer<UInt8>?) {
            guard let memory = divan_secret_make(bytes) else { return nil }
            self.memory = memory
        }

        var bytes: UnsafePointer<UInt8> { divan_secret_bytes(memory) }

        deinit {
            divan_secret_drop(memory)
        }
    }

    private let secret: Mutex<Secret>

    /// Copies 32 bytes; wipe the original afterwards.
    ///
    /// - Throws: `keyLength`, `library`.
    public init(bytes: Span<UInt8>) throws(SealError) {
        guard bytes.count == SealLimits.keyByteCount else {
            throw .keyLength(byteCount: bytes.count)
        }
        guard let secret = Secret(copying: bytes.withUnsafeBufferPointer { $0.baseAddress })
        else { throw .library }
        self.secret = Mutex(secret)
    }

    /// Derives a key from a password in the same way as Couchbase Lite: PBKDF2 with HMAC-SHA256, 64,000 rounds
    /// (about 20 ms), and a fixed salt.
    ///
    /// An attacker with the file can guess a password that is easy to remember, but not a random key. Databases
    /// with the same password use different derived keys (`Docs/formats`).
    ///
    /// - Throws: `passwordLength`, `library`.
    public convenience init(password: String) throws(SealError) {
        var password = password
        let count = password.utf8.count
        guard (1...SealLimits.passwordByteCount).contains(count) else {
            throw .passwordLength(byteCount: count)
        }
        var key = [UInt8](repeating: 0, count: SealLimits.keyByteCount)
        defer { key.wipe() }
        let salt = Array("Salty McNaCl".utf8)
        let status = password.withUTF8 { password in
            password.withMemoryRebound(to: CChar.self) { password in
                divan_password_key(
                    password.baseAddress,
                    password.count,
                    salt,
                    salt.count,
                    SealLimits.passwordRoundCount,
                    &key
                )
            }
        }
        guard status == 1 else { throw .library }
        try self.init(bytes: key.span)
    }

    /// Generates a random key.
    ///
    /// - Throws: `library`.
    public init() throws(SealError) {
        guard let secret = Secret(copying: nil) else { throw .library }
        self.secret = Mutex(secret)
    }

    /// Passes a copy of the bytes to `body`, and wipes it afterwards.
    public func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        var copy = secret.withLock { secret in
            [UInt8](UnsafeBufferPointer(start: secret.bytes, count: SealLimits.keyByteCount))
        }
        defer { copy.wipe() }
        return try body(copy.span)
    }

    /// Whether both keys are equal, compared in constant time.
    public func isSame(as other: SealKey) -> Bool {
        withBytes { mine in
            other.withBytes { theirs in
                mine.withUnsafeBufferPointer { mine in
                    theirs.withUnsafeBufferPointer { theirs in
                        divan_same(mine.baseAddress, theirs.baseAddress, mine.count) == 1
                    }
                }
            }
        }
    }

    /// Further keys derived from this one: HKDF with SHA-256.
    func derived(salt: [UInt8], label: String, byteCount: Int) throws(SealError) -> [UInt8] {
        var derived = [UInt8](repeating: 0, count: byteCount)
        let status = withBytes { bytes in
            bytes.withUnsafeBufferPointer { bytes in
                divan_derive(
                    bytes.baseAddress,
                    salt,
                    salt.count,
                    label,
                    &derived,
                    byteCount
                )
            }
        }
        guard status == 1 else { throw .library }
        return derived
    }
}

extension SealKey: CustomStringConvertible, CustomReflectable {
    /// The type, without the key.
    public var description: String { "SealKey(hidden)" }
    /// Empty, so that `dump` does not show the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension [UInt8] {
    /// Overwrites the bytes in a way that is not optimized away although nobody reads them.
    mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { divan_seal_wipe(start, bytes.count) }
        }
    }
}
