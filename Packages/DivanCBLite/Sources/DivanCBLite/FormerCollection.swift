internal import DivanSQLite

/// A deleted collection: its table no longer exists, but its sequence counter does.
public struct FormerCollection: Hashable, Sendable {
    /// The name of its scope.
    public let scope: String
    /// Its name in the scope.
    public let name: String
    /// The highest assigned sequence.
    public let lastSequence: UInt64

    /// The collections that have a counter, but no table; `names` has those with one, as `scope.name`.
    static func all(
        in file: ForeignFile,
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
