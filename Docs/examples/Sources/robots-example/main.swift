import Divan
import ExampleTerminal
import Foundation

/// A robot of a fleet that has no server: robots-example NAME AUTHORITY [SEED], until its input ends.
///
/// Each line of input is a place to go to. All robots know where the others are. AUTHORITY is a file with the key that
/// makes a robot a member of the fleet; the first robot creates it. SEED is the address of another robot, for networks
/// without multicast.
struct Robot: Codable, Identifiable, Sendable {
    var id: String
    var place: String
}

let words = Array(CommandLine.arguments.dropFirst())
guard (2...3).contains(words.count) else {
    print("Usage: robots-example NAME AUTHORITY [SEED]")
    exit(2)
}

func authority(_ file: URL) throws -> Identity {
    do {
        return try Identity(contentsOf: file)
    } catch DivanError.notFound {
        let authority = try Identity.authority(named: "fleet")
        try Data(authority.pem().utf8).write(to: file)
        return authority
    }
}

do {
    let authority = try authority(URL(filePath: words[1]))
    let db = try Database.inMemory(name: "fleet")
    let robots = try db.collection("robots")
    let mesh = try Mesh.join(
        "fleet",
        sharing: db,
        identity: authority.issue(named: words[0]),
        trust: .authority(authority.certificate),
        discovery: words.count == 3 ? .none : .network,
        seeds: words.dropFirst(2).compactMap { URL(string: $0) }
    )
    let radar = Task {
        for await (_, document) in mesh.documents where !document.isPush {
            guard let robot = try await robots.get(document.id, as: Robot.self) else { continue }
            Terminal.show("\(robot.id) is in \(robot.place)")
        }
    }
    Terminal.show("wss://127.0.0.1:\(mesh.port ?? 0)")
    for await place in Terminal.lines {
        try robots.save(Robot(id: words[0], place: place))
    }
    await mesh.leave()
    try await radar.value
    try db.close()
} catch {
    print(error)
    exit(1)
}
