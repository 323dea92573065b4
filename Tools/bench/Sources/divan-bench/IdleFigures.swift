import CDivanFloors
import DivanTestKit
import Foundation

/// The cost of idle connections in the listening process: memory, and the speed of a busy one.
enum IdleFigures {
    private static let memoryCount = 1000
    private static let idleCount = 10_000
    private static let roundTripCount = 8000
    /// Longer than the transport waits before it releases buffers.
    private static let settling = 8.0

    /// A thousand connections of each kind, each kind in its own process.
    static func measureMemory(into report: inout Report) throws {
        for isSecure in [false, true] {
            let floor = floor_idle_bytes(memoryCount, isSecure ? 1 : 0)
            guard floor >= 0 else { throw BenchFailure("the idle floor failed") }
            let server = try BenchServer()
            try warmUp(server)
            let clearCount = isSecure ? 0 : memoryCount
            let bytes = try holding(clearCount, memoryCount - clearCount, at: server) { bytes in
                bytes / Double(memoryCount)
            }
            report.add(
                Figure(
                    name: "memory of an idle connection, \(isSecure ? "TLS" : "clear")",
                    unit: "KB",
                    ours: bytes / 1024,
                    floor: floor / 1024,
                    floorName: "bare socket\(isSecure ? " and OpenSSL session" : ""), process only"
                )
            )
        }
    }

    /// Half of the connections use TLS.
    static func measureCrowd(into report: inout Report) throws {
        OwnProcess.raiseDescriptorLimit()
        let count = min(idleCount, (OwnProcess.descriptorLimit - 100) / 2 * 2)
        let server = try BenchServer()
        // Takes turns with the crowded one, so that both see the machine in the same state.
        let other = try BenchServer()
        try warmUp(server)
        try warmUp(other)
        var (alone, crowded) = (RoundTrips.worst, RoundTrips.worst)
        let bytes = try holding(count / 2, count / 2, at: server) { bytes in
            for _ in 0..<5 {
                alone = alone.best(try .measure(roundTripCount, with: other))
                crowded = crowded.best(try .measure(roundTripCount, with: server))
            }
            return bytes / Double(count)
        }
        report.add(
            Figure(
                name: "memory of each of \(count) idle connections",
                unit: "KB",
                ours: bytes / 1024,
                floorName: "none; half of them with TLS"
            )
        )
        report.add(
            Figure(
                name: "p99 of a busy connection beside \(count) idle ones",
                unit: "µs",
                ours: crowded.p99 * 1e6,
                floor: alone.p99 * 1e6,
                floorName: "the same at a server without them"
            )
        )
    }

    /// Allocates what all connections share: code, contexts, the loops' buffers.
    private static func warmUp(_ server: BenchServer) throws {
        _ = try holding(50, 50, at: server) { _ in }
    }

    /// Runs `body` while another process keeps connections open, with the bytes that they use.
    private static func holding<Result>(
        _ clearCount: Int,
        _ secureCount: Int,
        at server: BenchServer,
        _ body: (Double) throws -> Result
    ) throws -> Result {
        let before = try server.process.number("memory")
        let holder = try ProcessRole.holder.start([
            "\(server.clearPort)", "\(clearCount)",
            "\(server.securePort)",
            "\(secureCount)",
        ])
        let opened = try holder.line()
        guard Int(opened) == clearCount + secureCount else {
            throw BenchFailure("only \(opened) of \(clearCount + secureCount) connections opened")
        }
        Thread.sleep(forTimeInterval: settling)
        let bytes = try server.process.number("memory") - before
        return try withExtendedLifetime(holder) { try body(bytes) }
    }
}
