public import DivanJSON

/// The difference between two JSON values, as JSON; for bodies, the change from one revision to the next.
///
/// Source: `delta.md`.
public enum JSONDelta {
    /// The shortest body, in bytes, for which a delta is sent (`delta.md` §7).
    public static let minimumBodyByteCount = 200

    /// The lengths, in bytes, of bodies for which deltas are made and applied.
    ///
    /// A delta of two bodies needs a tree of each, which takes up to thirty times the length of its text.
    public static let bodyByteCounts = minimumBodyByteCount...1 << 20

    /// Whether sending a delta is better than sending the body.
    ///
    /// - Parameters:
    ///   - deltaByteCount: Length of the delta's text.
    ///   - bodyByteCount: Length of the new body's text.
    /// - Returns: Whether the body is long enough and the delta at most 1.2 times its length: the rule of
    ///   Couchbase Lite, which assumes that bodies compress better than deltas.
    public static func isWorthSending(deltaByteCount: Int, bodyByteCount: Int) -> Bool {
        bodyByteCount >= minimumBodyByteCount && deltaByteCount * 5 <= bodyByteCount * 6
    }

    /// Returns the delta that changes `old` to `new`; `{}` if they are equal.
    ///
    /// One pass over both. Items inserted into an array cause the items after them to be rewritten; a long string
    /// whose beginning and end are unchanged is patched between them.
    public static func make(from old: JSON, to new: JSON) -> JSON {
        // The root has no key, so even a scalar needs its wrapper (§2).
        guard old.kind == new.kind, new.kind == .object || new.kind == .array else {
            return old == new ? [:] : [new]
        }
        return difference(from: old, to: new) ?? [:]
    }

    /// Returns the result of applying a delta to `old`.
    ///
    /// - Throws: `DeltaError` if the delta is malformed or does not match `old`; answer 422, so that the peer
    ///   sends the whole body.
    public static func apply(_ delta: JSON, to old: JSON) throws(DeltaError) -> JSON {
        var application = DeltaApplication()
        return try application.apply(delta, toRoot: old)
    }
}
