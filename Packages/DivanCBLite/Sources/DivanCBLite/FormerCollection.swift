/// A deleted collection: its table is gone, but the counter of its sequences remains.
public struct FormerCollection: Hashable, Sendable {
    /// The scope it was in.
    public let scope: String
    /// Its name in the scope.
    public let name: String
    /// The greatest sequence that it had given out.
    public let lastSequence: UInt64

    /// The collections that have a counter, but no table; `names` has those with one, as `scope.name`.
    static func all(
        in file: SQLiteFile,
        besides names: Set<[UInt8]>
    ) throws(CBLiteError) -> [FormerCollection] {
        let query = try file.prepare("SELECT name, lastSeq FROM kvmeta WHERE lastSeq > 0")
        var former: [FormerCollection] = []
        while try query.step() {
            // `.name`, or `.scope.name`.
            let text = query.text(0)
            guard text.hasPrefix(".") else { continue }
            let parts = text.split(separator: ".").map(String.init)
            let path = parts.count == 1 ? ["_default"] + parts : parts
            guard path.count == 2, !names.contains(Array("\(path[0]).\(path[1])".utf8)) else {
                continue
            }
            let lastSequence = UInt64(max(0, query.integer(1)))
            former.append(
                FormerCollection(scope: path[0], name: path[1], lastSequence: lastSequence)
            )
        }
        return former
    }
}
