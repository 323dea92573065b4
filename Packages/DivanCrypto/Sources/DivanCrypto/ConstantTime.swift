internal import CDivanCrypto

/// Returns whether both hold the same bytes, in a time that depends on their lengths alone.
///
/// Compare secrets and proofs with this, never with `==`: an early exit tells a peer how many
/// bytes it guessed right. Different lengths return `false` at once, so lengths are not secret.
public func isEqualInConstantTime(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBufferPointer { left in
        right.withUnsafeBufferPointer { right in
            divan_equal(left.baseAddress, right.baseAddress, left.count) == 1
        }
    }
}
