import DivanHTTP
import DivanJSON

/// Runs a query that the operator has defined; a query that the client may not run does not exist.
struct NamedQueryResource {
    let call: RESTCall
    let database: String
    let queries: [ExactText: RESTNamedQuery]

    func answer(_ name: String, body: [UInt8]) throws -> HTTPResponse {
        guard call.rights.queries.allows(name), let query = queries[ExactText(name)] else {
            throw RESTError.notFound("query \"\(name)\" not found; GET /DATABASE lists the queries")
        }
        let parameters: JSONObject
        switch call.request.method {
        case "GET": parameters = try fromURL(query)
        case "POST": parameters = try fromBody(body, query)
        default: throw call.wrongMethod
        }
        let resource = QueryResource(call: call, database: database)
        return try resource.answer(query.statement, query.text, parameters)
    }

    private func fromURL(_ query: RESTNamedQuery) throws -> JSONObject {
        let target = call.request.target
        return try query.values(sent: target.query.map(\.name)) { name, type in
            guard let text = target[name] else { return nil }
            guard let value = type.value(of: text) else {
                throw RESTError.bad("parameter \"\(name)\" must be \(type.noun)")
            }
            return value
        }
    }

    private func fromBody(_ body: [UInt8], _ query: RESTNamedQuery) throws -> JSONObject {
        let object = body.isEmpty ? [:] : try JSON(parsing: body.withoutByteOrderMark).object
        guard let object else {
            throw RESTError.bad(#"the body must be an object of parameters: {"NAME": VALUE, …}"#)
        }
        return try query.values(sent: object.keys) { name, _ in object[name] }
    }
}
