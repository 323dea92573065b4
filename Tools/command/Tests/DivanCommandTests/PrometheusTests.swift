import DivanTestKit
import Foundation
import FoundationNetworking
import Testing

/// The figures, the alerts and the dashboard, tested with a real Prometheus.
@Suite(.timeLimit(.minutes(5))) struct PrometheusTests {
    private static let alerts = Guide.root.appendingPathComponent("Docs/guides/divan-alerts.yml")

    private let shell: Shell

    init() throws { shell = try Shell() }

    private func installed(_ name: String) throws -> Program {
        try #require(Program.installed(name), "\(name) is not installed; run Tools/scripts/setup")
    }

    @Test func `each alert fires under its condition only, with its message`() throws {
        let promtool = try installed("promtool")
        try promtool.run(["check", "rules", Self.alerts.path]).expectSuccess()
        let test = Guide.root.appendingPathComponent(
            "Tools/command/Tests/Prometheus/divan-alerts-test.yml"
        )
        try promtool.run(["test", "rules", test.path]).expectSuccess()
        // None of them is missing there.
        let tested = try String(contentsOf: test, encoding: .utf8)
        let rules = try String(contentsOf: Self.alerts, encoding: .utf8)
        for alert in rules.matches(of: /- alert: (\w+)/) {
            #expect(tested.ranges(of: "alertname: \(alert.1)").count >= 2, "\(alert.1)")
        }
    }

    @Test func `metrics pass the promtool checks`() async throws {
        let promtool = try installed("promtool")
        let (server, hub, place) = try serve()
        let page = String(decoding: try await URLSession.shared.data(from: place).0, as: UTF8.self)
        server.stop()
        hub.stop()
        #expect(page.contains("divan_refusals_total{"))
        for line in [
            "divan_documents{database=\"a\"} 1", "divan_conflicts{database=\"a\"} 0",
            "divan_build_info{version=\"", "divan_replicator_lag_seconds{database=\"a\"",
            "divan_http_request_duration_seconds_count"
                + "{route=\"/{database}\",method=\"GET\",status=\"2xx\"} 1",
            "divan_http_request_duration_seconds_bucket"
                + "{route=\"/{database}\",method=\"GET\",status=\"2xx\",le=\"+Inf\"} 1",
        ] {
            #expect(page.contains("\n\(line)"), "\(line)")
        }
        for name in ["database_bytes", "disk_free_bytes", "cpu_seconds_total", "log_bytes"] {
            let value = page.firstMatch(of: try Regex("\ndivan_\(name)[^ ]* ([0-9.]+)"))
            let number = value.flatMap { $0.output[1].substring }.flatMap { Double($0) }
            #expect(try #require(number, "\(name)") > 0 || name == "log_bytes")
        }
        let outcome = try promtool.run(["check", "metrics"], input: page)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test func `Prometheus scrapes the metrics and detects a stopped server`() async throws {
        let (server, hub, place) = try serve()
        let prometheus = try start(scraping: try #require(place.port))
        // Every curve of the dashboard has data.
        for expression in try dashboardExpressions() {
            try await wait(for: expression) { !$0.isEmpty }
        }
        // An alert on a figure that does not exist never fires. No HTTP client was refused here.
        let alerts = try String(contentsOf: Self.alerts, encoding: .utf8)
        let names = Set(alerts.matches(of: /divan_[a-z_]+/).map { String($0.0) })
        for name in names.subtracting(["divan_http_refusals_total"]) {
            try await wait(for: name) { !$0.isEmpty }
        }
        try await wait(for: #"up{job="divan"} == 1"#) { $0.count == 1 }
        #expect(try await prometheus.ruleFaults() == [])
        server.stop()
        hub.stop()
        try await wait(for: #"ALERTS{alertname="DivanGone"}"#) { $0.count == 1 }

        func wait(
            for expression: String,
            _ isReached: ([[String: Any]]) -> Bool
        ) async throws {
            while !isReached(try await prometheus.samples(of: expression)) {}
        }
    }

    /// A server that has had one peer, one HTTP client, and refused another; the peer with which it keeps in sync;
    /// and the address of its figures.
    private func serve() throws -> (server: Peer, hub: Peer, place: URL) {
        for name in ["a", "b", "hub"] { try shell.run("new", name) }
        try shell.run("put", "a", "one", "{}")
        let hub = try shell.serve("hub", "--no-tls")
        try shell.write(
            "serve.json",
            #"{"databases":["a"],"interface":"127.0.0.1","rest":0,"metrics-port":0,"#
                + #""replications":[{"database":"a","url":"\#(try hub.url())"}]}"#
        )
        let server = try shell.start("serve", "--config", "serve.json")
        let event = try server.event(named: "listening")
        let address = try #require((event["urls"] as? [String])?.first)
        _ = try server.event {
            $0["event"] as? String == "replication" && $0["activity"] as? String == "idle"
        }
        try shell.run("pull", "b", address, "--accept-self-signed")
        try shell.divan("pull", "b", address + "z", "--accept-self-signed").expectFailure(3)
        let rest = try #require((event["rest"] as? String).flatMap { URL(string: $0)?.port })
        // URLSession rejects the server's own certificate.
        let request = #"GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"#
        let answer = try shell.bash(
            "printf '\(request)' | openssl s_client -quiet -connect 127.0.0.1:\(rest) 2>/dev/null"
        )
        #expect(answer.output.hasPrefix("HTTP/1.1 200"))
        let place = try #require((event["metrics"] as? String).flatMap { URL(string: $0) })
        return (server, hub, place)
    }

    /// Starts a Prometheus as the guide says, with ten polls per second.
    private func start(scraping port: Int) throws -> Prometheus {
        let block = try #require(try Guide("serving.md").blocks("yaml prometheus").first?.text)
        let configuration =
            block.replacingOccurrences(of: ":9984", with: ":\(port)")
            .replacingOccurrences(
                of: "/usr/share/doc/divan/examples/divan-alerts.yml",
                with: Self.alerts.path
            )
        try shell.write(
            "prometheus.yml",
            "global: {scrape_interval: 100ms, evaluation_interval: 100ms}\n" + configuration + "\n"
        )
        try installed("promtool").run(["check", "config", shell.path("prometheus.yml")])
            .expectSuccess()
        let process = try installed("prometheus").start(
            [
                "--config.file=\(shell.path("prometheus.yml"))",
                "--storage.tsdb.path=\(shell.path("figures"))",
                "--web.listen-address=127.0.0.1:0",
            ],
            errors: .amongLines
        )
        return try Prometheus(process)
    }

    private func dashboardExpressions() throws -> [String] {
        let text = try Guide.text("guides/divan-dashboard.json")
        let board = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let panels = try #require(board?["panels"] as? [[String: Any]])
        let targets = panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }
        let expressions = targets.compactMap { $0["expr"] as? String }
        #expect(expressions.count == 22 && targets.count == 22)
        return expressions
    }
}

/// A Prometheus that runs during the test.
private struct Prometheus {
    private let process: RunningProgram
    private let base: URL

    /// Waits until it reports where it listens.
    init(_ process: RunningProgram) throws {
        self.process = process
        let line = try process.line { $0.contains("Listening on") }
        let match = try #require(line.firstMatch(of: /address=127\.0\.0\.1:(\d+)/), "\(line)")
        base = try #require(URL(string: "http://127.0.0.1:\(match.1)/api/v1/"))
    }

    /// The current value of an expression.
    func samples(of expression: String) async throws -> [[String: Any]] {
        let data = try await answer("query", ["query": expression])
        return try #require(data["result"] as? [[String: Any]])
    }

    /// What is wrong with rules.
    func ruleFaults() async throws -> [String] {
        let groups = try #require(try await answer("rules")["groups"] as? [[String: Any]])
        let rules = groups.flatMap { $0["rules"] as? [[String: Any]] ?? [] }
        #expect(rules.count == 13)
        return rules.compactMap { $0["lastError"] as? String }
    }

    private func answer(
        _ path: String,
        _ values: [String: String] = [:]
    ) async throws -> [String: Any] {
        let place = base.appending(path: path).appending(
            queryItems: values.map { URLQueryItem(name: $0.key, value: $0.value) }
        )
        let (data, response) = try await URLSession.shared.data(from: place)
        // It answers 503, in plain text, until it has loaded its data.
        let isEarly = (response as? HTTPURLResponse)?.statusCode == 503
        if isEarly { return ["result": [[String: Any]]()] }
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return try #require(object?["data"] as? [String: Any], "\(place): \(object ?? [:])")
    }
}
