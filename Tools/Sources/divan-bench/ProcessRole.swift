import Foundation
import Glibc

/// What the bench does as the other process of a figure.
enum ProcessRole: String {
    /// Serves echoes, sinks and BLIP, in clear text and over TLS.
    case server
    /// Opens connections and keeps them.
    case holder
    /// Listens with two databases.
    case listener
    /// Pulls and keeps nothing, many times over.
    case pullers
    /// Means ill.
    case hostile
    /// Opens a database.
    case opener
    /// Keeps databases, listens and replicates.
    case peer

    func run(_ words: [String]) throws {
        Descriptors.raiseLimit()
        switch self {
        case .server: try ServerRole().run()
        case .holder: try HolderRole(words).run()
        case .listener: try ListenerRole(words).run()
        case .pullers: try PullerRole(words).run()
        case .hostile: try HostileRole(words).run()
        case .opener: try OpenerRole(words).run()
        case .peer: try PeerRole(words).run()
        }
    }

    /// Answers each line of standard input until it ends.
    static func answer(_ answer: (String) -> Double) {
        while let question = readLine() { say("\(answer(question))") }
    }
}

/// The open files of this process.
enum Descriptors {
    /// Allows as many as the system lets us.
    static func raiseLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// How many are allowed.
    static var limit: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}

/// Memory of this process that lies in RAM, in bytes.
func residentByteCount() -> Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let words = text.split(separator: " ")
    guard words.count > 1, let pages = Double(words[1]) else { return 0 }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
}
