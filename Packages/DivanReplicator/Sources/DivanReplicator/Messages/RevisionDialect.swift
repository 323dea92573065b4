import DivanBLIP
import DivanRevisions

/// How revisions are named and their past is told in the messages of one connection: what depends on
/// the database's scheme and the version of the protocol, and on nothing else.
///
/// Source: `version-vectors.md` §7.
struct RevisionDialect: Equatable, Sendable {
    /// The scheme of the database on this side: that of the other, but where trees are pushed to vectors.
    let scheme: RevisionScheme
    /// The version that was agreed on; `nil` before.
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

    /// Whether a list of ancestors is asked for, and how long it may be.
    var namesHistoryCount: Bool { scheme == .trees }

    /// Whether peers of ours tell each other which branches they closed; vectors need not be told.
    var namesClosings: Bool { scheme == .trees && version != .four }

    /// Whether peers of ours tell each other all tree IDs behind a revision; in a tree its past is those.
    var namesTreeIDs: Bool { scheme == .vectors }

    /// Whether a revision without a past may follow another: a source that goes on alone names nobody.
    var mayFollowUnnamed: Bool { scheme == .vectors }

    /// Whether of two revisions each may follow the other (`VersionVector.isCrossed`): what a peer has is
    /// then what it said last, and not the later of two.
    var mayCross: Bool { scheme == .vectors }

    /// How many revisions are named to a peer of another kind as held: where one of them is a version Sync
    /// Gateway reads two, and sends nothing of a list for which more are named.
    var foreignAncestorsCount: Int { scheme == .vectors ? 2 : .max }

    /// Whether the end of a feed waits for the answers to its lists: Couchbase Lite 4.1 may refuse a whole
    /// list for one document that was upgraded, and the others have to come again before that.
    var endsAfterAnswers: Bool { scheme == .vectors }

    /// Whether a subscription's `versioning` is ours; older peers do not tell, and mean trees.
    func matches(versioning: String?) -> Bool {
        versioning.map { $0 == self.versioning } ?? (scheme == .trees)
    }

    /// Reads the name of a revision; `nil` for a text that is none in this scheme.
    func revisionID(_ text: String) -> RevisionID? {
        scheme.revisionID(utf8: text.utf8.span)
    }

    /// Reads the name of a revision; `nil` for a text that is none in this scheme.
    func revisionID(utf8 text: Span<UInt8>) -> RevisionID? {
        scheme.revisionID(utf8: text)
    }

    /// Reads what a conflict names: Couchbase Lite puts the whole vector there, Sync Gateway the
    /// current version.
    func rival(_ text: String) -> RevisionID? { head(utf8: text.utf8.span) }

    /// Reads the name of a revision where a peer may put its whole vector: in a conflict, and in the
    /// proposal that follows from one.
    func head(utf8 text: Span<UInt8>) -> RevisionID? {
        guard scheme == .vectors else { return revisionID(utf8: text) }
        let end = text.indices.first { index in
            text[index] == UInt8(ascii: ",") || text[index] == UInt8(ascii: ";")
        }
        return revisionID(utf8: text.extracting(first: end ?? text.count))
    }

    /// Reads the past of a revision.
    ///
    /// - Throws: HTTP/400 for a text that is none.
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

    /// Reads ancestors in a tree: splits at commas; spaces after them are skipped as Couchbase Lite
    /// does.
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
