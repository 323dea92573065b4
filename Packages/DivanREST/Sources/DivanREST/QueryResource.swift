import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanQuery

/// Runs queries in SQL++: `{"query": "SELECT …", "parameters": {…}}`, or the same in the query of the URL.
struct QueryResource {
    let call: RESTCall
    let database: String

    func answer(body: [UInt8]) throws -> HTTPResponse {
        guard call.rights.queries.allowsText else {
            throw RESTError(
                403,
                "forbidden",
                "you can only run named queries; GET /\(database) lists them"
            )
        }
        let (text, parameters) = call.request.method == "GET" ? try fromURL() : try fromBody(body)
        let statement = try QueryStatement(sql: text)
        return try answer(statement, text, parameters, explains: try call.flag("explain"))
    }

    private func fromURL() throws -> (text: String, parameters: JSONObject) {
        guard let text = call.request.target["query"] else {
            throw RESTError.bad("add the query to the URL: ?query=SELECT…")
        }
        do {
            let parameters = try call.request.target["parameters"].map { try JSON(parsing: $0) }
            return (text, try Self.members(parameters))
        } catch let error as JSONError {
            throw RESTError(400, "bad_json", "?parameters= is not valid JSON: \(error)")
        }
    }

    private func fromBody(_ body: [UInt8]) throws -> (text: String, parameters: JSONObject) {
        guard let object = try JSON(parsing: body.withoutByteOrderMark).object,
            let text = object["query"]?.string
        else {
            throw RESTError.bad(#"the body must be {"query": "SELECT …", "parameters": {…}}"#)
        }
        return (text, try Self.members(object["parameters"]))
    }

    private static func members(_ parameters: JSON?) throws(RESTError) -> JSONObject {
        guard let members = (parameters ?? [:]).object else {
            throw .bad(#""parameters" must be an object: {"NAME": VALUE, …}"#)
        }
        return members
    }

    /// The rows of a query, or its plan.
    func answer(
        _ statement: QueryStatement,
        _ text: String,
        _ parameters: JSONObject,
        explains: Bool = false
    ) throws -> HTTPResponse {
        let query = try RESTQuery(
            statement,
            text,
            of: call.store,
            named: database,
            parameters: parameters,
            timeout: call.limits.queryTimeout,
            memory: call.limits.queryMemory,
            collections: call.rights.collections,
            sight: call.rights.condition.map {
                QueryVisibility($0.test, byteLimit: call.limits.sightByteCount)
            }
        )
        if explains {
            guard call.rights.condition == nil else { throw Self.hiddenPlan }
            return .json(try query.plan())
        }
        let rows = try OpenRows(
            query,
            pieceByteCount: call.limits.pieceByteCount,
            limit: call.limits.queryTimeout,
            clock: call.notifier.clock,
            queue: call.queue
        )
        let list = ListBody("rows") { [call] in
            try call.checkCurrent()
            return try rows.page()
        }
        let body = PagedBody(on: call.queue, read: { try list.read() }, finish: { rows.end() })
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"],
            body: .pieces(body, byteCount: nil)
        )
    }

    private static var hiddenPlan: RESTError {
        RESTError(
            403,
            "forbidden",
            "you cannot see query plans, because your access is limited by a condition"
        )
    }
}
