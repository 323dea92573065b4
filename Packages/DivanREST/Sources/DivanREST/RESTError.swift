import DivanDatabase
public import DivanHTTP
public import DivanJSON
import DivanQuery
import DivanRevisions

/// An error of a request: a status, a code for programs, and a message.
public struct RESTError: Error, Sendable {
    /// The HTTP status.
    public let status: Int
    /// A code for programs to compare, such as `conflict`.
    public let code: String
    /// A message that describes the problem and what to do.
    public let reason: String
    /// Additional members of the answer.
    var members: JSONObject = [:]
    /// Additional header fields of the answer.
    var headers: HTTPHeaders = [:]

    /// Creates an error.
    public init(_ status: Int, _ code: String, _ reason: String) {
        self.status = status
        self.code = code
        self.reason = reason
    }

    /// Creates the error for a client from any thrown error.
    public init(_ error: any Error) {
        switch error {
        case let error as RESTError: self = error
        case let error as HTTPError:
            self.init(error.status, Self.word(error.status), error.explanation)
        case let error as StoreError: self.init(store: error)
        case let error as QueryError: self.init(400, "bad_query", "\(error)")
        case let error as QueryStop: self.init(stop: error)
        case let error as JSONError:
            self.init(400, "bad_json", "the body is not valid JSON: \(error)")
        case let error as DocumentIDError: self.init(400, "bad_id", "\(error)")
        default: self.init(500, "internal", "\(error); see the server's log")
        }
    }

    private init(store error: StoreError) {
        let (status, code) =
            switch error.code {
            case .notFound, .noSuchCollection, .noSuchBlob: (404, "not_found")
            case .conflict: (409, "conflict")
            case .bodyTooLarge, .tooManyBlobs: (413, "too_large")
            case .forbiddenKey, .badRevision: (400, "bad_document")
            case .readOnly: (403, "read_only")
            case .busy, .notOpen: (503, "busy")
            case .diskFull: (507, "disk_full")
            default: (500, "internal")
            }
        self.init(status, code, error.explanation)
    }

    private init(stop: QueryStop) {
        let (status, code) =
            switch stop {
            case .tookTooMuchMemory: (413, "too_large")
            case .othersHoldMemory: (503, "busy")
            case .cancelled, .tookTooLong, .leftWaiting: (503, "timeout")
            }
        self.init(status, code, "\(stop)")
    }

    private static func word(_ status: Int) -> String {
        switch status {
        case 408: "timeout"
        case 413: "too_large"
        case 503: "busy"
        default: "bad_request"
        }
    }

    /// There is nothing at a path.
    static func notFound(_ reason: String) -> RESTError { RESTError(404, "not_found", reason) }

    /// A request that cannot be carried out.
    static func bad(_ reason: String) -> RESTError { RESTError(400, "bad_request", reason) }

    /// The path is valid, but not with this method.
    static func method(_ allowed: String) -> RESTError {
        var error = RESTError(405, "method_not_allowed", "this path supports \(allowed)")
        error.headers.append("Allow", allowed)
        return error
    }

    /// A revision other than the client's is current.
    static func conflict(current: RevisionID?) -> RESTError {
        var error = RESTError(
            409,
            "conflict",
            current == nil
                ? "the document does not exist; omit the revision to create it"
                : "another revision is current; get it, apply your change again, and send its "
                    + "revision as If-Match or ?rev="
        )
        if let current { error.members["rev"] = .string("\(current)") }
        return error
    }

    /// The members of the response: `{"error":…,"reason":…}`, and those of problem details.
    ///
    /// Source: RFC 9457 §3.1. `detail` repeats `reason`, which clients read before there were problem details.
    var object: JSONObject {
        var object = members
        object["error"] = .string(code)
        object["reason"] = .string(reason)
        object["type"] = "about:blank"
        object["title"] = .string(HTTPResponse.phrase(status))
        object["status"] = JSON(status)
        object["detail"] = .string(reason)
        return object
    }

    /// The response: problem details (`application/problem+json`).
    public var response: HTTPResponse {
        .json(.object(object), status: status, type: "application/problem+json", headers: headers)
    }
}

extension HTTPResponse {
    /// Creates a JSON response that ends with a newline.
    public static func json(
        _ value: JSON,
        status: Int = 200,
        type: String = "application/json",
        headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        // Our own values have no numbers that JSON cannot represent, and may contain documents of any depth.
        let bytes =
            (try? value.canonicalBytes(limits: JSONLimits(depth: .max))) ?? Array("{}".utf8)
        return HTTPResponse(
            status: status,
            contentType: type,
            headers: headers,
            bytes + [UInt8(ascii: "\n")]
        )
    }
}
