import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanQuery
import DivanREST
import Synchronization

/// Creates and deletes indexes, and knows how far those that are being created are.
final class StudioIndexing: Sendable {
    private struct Build {
        let collection: CollectionPath
        let name: ExactText
        let control: IndexBuildControl
        var share = 0.0
    }

    private let store: Store
    private let builds = Mutex<[Int: Build]>([:])

    init(_ store: Store) {
        self.store = store
    }

    /// The indexes of each collection, and those that are being created with their share, 0 to 1.
    func page(mayWrite: Bool) throws -> JSON {
        let rows = try store.readLiving { reader in
            try reader.collections().flatMap { path in
                try reader.indexes(in: path).map { index -> JSON in
                    [
                        "collection": .string("\(path)"), "name": .string(index.name.text),
                        "kind": .string(index.kind.rawValue), "source": .string(index.summary),
                    ]
                }
            }
        }
        let building = builds.withLock { builds in
            builds.sorted { $0.key < $1.key }.map { _, build -> JSON in
                [
                    "collection": .string("\(build.collection)"), "name": .string(build.name.text),
                    "share": .double(build.share),
                ]
            }
        }
        return [
            "indexes": .array(rows), "building": .array(building), "write": .bool(mayWrite),
        ]
    }

    /// Creates an index of `{"expressions":"city, LOWER(name)"}`, or deletes it; a creation that is under way stops.
    func change(_ request: HTTPRequest, body: [UInt8]) throws -> JSON {
        let path = try StudioRequestTarget.collection(request.target)
        guard let name = request.target["name"], !name.isEmpty else {
            throw RESTError(400, "bad_request", "the index needs a name")
        }
        switch request.method {
        case "POST":
            let text = try JSON(parsing: body.withoutByteOrderMark)["expressions"]?.string
            guard let text, !text.isEmpty else {
                throw RESTError(400, "bad_request", "enter an expression, such as city")
            }
            try create(ExactText(name), of: text, in: path)
        case "DELETE": try delete(ExactText(name), in: path)
        default:
            let reason = "this page does not support \(request.method)"
            throw RESTError(405, "method_not_allowed", reason)
        }
        return ["name": .string(name)]
    }

    private func create(_ name: ExactText, of text: String, in path: CollectionPath) throws {
        let keys = try QueryStatement.indexedExpressions(sql: text)
            .map { try $0.checkedKey(over: QueryCollection(path)) }
        guard
            try !store.readLiving({ try $0.indexes(in: path) }).contains(where: { $0.name == name })
        else {
            throw RESTError(
                409,
                "conflict",
                "index \"\(name.text)\" already exists; delete it first"
            )
        }
        let number = builds.withLock { ($0.keys.max() ?? 0) + 1 }
        let control = IndexBuildControl { [weak self] share in
            self?.builds.withLock { $0[number]?.share = share }
        }
        builds.withLock { $0[number] = Build(collection: path, name: name, control: control) }
        defer { builds.withLock { $0[number] = nil } }
        do {
            try store.write { writer in
                try writer.createIndex(
                    name,
                    .value(keys, filter: nil),
                    source: text,
                    in: path,
                    control: control
                )
            }
        } catch is CancellationError {
            throw RESTError(409, "cancelled", "the creation of the index was stopped")
        }
    }

    private func delete(_ name: ExactText, in path: CollectionPath) throws {
        let controls = builds.withLock { builds in
            builds.values.filter { $0.collection == path && $0.name == name }.map(\.control)
        }
        for control in controls { control.cancel() }
        guard controls.isEmpty else { return }
        try store.write { try $0.deleteIndex(name, in: path) }
    }
}
