/// Edits of a string by counts of UTF-8 bytes: `<n>=` keeps, `<n>-` removes, `<n>+<bytes>|` inserts.
///
/// Source: `delta.md` §6.
public enum TextPatch {
    /// The reason why a text patch cannot be applied.
    public enum Problem: Error, Equatable, Sendable {
        /// The patch has no operations.
        case empty
        /// A count is missing or too large, at this byte of the patch.
        case badCount(offset: Int)
        /// None of `=`, `-` and `+` follows a count, at this byte of the patch.
        case unknownOperator(offset: Int)
        /// An insertion is truncated or has no closing `|`, at this byte of the patch.
        case unclosedInsertion(offset: Int)
        /// The patch keeps and removes more or fewer bytes than the old string has.
        case wrongLength(oldByteCount: Int)
        /// The result is not UTF-8, because an edit split a character.
        case splitCharacter
    }

    /// The shortest new string, in bytes, that is worth a patch; as in Couchbase Lite.
    static let minimumByteCount = 60

    /// Returns a patch that replaces the part between the common beginning and end, or `nil` when
    /// the new string itself is shorter than the patch, or too short for one.
    static func make(from old: String, to new: String) -> String? {
        let (old, new) = (Array(old.utf8), Array(new.utf8))
        guard new.count >= minimumByteCount else { return nil }
        let (prefixCount, suffixCount) = commonEnds(of: old, and: new)
        let inserted = new[prefixCount..<new.count - suffixCount]
        let droppedCount = old.count - suffixCount - prefixCount

        var patch = prefixCount > 0 ? "\(prefixCount)=" : ""
        if droppedCount > 0 { patch += "\(droppedCount)-" }
        if !inserted.isEmpty {
            patch += "\(inserted.count)+\(String(decoding: inserted, as: UTF8.self))|"
        }
        if suffixCount > 0 { patch += "\(suffixCount)=" }
        // Six bytes: the brackets and the code around the patch.
        return patch.utf8.count + 6 < new.count ? patch : nil
    }

    /// The lengths in bytes of the common beginning and end, in whole characters and without overlap.
    private static func commonEnds(
        of old: [UInt8],
        and new: [UInt8]
    ) -> (prefixCount: Int, suffixCount: Int) {
        let shorter = min(old.count, new.count)
        var prefixCount = 0
        while prefixCount < shorter, old[prefixCount] == new[prefixCount] { prefixCount += 1 }
        while prefixCount > 0,
            isContinuation(old, at: prefixCount) || isContinuation(new, at: prefixCount)
        {
            prefixCount -= 1
        }
        var suffixCount = 0
        while suffixCount < shorter - prefixCount,
            old[old.count - suffixCount - 1] == new[new.count - suffixCount - 1]
        {
            suffixCount += 1
        }
        while suffixCount > 0, isContinuation(old, at: old.count - suffixCount) {
            suffixCount -= 1
        }
        return (prefixCount, suffixCount)
    }

    private static func isContinuation(_ bytes: [UInt8], at offset: Int) -> Bool {
        offset < bytes.count && bytes[offset] & 0xC0 == 0x80
    }

    /// Returns the result of applying a patch to `old`.
    static func apply(_ patch: String, to old: String) throws(Problem) -> String {
        let (patch, old) = (Array(patch.utf8), Array(old.utf8))
        guard !patch.isEmpty else { throw .empty }
        var result: [UInt8] = []
        var rest = old[...]
        var offset = 0
        while offset < patch.count {
            let count = try takeCount(from: patch, at: &offset)
            guard offset < patch.count else { throw .unknownOperator(offset: offset) }
            let letter = patch[offset]
            offset += 1
            switch letter {
            case UInt8(ascii: "="), UInt8(ascii: "-"):
                guard count <= rest.count else { throw .wrongLength(oldByteCount: old.count) }
                if letter == UInt8(ascii: "=") { result += rest.prefix(count) }
                rest = rest.dropFirst(count)
            case UInt8(ascii: "+"):
                guard count < patch.count - offset, patch[offset + count] == UInt8(ascii: "|")
                else { throw .unclosedInsertion(offset: offset) }
                result += patch[offset..<offset + count]
                offset += count + 1
            default: throw .unknownOperator(offset: offset - 1)
            }
        }
        guard rest.isEmpty else { throw .wrongLength(oldByteCount: old.count) }
        guard let text = String(validating: result, as: UTF8.self) else { throw .splitCharacter }
        return text
    }

    private static func takeCount(
        from patch: [UInt8],
        at offset: inout Int
    ) throws(Problem) -> Int {
        let digits = patch[offset...].prefix {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        // Eighteen digits fit into 64 bits and exceed any length.
        guard 1...18 ~= digits.count else { throw .badCount(offset: offset) }
        offset += digits.count
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
