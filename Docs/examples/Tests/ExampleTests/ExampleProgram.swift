import DivanTestKit
import Testing

/// An example that was built with the tests, and a folder for its database.
struct ExampleProgram {
    private let folder: TemporaryDirectory
    private let program: Program

    init(_ name: String) throws {
        folder = try TemporaryDirectory()
        program = .built(name)
    }

    var directory: String { folder.path }

    /// Runs the program to its end; returns its lines.
    func run(_ words: String..., input: String = "", status: Int32 = 0) throws -> [String] {
        try run(words, input: input, status: status)
    }

    /// Runs the program to its end; returns its lines.
    func run(_ words: [String], input: String = "", status: Int32 = 0) throws -> [String] {
        let outcome = try program.run([directory] + words, input: input)
        #expect(outcome.status == status, "\(outcome)")
        return outcome.lines
    }
}
