extension RevisionTree {
    /// Creates a tree from another engine's data; nothing is pruned.
    ///
    /// - Parameters:
    ///   - given: The revisions in any order; a parent is a position in this list, and a sequence of 0 means that
    ///     of the row.
    ///   - latest: The position in that list of the latest revision of each remote.
    /// - Throws: `damagedEncoding` with the position of a revision that occurs twice, or whose parent or mark
    ///   does not exist; any input results in a valid tree or an error.
    public init(
        restoring given: [Revision],
        latest: [RemoteID: Int]
    ) throws(RevisionError) {
        let order = given.indices.sorted { given[$0].id > given[$1].id }
        var places = Array(repeating: 0, count: given.count)
        for (place, index) in order.enumerated() {
            places[index] = place
            if place > 0, given[order[place - 1]].id == given[index].id {
                throw .damagedEncoding(offset: index)
            }
        }
        for index in order {
            let revision = given[index]
            var restored = Revision(
                id: revision.id,
                flags: revision.flags.intersection(.all),
                sequence: revision.sequence,
                body: revision.body
            )
            if let parent = revision.parent {
                // A parent comes after its child, so there can be no cycle.
                guard given.indices.contains(parent), places[parent] > places[index],
                    given[parent].id.generation < revision.id.generation
                else { throw .damagedEncoding(offset: index) }
                restored.parent = places[parent]
            }
            revisions.append(restored)
        }
        for (remote, index) in latest.sorted(by: { $0.key < $1.key }) {
            guard given.indices.contains(index) else { throw .damagedEncoding(offset: index) }
            marks.append(RemoteMark(remote: remote, position: places[index]))
        }
    }
}
