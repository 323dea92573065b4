import CDivanFloors
import Foundation

/// Two processes over loopback TLS, compared with the same in C.
enum LoopbackFigures {
    private static let pieceByteCount = 65_536
    private static let streamByteCount = 1 << 29
    private static let requestCount = 300_000
    private static let roundTripCount = 8000

    static func measureStream(into report: inout Report) throws {
        let server = try BenchServer()
        let client = try BenchClient()
        var ours = Double.infinity
        var floor = Double.infinity
        // In turns, so that a noisy moment affects both.
        for _ in 0..<3 {
            let bare = floor_tls_stream(streamByteCount, pieceByteCount)
            guard bare > 0 else { throw BenchFailure("the TLS stream floor failed") }
            floor = min(floor, bare)
            let sender = StreamSender(
                client.transport(to: server.securePort, isSecure: true, path: "/sink"),
                pieceByteCount: pieceByteCount,
                count: streamByteCount / pieceByteCount
            )
            ours = min(ours, try sender.run())
        }
        report.add(
            Figure(
                name: "stream, TLS, two processes, 64 KB messages",
                unit: "MB/s",
                ours: Double(streamByteCount) / ours / 1e6,
                floor: Double(streamByteCount) / floor / 1e6,
                floorName: "the same in C, without WebSocket"
            )
        )
    }

    static func measureRequests(into report: inout Report) throws {
        let server = try BenchServer()
        let client = try BenchClient()
        var seconds = Double.infinity
        for _ in 0..<3 {
            let times = try BLIPAsker.run(
                over: client.transport(to: server.securePort, isSecure: true, path: "/blip"),
                bodyByteCount: 64,
                aheadCount: 1000,
                count: requestCount
            )
            seconds = min(seconds, times.seconds)
        }
        report.add(
            Figure(
                name: "BLIP requests of 64 bytes, pipelined, TLS",
                unit: "1/s",
                ours: Double(requestCount) / seconds,
                floorName: "none; with replies, two processes"
            )
        )
    }

    static func measureRoundTrips(into report: inout Report) throws {
        let server = try BenchServer()
        var ours = RoundTrips.worst
        var floor = RoundTrips.worst
        for _ in 0..<5 {
            var seconds = [Double](repeating: 0, count: roundTripCount)
            guard floor_tls_round_trips(roundTripCount, &seconds) == 0 else {
                throw BenchFailure("the round trip floor failed")
            }
            floor = floor.best(RoundTrips(seconds))
            ours = ours.best(try RoundTrips.measure(roundTripCount, with: server))
        }
        for (name, ours, floor) in [
            ("p50", ours.median, floor.median), ("p99", ours.p99, floor.p99),
        ] {
            report.add(
                Figure(
                    name: "round trip of a small BLIP request, TLS, \(name)",
                    unit: "µs",
                    ours: ours * 1e6,
                    floor: floor * 1e6,
                    floorName: "C ping-pong of 64 bytes over TLS"
                )
            )
        }
    }
}

/// How long single requests take, in seconds.
struct RoundTrips {
    var median: Double
    var p99: Double

    static let worst = RoundTrips(median: .infinity, p99: .infinity)

    init(median: Double, p99: Double) {
        (self.median, self.p99) = (median, p99)
    }

    init(_ seconds: [Double]) {
        let sorted = seconds.sorted()
        median = sorted[sorted.count / 2]
        p99 = sorted[sorted.count * 99 / 100]
    }

    /// The lesser of both values each: the least affected by other load.
    func best(_ other: RoundTrips) -> RoundTrips {
        RoundTrips(median: min(median, other.median), p99: min(p99, other.p99))
    }

    /// Sends one request after the other over TLS.
    static func measure(_ count: Int, with server: BenchServer) throws -> RoundTrips {
        let times = try BLIPAsker.run(
            over: BenchClient().transport(to: server.securePort, isSecure: true, path: "/blip"),
            bodyByteCount: 64,
            aheadCount: 1,
            count: count
        )
        return RoundTrips(times.roundTrips)
    }
}
