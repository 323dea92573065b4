/// What every cipher promises, for tests of new ones.
public enum PageCipherContract {
    /// The promises that a cipher breaks, as sentences; empty if it keeps them all.
    public static func violations(of cipher: PageCipher) -> [String] {
        do throws(SealError) {
            return try found(in: cipher)
        } catch {
            return ["it cannot be used: \(error)"]
        }
    }

    private static func found(in cipher: PageCipher) throws(SealError) -> [String] {
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
            check(sealed.count == count + 16, "a tag of 16 bytes is all that is added")
            check(
                try one.seal(plain.span, nonce: nonce, binding: bound) == sealed,
                "the same is sealed alike"
            )
            check(opens(one, sealed, nonce, bound) == plain, "what was sealed opens")
            check(opens(other, sealed, nonce, bound) == nil, "another key does not open it")
            check(opens(one, sealed, [9] + nonce[1...], bound) == nil, "nor does another nonce")
            check(opens(one, sealed, nonce, bound + [0]) == nil, "nor another place")
            check(opens(one, sealed.dropLast(), nonce, bound) == nil, "nothing can be cut off")
            for place in Set([0, sealed.count / 2, sealed.count - 1]) {
                var damaged = sealed
                damaged[place] ^= 1
                check(opens(one, damaged, nonce, bound) == nil, "a bit that is flipped is noticed")
            }
            guard count >= 16 else { continue }
            let twin = try one.seal(plain.span, nonce: [9] + nonce[1...], binding: bound)
            check(!sealed.starts(with: plain), "the content is hidden")
            check(sealed != twin, "each nonce hides it differently")
        }
        check(PageCipher.numbered(cipher.number)?.name == cipher.name, "its number is its own")
        return violations
    }

    private static func context(
        _ cipher: PageCipher,
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
