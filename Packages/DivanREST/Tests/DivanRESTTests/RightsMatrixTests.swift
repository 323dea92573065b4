import DivanAuth
import DivanDatabase
import DivanJSON
import DivanREST
import DivanRevisions
import DivanTestKit
import Testing

/// Every operation of the OpenAPI document, by every kind of user, on every collection and document.
@Suite(.timeLimit(.minutes(5))) struct RightsMatrixTests {
    /// A user; the password is the first letter of the name.
    private enum User: String, CaseIterable {
        case root, viewer, seller, anna, caller, silent, nobody

        var rights: RESTRights? {
            get throws {
                var rights = RESTRights()
                switch self {
                case .root: break
                case .viewer: rights.isReadOnly = true
                case .seller: rights.collections = [try #require(Place.shop.path)]
                case .anna: rights.condition = try RESTCondition("owner = 'anna'")
                case .caller: rights.queries = .named(["all"])
                case .silent: rights.queries = .none
                case .nobody: return nil
                }
                return rights
            }
        }
    }

    private enum Place: String, CaseIterable {
        case standard = "_default"
        case shop = "shop.chairs"

        var path: CollectionPath? { CollectionPath(rawValue) }
    }

    /// A request; it applies to a document of anna or of bo.
    private struct Case {
        let user: User
        let operation: String
        let method: String
        let path: String
        let place: Place
        let owner: String
    }

    private let served: Served

    init() throws {
        let query = try RESTNamedQuery("SELECT t FROM _")
        let rights = try User.allCases.map { (name: ExactText($0.rawValue), rights: try $0.rights) }
        served = try Served { configuration in
            configuration.authenticator = PasswordListenerAuthenticator { name, password in
                password == String(name.prefix(1))
            }
            configuration.rights = { client, _ in
                let name = ExactText(client.user ?? "")
                return rights.first { $0.name == name }?.rights
            }
            configuration.namedQueries = ["notes": ["all": query]]
        }
        try served.store.createCollection(try #require(Place.shop.path))
    }

    /// The expected status: what the rights say, independently of the server's code.
    private func expected(_ one: Case) throws -> Int {
        let open = ["listDatabases", "listDatabasesHead", "describe", "describeHead"]
        if open.contains(one.operation) { return 200 }
        if one.user == .nobody { return 404 }
        let isHidden = one.user == .anna && one.owner != "anna"
        let cannotWrite = one.user == .viewer
        let hasNoCollection = one.user == .seller && one.place == .standard
        switch one.operation.hasSuffix("Head") ? String(one.operation.dropLast(4)) : one.operation {
        case "describeDatabase": return 200
        case "getQuery", "postQuery":
            if one.user == .caller || one.user == .silent { return 403 }
            return hasNoCollection ? 400 : 200
        case "getNamedQuery", "postNamedQuery":
            // It uses the default collection, wherever the user looks.
            if one.user == .silent { return 404 }
            return one.user == .seller ? 400 : 200
        case "listDocuments", "listChanges", "describeCollection":
            return hasNoCollection ? 404 : 200
        case "getDocument", "getBlob": return hasNoCollection || isHidden ? 404 : 200
        case "putDocument", "putBlob":
            if hasNoCollection { return 404 }
            if cannotWrite { return 403 }
            // The new body of another's document is not one that the user may store.
            if isHidden { return one.operation == "putDocument" ? 403 : 409 }
            return 200
        case "patchDocument", "deleteDocument":
            if hasNoCollection { return 404 }
            if cannotWrite { return 403 }
            return isHidden ? (one.operation == "patchDocument" ? 409 : 404) : 200
        case "createDocument", "saveDocuments":
            if hasNoCollection { return 404 }
            if cannotWrite { return 403 }
            return isHidden && one.operation == "createDocument" ? 403 : 201
        default:
            Issue.record("the matrix does not have \(one.operation)")
            return 0
        }
    }

    private func send(_ one: Case, rev: String) throws -> HTTPTestClient.Answer {
        let (user, visitor) = (one.user.rawValue, try served.visitor())
        let field = "Authorization: Basic \(Base64Text.of("\(user):\(user.prefix(1))"))"
        var path = one.path
        let values = [
            ("{database}", "notes"), ("{collection}", one.place.rawValue), ("{id}", one.owner),
            ("{key}", "k"), ("{name}", "all"),
        ]
        for (name, value) in values {
            path = path.split(separator: name, omittingEmptySubsequences: false)
                .joined(separator: value)
        }
        let match = "If-Match: \"\(rev)\""
        let merge = "Content-Type: application/merge-patch+json"
        let body = #"{"owner":"\#(one.owner)","t":"new"}"#
        let table = one.place == .shop ? "shop.chairs" : "_"
        switch one.operation {
        case "getQuery":
            return try visitor.ask("GET", "\(path)?query=SELECT+t+FROM+\(table)", field)
        case "postQuery":
            return try visitor.ask(
                "POST",
                path,
                field,
                body: #"{"query":"SELECT t FROM \#(table)"}"#
            )
        case "putDocument", "putBlob": return try visitor.ask("PUT", path, field, match, body: body)
        case "patchDocument":
            return try visitor.ask("PATCH", path, field, match, merge, body: #"{"t":"new"}"#)
        case "deleteDocument": return try visitor.ask("DELETE", path, field, match)
        case "createDocument": return try visitor.ask("POST", path, field, body: body)
        case "saveDocuments":
            let documents = #"{"docs":[{"_id":"\#(one.owner)","_rev":"\#(rev)","owner":"anna"}]}"#
            return try visitor.ask("POST", path, field, body: documents)
        default: return try visitor.ask(one.method, path, field)
        }
    }

    private func cases() throws -> [Case] {
        let root = "Authorization: Basic \(Base64Text.of("root:r"))"
        let document = try served.visitor().ask("GET", "/_openapi.json", root).json()
        let paths = try #require(document["paths"]?.object)
        var cases: [Case] = []
        for (path, methods) in paths {
            for (method, operation) in methods.object ?? [:] {
                guard let name = operation["operationId"]?.string else { continue }
                for user in User.allCases {
                    for place in Place.allCases {
                        for owner in ["anna", "bo"] {
                            cases.append(
                                Case(
                                    user: user,
                                    operation: name,
                                    method: method.uppercased(),
                                    path: path,
                                    place: place,
                                    owner: owner
                                )
                            )
                        }
                    }
                }
            }
        }
        return cases
    }

    @Test func `each operation is subject to the user's rights`() throws {
        let cases = try cases()
        #expect(cases.count == 25 * 7 * 2 * 2)
        for one in cases {
            let place = try #require(one.place.path)
            let digest = try served.store.blobs.write(Array("blob of \(one.owner)".utf8))
            let blob = #"{"@type":"blob","digest":"\#(digest)","length":12}"#
            let body = #"{"k":\#(blob),"owner":"\#(one.owner)","t":"text of \#(one.owner)"}"#
            let rev = try served.put(one.owner, body, in: place)
            let answer = try send(one, rev: rev)
            let subject = "\(one.user) \(one.operation) \(one.place) \(one.owner)"
            #expect(answer.status == (try expected(one)), "\(subject): \(answer.text)")
            let isWrite = !["GET", "HEAD"].contains(one.method) && !one.operation.contains("Query")
            let isOthers = one.user == .anna && one.owner == "bo"
            if answer.status >= 300 || !isWrite || isOthers {
                let stored = try served.store.read {
                    try $0.document(DocumentID(unchecked: one.owner), in: place)
                }
                #expect(stored.map { "\($0.revisionID)" } == rev, "\(subject) changed it")
            }
            if answer.status >= 300 || isOthers {
                #expect(!answer.text.contains("of bo"), "\(subject) reveals a document")
            }
        }
    }
}
