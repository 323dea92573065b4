/// The history of a revision that is sent or received, in the form of its message.
///
/// In a tree: the ancestors, newest first. With version vectors: the merged versions, then those of the other
/// sources, then the tree IDs from before the upgrade.
public struct RevisionAncestry: Equatable, Sendable {
    /// The revisions, in the order of the message.
    public var ids: [RevisionID]
    /// The number of merged versions at the start of `ids`; 0 in a tree.
    public var mergeCount: Int

    /// Creates an ancestry from its parts.
    public init(_ ids: [RevisionID] = [], mergeCount: Int = 0) {
        self.ids = ids
        self.mergeCount = min(max(mergeCount, 0), ids.count)
    }

    /// Creates the ancestry of a revision.
    public init(of mixed: MixedVector) {
        let versions = mixed.vector.versions.dropFirst().map { RevisionID($0) }
        ids = versions + (mixed.isLegacy ? Array(mixed.legacy.dropFirst()) : mixed.legacy)
        mergeCount = mixed.vector.mergeCount
    }

    /// Parses the text of a message.
    ///
    /// - Throws: `badVersion` with the place.
    public init(of id: RevisionID, text: String) throws(RevisionError) {
        do {
            self.init(of: try MixedVector(id, history: text))
        } catch {
            throw .badVersion(error)
        }
    }

    /// The ancestry without tree IDs.
    public var versionsOnly: RevisionAncestry {
        RevisionAncestry(ids.filter(\.isVersion), mergeCount: mergeCount)
    }

    /// The text for a message, with the separators of a tree or a vector.
    public func text(of id: RevisionID) -> String {
        guard id.isVersion, let mixed = try? MixedVector(id, self) else {
            return ids.map(\.description).joined(separator: ",")
        }
        return mixed.history
    }
}

extension MixedVector {
    /// Joins the ID of a revision and its ancestry.
    ///
    /// - Throws: `badVersion` if a version follows a tree ID or a source occurs twice.
    public init(_ id: RevisionID, _ ancestry: RevisionAncestry) throws(RevisionError) {
        let all = [id] + ancestry.ids
        let versions = all.prefix { $0.isVersion }.compactMap(\.version)
        let legacy = Array(all.dropFirst(versions.count))
        guard legacy.allSatisfy({ !$0.isVersion }) else {
            throw .badVersion(.malformedText(offset: 0))
        }
        do {
            vector = try VersionVector(versions, mergeCount: ancestry.mergeCount)
        } catch {
            throw .badVersion(error)
        }
        self.legacy = legacy
    }
}
