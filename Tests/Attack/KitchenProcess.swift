import Foundation

/// The attacked process as the attacker's program sees it; its log goes to a file.
final class KitchenProcess {
    let directory: String
    private(set) var passwords = Place(port: 0, isSecure: true)
    private(set) var certificates = Place(port: 0, isSecure: true)
    private(set) var readOnly = Place(port: 0, isSecure: false)
    var log: String { directory + "/log" }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    init(_ directory: String) throws {
        self.directory = directory
        try Data().write(to: URL(fileURLWithPath: directory + "/log"))
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["serve", directory]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: directory + "/log")
        try process.run()
        let ports = try line().split(separator: " ").compactMap { UInt16($0) }
        guard ports.count == 3 else { throw AttackFailure("the listener told no ports") }
        passwords = Place(port: ports[0], isSecure: true)
        certificates = Place(port: ports[1], isSecure: true)
        readOnly = Place(port: ports[2], isSecure: false)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    var isRunning: Bool { process.isRunning }

    func ask(_ question: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data("\(question)\n".utf8))
        return try line()
    }

    func number(_ question: String) throws -> Int { Int(try ask(question)) ?? -1 }

    private func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw AttackFailure("the listener's process has ended") }
            unread += bytes
        }
    }
}
