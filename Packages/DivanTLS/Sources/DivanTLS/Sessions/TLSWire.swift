import CDivanTLS

/// Both ends of the pipe between OpenSSL and the caller's buffers.
///
/// OpenSSL reads records directly from the caller's bytes and appends its own to `output`, so a record is copied once
/// on input and once on output.
final class TLSWire {
    /// What OpenSSL has not read yet; points into the caller's span, so it is set and cleared within one call of
    /// `TLSSession.receive`.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// What OpenSSL wants to send.
    var output: [UInt8] = []

    /// Creates the BIO that OpenSSL uses; it borrows this object and must not outlive it.
    func makeBIO() -> OpaquePointer? {
        guard let method = Self.method, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    private static func of(_ bio: OpaquePointer?) -> TLSWire? {
        BIO_get_data(bio).map { Unmanaged<TLSWire>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(into bytes: UnsafeMutablePointer<CChar>, capacity: Int32) -> Int32 {
        let count = min(Int(capacity), input.count)
        UnsafeMutableRawBufferPointer(start: bytes, count: count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: input.prefix(count)))
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(count))
        return Int32(count)
    }

    // `nonisolated(unsafe)` holds because the method is set up here once and only read afterwards.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "divan")
        BIO_meth_set_read(method) { bio, bytes, capacity in
            guard let wire = TLSWire.of(bio), let bytes else { return -1 }
            BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            guard !wire.input.isEmpty else {
                BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
                return -1
            }
            return wire.read(into: bytes, capacity: capacity)
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let wire = TLSWire.of(bio), let bytes else { return -1 }
            wire.output.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return count
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()
}
