import DivanHTTP
import DivanJSON
import DivanREST
import DivanTestKit
import Testing

/// Random requests made from the OpenAPI document, valid and invalid ones; `make openapi` sends more of them.
@Suite(.timeLimit(.minutes(5))) struct OpenAPIRequestTests {
    private static let requestCount = 50

    private func request(
        _ path: String,
        _ method: String,
        _ operation: JSON,
        _ document: JSON,
        _ generator: inout SeededGenerator
    ) -> (target: String, fields: [String], body: String?) {
        let names = [
            ("database", "notes"), ("collection", "_default"), ("name", "all"), ("key", "k"),
            ("id", "soup"),
        ]
        var target = path
        for (name, usual) in names {
            let isOdd = Int.random(in: 0..<6, using: &generator) == 0
            let odd = isOdd ? JSONSchema.text(&generator) : usual
            // A path with an empty segment belongs to another operation.
            let text = odd.isEmpty ? usual : odd
            target = target.split(separator: "{\(name)}", omittingEmptySubsequences: false)
                .joined(separator: HTTPTarget.segment(text))
        }
        var items: [String] = []
        var fields: [String] = []
        for parameter in operation["parameters"]?.array ?? [] where Bool.random(using: &generator) {
            let schema = JSONSchema(schema: parameter["schema"] ?? [:], document: document)
            let value = schema.value(&generator)
            let (name, text) = (
                parameter["name"]?.string ?? "", value.string ?? Self.text(of: value)
            )
            if parameter["in"] == "query" {
                // Such a response does not end.
                guard text != "eventsource", text != "longpoll" else { continue }
                items.append("\(name)=\(HTTPTarget.segment(text))")
            } else if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
                fields.append("\(name): \(text)")
            }
        }
        if !items.isEmpty { target += "?" + items.joined(separator: "&") }
        guard let contents = operation["requestBody"]?["content"]?.object,
            let (type, content) = contents.randomElement(using: &generator)
        else { return (target, fields, nil) }
        fields.append("Content-Type: \(type)")
        let schema = JSONSchema(schema: content["schema"] ?? [:], document: document)
        return (target, fields, Self.text(of: schema.value(&generator)))
    }

    private static func text(of value: JSON) -> String {
        String(decoding: (try? value.canonicalBytes()) ?? [], as: UTF8.self)
    }

    private func check(
        _ answer: HTTPTestClient.Answer,
        _ operation: JSON,
        _ document: JSON,
        _ label: String
    ) throws {
        #expect(answer.status < 500, "\(label): \(answer.text)")
        let responses = operation["responses"]
        let response = responses?["\(answer.status)"] ?? responses?["\(answer.status / 100)XX"]
        #expect(response != nil, "\(label): \(answer.status) is not documented")
        guard !answer.body.isEmpty, let contents = response?["content"]?.object else { return }
        let type = try #require(answer.field("Content-Type"), "\(label)")
        let content = try #require(contents[type], "\(label): \(answer.status) with \(type)")
        guard type.hasSuffix("json"), let schema = content["schema"] else { return }
        let problem = JSONSchema(schema: schema, document: document).problem(of: try answer.json())
        #expect(problem == nil, "\(label): \(problem ?? "")")
    }

    @Test func `responses to random requests have the documented form`() throws {
        let seed = TestSeed.choose()
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let query = try RESTNamedQuery("SELECT META().id FROM _")
        let served = try Served { $0.namedQueries = ["notes": ["all": query]] }
        let visitor = try served.visitor()
        let document = try visitor.ask("GET", "/_openapi.json").json()
        var statuses: Set<Int> = []
        for (path, methods) in try #require(document["paths"]?.object) {
            for (method, operation) in methods.object ?? [:] where method != "parameters" {
                for _ in 0..<Self.requestCount {
                    try served.put("soup", #"{"a":{"b":[1,2]},"salt":1}"#)
                    let (target, fields, body) = request(
                        path,
                        method,
                        operation,
                        document,
                        &generator
                    )
                    var head = "\(method.uppercased()) \(target) HTTP/1.1\r\nHost: localhost\r\n"
                    for field in fields { head += "\(field)\r\n" }
                    if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
                    visitor.send(head + "\r\n" + (body ?? ""))
                    let answer = try visitor.readAnswer(hasBody: method != "head")
                    statuses.insert(answer.status)
                    try check(
                        answer,
                        operation,
                        document,
                        "\(method) \(target) \(fields) \(body ?? "")"
                    )
                }
            }
        }
        #expect(statuses.isSuperset(of: [200, 201, 400, 404, 409]), "\(statuses.sorted())")
    }
}
