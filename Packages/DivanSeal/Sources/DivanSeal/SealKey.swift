internal import CDivanSeal

/// The key of a database: 32 bytes, in memory that is wiped when nobody uses the key any more, and that
/// neither a core dump nor, as far as the system's limits let us, the swap gets.
///
/// Neither its description nor a debugger's dump shows it. May be used from any thread.
///
/// `@unchecked Sendable` holds because the pointer never changes and what it points to is only read
/// until `deinit`.
public final class SealKey: @unchecked Sendable {
    let secret: OpaquePointer

    /// Takes 32 bytes; wipe what they were copied from.
    ///
    /// - Throws: `keyLength`, `library`.
    public init(bytes: Span<UInt8>) throws(SealError) {
        guard bytes.count == SealLimits.keyByteCount else {
            throw .keyLength(byteCount: bytes.count)
        }
        guard let secret = bytes.withUnsafeBufferPointer({ divan_secret_make($0.baseAddress) })
        else { throw .library }
        self.secret = secret
    }

    /// Derives a key from a password as Couchbase Lite does, so that the same password gives the same
    /// key on every platform: PBKDF2 with HMAC-SHA256, 64,000 rounds, some 20 ms, and a salt that is the
    /// same everywhere.
    ///
    /// A password that people can remember can be guessed by whoever has the file and patience; a random
    /// key cannot. Two databases with one password have different keys beneath (`Docs/formats`).
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

    /// Makes a key at random.
    ///
    /// - Throws: `library`.
    public init() throws(SealError) {
        guard let secret = divan_secret_make(nil) else { throw .library }
        self.secret = secret
    }

    deinit {
        divan_secret_drop(secret)
    }

    /// Lends the bytes, for whoever has to store a key that was made here.
    public func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try body(
            UnsafeBufferPointer(
                start: divan_secret_bytes(secret),
                count: SealLimits.keyByteCount
            ).span
        )
    }

    /// Whether both are the same; the time that this takes tells nothing.
    public func isSame(as other: SealKey) -> Bool {
        divan_same(
            divan_secret_bytes(secret),
            divan_secret_bytes(other.secret),
            SealLimits.keyByteCount
        ) == 1
    }

    /// Other keys of this one: HKDF with SHA-256.
    func derived(salt: [UInt8], label: String, byteCount: Int) throws(SealError) -> [UInt8] {
        var derived = [UInt8](repeating: 0, count: byteCount)
        let status = divan_derive(
            divan_secret_bytes(secret),
            salt,
            salt.count,
            label,
            &derived,
            byteCount
        )
        guard status == 1 else { throw .library }
        return derived
    }
}

extension SealKey: CustomStringConvertible, CustomReflectable {
    /// Says what it is and hides what it holds.
    public var description: String { "SealKey(hidden)" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension [UInt8] {
    /// Overwrites the bytes in a way that is not left out because nobody reads them.
    mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { divan_seal_wipe(start, bytes.count) }
        }
    }
}
