import DivanCrypto

extension RevisionID {
    /// The ID of a new local revision.
    ///
    /// The same edit of the same parent has the same ID on every peer, so it is not a conflict: SHA-1 over the
    /// length of the parent's ID text in one byte, that text, one byte that is 1 for a tombstone, and the canonical
    /// body (`revisions.md` §1).
    ///
    /// - Parameters:
    ///   - parent: The parent revision, or `nil` for the first revision.
    ///   - isTombstone: Whether it deletes the document.
    ///   - canonicalBody: Canonical JSON; `{}` for a tombstone or an empty document.
    ///   - blinding: Random bytes for a body that must not be guessable from its ID, because the ID is sent to
    ///     peers that do not receive all of the body; the digest includes them. Then every ID is different.
    /// - Returns: The parent's generation plus 1, or 1, with a digest of 20 bytes.
    /// - Throws: `RevisionError.generationOverflow` if the parent has the maximum generation.
    public static func digesting(
        parent: RevisionID?,
        isTombstone: Bool,
        canonicalBody: Span<UInt8>,
        blinding: [UInt8] = []
    ) throws(RevisionError) -> RevisionID {
        let generation = try parent?.nextGeneration() ?? 1
        var prefix: [UInt8] = [0]
        parent?.appendText(to: &prefix)
        // The text has at most 19 + 1 + 80 bytes, so its length fits into one byte.
        prefix[0] = UInt8(prefix.count - 1)
        prefix.append(isTombstone ? 1 : 0)
        var hash = SHA1()
        hash.update(prefix.span)
        hash.update(canonicalBody)
        if !blinding.isEmpty { hash.update(blinding.span) }
        let digest = hash.finalize()
        guard let id = RevisionID(generation: generation, digestBytes: digest.span) else {
            throw .generationOverflow(generation)
        }
        return id
    }

    /// The generation of a child.
    func nextGeneration() throws(RevisionError) -> UInt64 {
        guard generation < Self.maximumGeneration else { throw .generationOverflow(generation) }
        return generation + 1
    }
}
