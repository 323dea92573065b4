/// The requirements for every cipher, for tests of new ciphers.
public enum SealCipherContract {
    /// Returns one sentence for each violated requirement; none if the cipher is correct.
    public static func violations(of cipher: SealCipher) -> [String] {
        do throws(SealError) {
            return try found(in: cipher)
        } catch {
            return ["The cipher cannot be used: \(error)"]
        }
    }

    private static func found(in cipher: SealCipher) throws(SealError) -> [String] {
        var violations: [String] = []
        func check(_ holds: Bool, _ promise: String) {
            if !holds { violations.append(promise) }
        }
        let key = [UInt8](0..<32)
        let (one, other) = (try context(cipher, key), try context(cipher, [1] + key[1...]))
        let (nonce, bound) = ([UInt8](0..<12), Array("where it belongs".utf8))
        for count in [0, 1, 15, 16, 17, 4_064, 65_536] {
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let sealed = try one.seal(plain.span, nonce: nonce, binding: bound)
            check(sealed.count == count + 16, "Encrypting must add exactly a 16-byte tag.")
            check(
                try one.seal(plain.span, nonce: nonce, binding: bound) == sealed,
                "The same input must produce the same output."
            )
            check(opens(one, sealed, nonce, bound) == plain, "Decrypting must restore the input.")
            check(opens(other, sealed, nonce, bound) == nil, "Another key must be rejected.")
            check(
                opens(one, sealed, [9] + nonce[1...], bound) == nil,
                "Another nonce must be rejected."
            )
            check(opens(one, sealed, nonce, bound + [0]) == nil, "Another place must be rejected.")
            check(
                opens(one, sealed.dropLast(), nonce, bound) == nil,
                "Truncation must be detected."
            )
            for place in Set([0, sealed.count / 2, sealed.count - 1]) {
                var damaged = sealed
                damaged[place] ^= 1
                check(opens(one, damaged, nonce, bound) == nil, "A flipped bit must be detected.")
            }
            guard count >= 16 else { continue }
            let twin = try one.seal(plain.span, nonce: [9] + nonce[1...], binding: bound)
            check(!sealed.starts(with: plain), "The output must not contain the input.")
            check(sealed != twin, "Each nonce must produce different output.")
        }
        check(
            SealCipher.numbered(cipher.number)?.name == cipher.name,
            "The cipher's number must be unique."
        )
        return violations
    }

    private static func context(
        _ cipher: SealCipher,
        _ key: [UInt8]
    ) throws(SealError) -> CipherContext {
        try CipherContext(cipher, key: key.span)
    }

    private static func opens(
        _ context: CipherContext,
        _ sealed: some Collection<UInt8>,
        _ nonce: [UInt8],
        _ bound: [UInt8]
    ) -> [UInt8]? {
        let sealed = Array(sealed)
        return try? context.open(sealed.span, nonce: nonce, binding: bound)
    }
}
