import DivanTestKit
import Foundation
import Testing

extension Shell {
    /// The environment in which programs preload a library of `Tests/Preloads`, which is compiled here.
    func preloading(_ name: String) throws -> [String: String] {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Preloads/\(name).c").path
        let library = path("\(name).so")
        let compiler = try #require(Program.installed("cc") ?? Program.installed("clang"))
        let outcome = try compiler.run(["-shared", "-fPIC", "-O1", "-o", library, source])
        #expect(outcome.status == 0, "\(outcome)")
        return ["LD_PRELOAD": library]
    }
}
