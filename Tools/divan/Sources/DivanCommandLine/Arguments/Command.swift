/// One verb.
package protocol Command: Sendable {
    /// What the verb accepts.
    static var syntax: CommandSyntax { get }
    /// Does it.
    static func run(_ arguments: Arguments, _ terminal: Terminal) throws
}
