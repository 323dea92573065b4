import DivanCheck
import Foundation
import Testing

/// The script of `make test`, with our own runner instead of `swift`.
@Suite struct TestScriptTests {
    /// Has one test, in no suite, which fails whenever a filter lets it run; prints what the runner prints.
    private static let runner = #"""
        #!/usr/bin/env bash
        [ "$1" = test ] || exit 0
        while [ $# -gt 0 ]; do
            case $1 in
            --xunit-output) xml=${2%.xml}-swift-testing.xml; shift ;;
            --filter) filter=$2; shift ;;
            esac
            shift
        done
        if [[ ! "ATests.readme()/ReadmeTests.swift:6:2" =~ ${filter:-} ]]; then
            echo "✔ Test run with 0 tests in 0 suites passed after 0.001 seconds."
            exit 0
        fi
        printf '<testcase classname="ATests" name="readme()">\n<failure message="no" />\n' >"$xml"
        echo "✘ Test run with 1 test in 0 suites failed after 0.1 seconds with 1 issue."
        exit 1
        """#

    @Test(.timeLimit(.minutes(1)))
    func `a test that is in no suite and fails both times fails the run`() throws {
        let checkout = try Checkout()
        var root = URL(filePath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let script = root.appending(path: "Tools/scripts/test")
        let programs = [
            ("Tools/scripts/test", try String(contentsOf: script, encoding: .utf8)),
            ("Tools/scripts/trial", "#!/bin/sh\n"), ("bin/swift", Self.runner),
        ]
        for (path, text) in programs {
            try checkout.write(path, text)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: checkout.tree.root + "/" + path
            )
        }
        let process = Process()
        process.executableURL = URL(filePath: checkout.tree.root + "/Tools/scripts/test")
        process.environment = ["PATH": checkout.tree.root + "/bin:/usr/bin:/bin"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
    }
}
