import DivanBLIP
import DivanRevisions

/// How the messages of one connection name revisions and their past: everything that depends on the database's scheme
/// and the protocol version, and on nothing else.
///
/// Source: `version-vectors.md` §7.
struct RevisionDialect: Equatable, Sendable {
    /// The scheme of this side's database, and of the other's, except when trees are pushed to vectors.
    let scheme: RevisionScheme
    /// The agreed version; `nil` before.
    let version: Subprotocol.Version?

    init(_ scheme: RevisionScheme, over version: Subprotocol.Version? = nil) {
        self.scheme = scheme
        self.version = version
    }

    /// The value of `versioning` in a subscription.
    var versioning: String {
        switch scheme {
        case .trees: "rev-trees"
        case .vectors: "version-vectors"
        }
    }

    /// Whether a list of ancestors is requested, with a maximum length.
    var namesHistoryCount: Bool { scheme == .trees }

    /// Whether Divan peers tell each other which branches they closed; not necessary for vectors.
    var namesClosings: Bool { scheme == .trees && version != .four }

    /// Whether Divan peers tell each other all tree IDs behind a revision; in a tree they are its past.
    var namesTreeIDs: Bool { scheme == .vectors }

    /// Whether a revision without a past may follow another: a source that continues alone names no other.
    var mayFollowUnnamed: Bool { scheme == .vectors }

    /// Whether two revisions may each follow the other (`VersionVector.isCrossed`): a peer then has what it reported
    /// last, not the later of the two.
    var mayCross: Bool { scheme == .vectors }

    /// How many held revisions are named to a peer other than Divan: if one of them is a version, Sync Gateway reads
    /// two, and sends nothing of a list if more are named.
    var foreignAncestorsCount: Int { scheme == .vectors ? 2 : .max }

    /// Whether the end of a feed waits for the answers to its lists: Couchbase Lite 4.1 may refuse a whole list because
    /// of one upgraded document, and the others must be sent again before the end.
    var endsAfterAnswers: Bool { scheme == .vectors }

    /// Whether a subscription's `versioning` matches ours; older peers omit it, and mean trees.
    func matches(versioning: String?) -> Bool {
        versioning.map { $0 == self.versioning } ?? (scheme == .trees)
    }

    /// Reads the name of a revision; `nil` if the text is not valid in this scheme.
    func revisionID(_ text: String) -> RevisionID? {
        scheme.revisionID(utf8: text.utf8.span)
    }

    /// Reads the name of a revision; `nil` if the text is not valid in this scheme.
    func revisionID(utf8 text: Span<UInt8>) -> RevisionID? {
        scheme.revisionID(utf8: text)
    }

    /// Reads the revision named in a conflict: Couchbase Lite sends the whole vector, Sync Gateway the current version.
    func rival(_ text: String) -> RevisionID? { head(utf8: text.utf8.span) }

    /// Reads the name of a revision where a peer may send its whole vector: in a conflict, and in the proposal that
    /// follows one.
    func head(utf8 text: Span<UInt8>) -> RevisionID? {
        guard scheme == .vectors else { return revisionID(utf8: text) }
        let end = text.indices.first { index in
            text[index] == UInt8(ascii: ",") || text[index] == UInt8(ascii: ";")
        }
        return revisionID(utf8: text.extracting(first: end ?? text.count))
    }

    /// Reads the past of a revision.
    ///
    /// - Throws: HTTP/400 for an invalid text.
    func ancestry(
        of id: RevisionID,
        _ text: String,
        limits: ReplicatorLimits
    ) throws(SyncError) -> RevisionAncestry {
        switch scheme {
        case .trees:
            return RevisionAncestry(try tree(text, limits: limits))
        case .vectors:
            do throws(RevisionError) {
                return try RevisionAncestry(of: id, text: text)
            } catch {
                throw .http(.badRequest, "invalid version in history: \(error)")
            }
        }
    }

    /// Reads ancestors in a tree: splits at commas, and skips spaces after them, like Couchbase Lite.
    func tree(_ text: String, limits: ReplicatorLimits) throws(SyncError) -> [RevisionID] {
        var history: [RevisionID] = []
        for field in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard history.count < limits.receivedHistoryCount else { break }
            guard let ancestor = RevisionID(String(field.drop { $0 == " " })) else {
                throw .http(.badRequest, "invalid revision ID in history")
            }
            history.append(ancestor)
        }
        return history
    }
}
