import DivanTestKit
import Foundation
import Testing

// What it says about a build without ISA-L's header, which this one need not be.
@testable import DivanCommand

/// The effect of `--compression` between two programs.
@Suite struct CompressionTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
        try shell.run("new", "a")
        try shell.run("new", "b")
        let text = String(repeating: "word ", count: 150)
        let lines = (0..<100).map { "{\"_id\":\"d\($0)\",\"n\":\($0),\"text\":\"\(text)\"}\n" }
        try shell.write("fill.jsonl", lines.joined())
        try shell.run("import", "a", "fill.jsonl")
    }

    /// Pulls, and returns what the client compressed with and the bytes of both directions.
    private func pull(
        serving: [String],
        pulling: [String],
        _ environment: [String: String] = [:]
    ) throws -> (codec: String?, byteCount: Int) {
        let peer = try shell.start(
            ["serve", "a", "--interface", "127.0.0.1", "--no-tls"] + serving,
            environment
        )
        defer { peer.stop() }
        let words = ["pull", "b", try peer.url(), "--report", "report.json"] + pulling
        let outcome = try shell.divan(words, environment: environment)
        #expect(outcome.output.hasPrefix("Pulled 100 documents; "))
        let report = try Data(contentsOf: URL(fileURLWithPath: shell.path("report.json")))
        let figures = try #require(JSONSerialization.jsonObject(with: report) as? [String: Any])
        return (figures["compression"] as? String, figures["bytes"] as? Int ?? 0)
    }

    @Test(arguments: [
        ("auto", "auto", "none", false), ("auto", "lz4", "lz4", true),
        ("deflate:9", "deflate", "deflate", true), ("none", "lz4", "deflate", false),
    ])
    func `client and server agree on a codec`(
        serving: String,
        pulling: String,
        codec: String,
        isSmall: Bool
    ) throws {
        let run = try pull(
            serving: ["--compression", serving],
            pulling: ["--compression", pulling]
        )
        #expect(run.codec == codec)
        #expect((run.byteCount < 40_000) == isSmall, "\(run.byteCount) bytes")
    }

    @Test func `--version says what to install if ISA-L is missing`() {
        let codecs = VersionPage.codecs
        #expect(codecs(true, true) == "deflate (ISA-L, zlib), LZ4")
        #expect(codecs(true, false).contains("(install libisal2)"))
        #expect(codecs(false, false).contains("(install libisal-dev, and rebuild divan)"))
    }

    /// The loader finds a file with the library's name first, and nothing in it.
    @Test func `without ISA-L zlib is used and --version says so`() throws {
        try FileManager.default.createDirectory(
            atPath: shell.path("libraries"),
            withIntermediateDirectories: true
        )
        try shell.write("libraries/libisal.so.2", "")
        let former = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
        let without = ["LD_LIBRARY_PATH": shell.path("libraries") + former]
        let version = try shell.divan(["--version"], environment: without)
        #expect(version.status == 0)
        let codecs =
            "codecs: deflate (zlib), LZ4; ISA-L not found: deflate is slower (install libisal2)"
        #expect(version.output.contains(codecs))
        let object = try shell.divan(["--version", "--json"], environment: without).json()
        #expect(object["isal"] as? Bool == false)
        // Level 2 uses ISA-L if it is available.
        let choice = ["--compression", "deflate:2"]
        let run = try pull(serving: choice, pulling: choice, without)
        #expect(run.codec == "deflate")
        #expect(run.byteCount < 40_000, "\(run.byteCount) bytes")
    }

    @Test func `without zstd --version says what cannot be read`() throws {
        #expect(VersionPage.bodies(isBuiltIn: true, isAvailable: true) == "LZ4, zstd")
        #expect(VersionPage.bodies(isBuiltIn: false, isAvailable: false).contains("libzstd-dev"))
        // Other libraries need it here: the loader finds it for them, but not for the program.
        let without = try shell.preloading("no_zstd")
        let version = try shell.divan(["--version"], environment: without)
        #expect(
            version.output.contains(
                "bodies: LZ4; zstd not found: bodies compressed with it cannot be read (install "
            )
        )
        let object = try shell.divan(["--version", "--json"], environment: without).json()
        #expect(object["zstd"] as? Bool == false)

        let pack = ["compress", "a", "--codec", "zstd"]
        let refused = try shell.divan(pack, environment: without)
        #expect(refused.status != 0 && refused.errors.contains("libzstd1"), "\(refused)")
        #expect(try shell.run("info", "a", "--json").output.contains(#""bodies":"plain""#))
        try shell.divan(pack, environment: [:]).expectSuccess()
        let unread = try shell.divan(["get", "a", "d1"], environment: without)
        #expect(unread.status != 0 && unread.errors.contains("libzstd1"), "\(unread)")
        #expect(try shell.run("get", "a", "d1").output.contains("word"))

        let plain = ["compress", "a", "--off"]
        let kept = try shell.divan(plain, environment: without)
        #expect(kept.status != 0 && kept.errors.contains("libzstd1"), "\(kept)")
        #expect(try shell.run("get", "a", "d1").output.contains("word"))
        try shell.divan(plain, environment: [:]).expectSuccess()
        #expect(try shell.divan(["get", "a", "d1"], environment: without).output.contains("word"))
    }

    @Test(arguments: ["fast", "deflate:0", "deflate:10", "deflate:", "deflate:x", "lz4:1", ""])
    func `an unknown codec is rejected`(choice: String) throws {
        let outcome = try shell.divan(["pull", "b", "ws://127.0.0.1:1/a", "--compression", choice])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--compression"))
    }
}
