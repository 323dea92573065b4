internal import CDivanCrypto

/// The one owner of a library key; freeing wipes it.
///
/// `@unchecked Sendable` is valid because the pointer never changes and every call on it only reads,
/// which the library allows from several threads at the same time.
final class KeyStorage: @unchecked Sendable {
    let key: OpaquePointer

    /// Takes over the caller's reference.
    init(taking key: OpaquePointer) {
        self.key = key
    }

    deinit {
        divan_key_free(key)
    }
}

extension [UInt8]? {
    /// Passes the bytes, or a null pointer for `nil`; an empty array still has an address.
    func withBytes<Result>(_ body: (UnsafeRawPointer?, Int) -> Result) -> Result {
        guard let bytes = self else { return body(nil, 0) }
        // One byte more, so that an empty password is not mistaken for none.
        return (bytes + [0]).withUnsafeBytes { body($0.baseAddress, bytes.count) }
    }
}
