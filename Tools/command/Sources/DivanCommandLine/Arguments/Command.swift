/// One command of the program, such as `divan put`.
package protocol Command: Sendable {
    /// What the command accepts.
    static var syntax: CommandSyntax { get }
    /// Whether it changes the database that is its first operand, so that the process that has the database
    /// open runs it instead.
    static func isDoneByHolder(_ arguments: Arguments) -> Bool
    /// Runs it.
    static func run(_ arguments: Arguments, _ terminal: Terminal) throws
}

extension Command {
    /// It runs in this process.
    package static func isDoneByHolder(_ arguments: Arguments) -> Bool { false }
}
