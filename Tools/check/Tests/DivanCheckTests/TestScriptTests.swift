import Foundation
import Testing

@testable import DivanCheck

/// The script of `make test`, with a bundle of our own in place of a build.
@Suite struct TestScriptTests {
    /// Has one test, in no suite, which fails; notes each run.
    private static let bundle = #"""
        #!/usr/bin/env bash
        [[ " $* " != *" --list-tests "* ]] || { echo "ATests.readme()"; exit 0; }
        echo run >>"$0.runs"
        while [ $# -gt 0 ]; do
            [ "$1" != --xunit-output ] || xml=$2
            shift
        done
        printf '<testcase classname="ATests" name="readme()" time="0.1">\n<failure message="no" />\n' >"$xml"
        echo "✘ Test readme() failed after 0.1 seconds with 1 issue."
        echo "✘ Test run with 1 test in 0 suites failed after 0.1 seconds with 1 issue."
        exit 1
        """#

    @Test(.timeLimit(.minutes(5)))
    func `a failing test fails the run and is not run again`() throws {
        let checkout = try Checkout()
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let script = root.appending(path: "Tools/scripts/test")
        let bundle = ".build/debug/APackageTests.xctest"
        let programs = [
            ("Tools/scripts/test", try String(contentsOf: script, encoding: .utf8)),
            ("Tools/scripts/build", "#!/bin/sh\n"), (bundle, Self.bundle),
        ]
        for (path, text) in programs {
            try checkout.write(path, text)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: checkout.tree.root + "/" + path
            )
        }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "Tools/scripts/test; echo status $?"]
        process.currentDirectoryURL = URL(filePath: checkout.tree.root)
        process.environment = ["PATH": "/usr/bin:/bin"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let said = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(),
            as: UTF8.self
        )
        #expect(said.hasSuffix("\n0 passed, 1 failed\nstatus 1\n"))
        let runs = try String(
            contentsOfFile: checkout.tree.root + "/\(bundle).runs",
            encoding: .utf8
        )
        #expect(runs == "run\n")
    }
}
