/// One verb.
package protocol Command: Sendable {
    /// What the verb accepts.
    static var syntax: CommandSyntax { get }
    /// Whether it changes the database that is its first operand, so that the process which holds that
    /// database does it in its place.
    static func isDoneByHolder(_ arguments: Arguments) -> Bool
    /// Does it.
    static func run(_ arguments: Arguments, _ terminal: Terminal) throws
}

extension Command {
    /// It is done here.
    package static func isDoneByHolder(_ arguments: Arguments) -> Bool { false }
}
