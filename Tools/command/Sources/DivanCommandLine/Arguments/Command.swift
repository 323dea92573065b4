/// One verb.
package protocol Command: Sendable {
    /// What the verb accepts.
    static var syntax: CommandSyntax { get }
    /// Whether it changes the database that is its first operand, so that the process that holds that
    /// database runs it instead.
    static func isDoneByHolder(_ arguments: Arguments) -> Bool
    /// Runs it.
    static func run(_ arguments: Arguments, _ terminal: Terminal) throws
}

extension Command {
    /// It is run here.
    package static func isDoneByHolder(_ arguments: Arguments) -> Bool { false }
}
