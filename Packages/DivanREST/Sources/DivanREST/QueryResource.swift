import DivanHTTP
public import DivanJSON
import DivanQuery
public import DivanStore
import Synchronization

/// Answers questions in SQL++: `{"query": "SELECT …", "parameters": {…}}`.
struct QueryResource {
    let call: RESTCall
    let database: String

    func answer(body: [UInt8]) throws -> HTTPResponse {
        guard call.request.method == "POST" else { throw RESTError.method("POST") }
        guard call.rights.collections == nil else {
            throw RESTError(403, "forbidden", "queries need the right to all collections")
        }
        guard let object = try JSON(parsing: body).object, let text = object["query"]?.string else {
            throw RESTError.bad(#"the body is {"query": "SELECT …", "parameters": {…}}"#)
        }
        let parameters = object["parameters"]?.object ?? [:]
        let query = try RESTQuery(
            text,
            of: call.store,
            named: database,
            parameters: parameters,
            timeout: call.limits.queryTimeout
        )
        if try call.flag("explain") { return .json(try query.plan()) }
        let rows = try query.open()
        let list = ListBody("rows") { [limits = call.limits] in
            try rows.page(byteCount: limits.pieceByteCount)
        }
        let body = PagedBody(on: call.queue, read: { try list.read() }, finish: { rows.end() })
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"],
            body: .pieces(body, byteCount: nil)
        )
    }
}

/// A question to a store, checked.
public struct RESTQuery: Sendable {
    private let store: Store
    private let query: StorageQuery

    /// Reads and checks a question.
    ///
    /// - Parameters:
    ///   - text: SQL++.
    ///   - store: Who is asked.
    ///   - name: The database's name, as which `FROM` may speak of the default collection.
    ///   - parameters: Values of `$NAME`; those that are left out are MISSING.
    ///   - timeout: How long it may run, from now on.
    /// - Throws: `QueryError`, `StoreError`.
    public init(
        _ text: String,
        of store: Store,
        named name: String,
        parameters: JSONObject = [:],
        timeout: Duration
    ) throws {
        self.store = store
        let catalogue = StoreCatalogue(store, named: ExactText(name))
        let statement = try QueryStatement(sql: text).checked(against: catalogue, text: text)
        var values: [ExactText: QueryValue] = [:]
        for (key, value) in parameters { values[ExactText(key)] = QueryValue(value) }
        query = StorageQuery(statement, parameters: values, watch: QueryWatch(limit: timeout))
    }

    /// How it would be run: `{"sql":…,"steps":[…]}`.
    public func plan() throws -> JSON {
        let plan = try store.plan(of: query)
        let steps = plan.steps.map { step -> JSON in
            ["id": JSON(step.id), "parent": JSON(step.parent), "text": .string(step.text)]
        }
        return ["sql": .string(plan.sql), "steps": .array(steps)]
    }

    /// At most `limit` rows, with the titles of the columns: `{"columns":[…],"rows":[[…]],"more":…}`.
    public func table(limit: Int) throws -> JSON {
        let rows = try store.rows(of: query)
        defer { rows.end() }
        var table: [JSON] = []
        var hasMore = false
        while let row = try rows.next() {
            guard table.count < limit else {
                hasMore = true
                break
            }
            table.append(.array(row.map { $0.writableJSON ?? .null }))
        }
        return [
            "columns": .array(rows.titles.map { .string($0.text) }), "rows": .array(table),
            "more": .bool(hasMore),
        ]
    }

    func open() throws -> OpenRows { try OpenRows(query, store) }
}

/// The rows of a query on their way to a client.
final class OpenRows: Sendable {
    private let titles: [ExactText]
    private let rows: Mutex<StorageRows>

    init(_ query: StorageQuery, _ store: Store) throws {
        let opened = try store.rows(of: query)
        titles = opened.titles
        rows = Mutex(opened)
    }

    /// So many rows as fill a piece.
    func page(byteCount: Int) throws -> ListBody.Page {
        try rows.withLock { rows in
            var page = ListBody.Page(items: [])
            var size = 0
            while size < byteCount {
                guard let row = try rows.next() else {
                    page.end = [:]
                    break
                }
                var object = JSONObject()
                for (title, value) in zip(titles, row) {
                    if let json = value.writableJSON { object[title.text] = json }
                }
                let text = try JSON.object(object).canonicalBytes()
                size += text.count
                page.items.append(text)
            }
            return page
        }
    }

    /// Gives the snapshot back.
    func end() {
        rows.withLock { $0.end() }
    }
}
