import DivanHTTP
import DivanJSON
import DivanQuery
import DivanStore

/// Runs queries in SQL++: `{"query": "SELECT …", "parameters": {…}}`.
struct QueryResource {
    let call: RESTCall
    let database: String

    func answer(body: [UInt8]) throws -> HTTPResponse {
        guard call.request.method == "POST" else { throw RESTError.method("POST") }
        guard let object = try JSON(parsing: body.withoutByteOrderMark).object,
            let text = object["query"]?.string
        else {
            throw RESTError.bad(#"the body must be {"query": "SELECT …", "parameters": {…}}"#)
        }
        guard let parameters = (object["parameters"] ?? [:]).object else {
            throw RESTError.bad(#""parameters" must be an object: {"NAME": VALUE, …}"#)
        }
        let query = try RESTQuery(
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
        if try call.flag("explain") {
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
