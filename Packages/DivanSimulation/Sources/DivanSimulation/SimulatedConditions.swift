public import DivanTransport

/// How a connection is lost before either end has closed it.
public enum SimulatedLoss: CaseIterable, Sendable {
    /// Data in transit arrives, then both ends reach the end of the stream.
    case end
    /// Both ends fail at once; data in transit is lost.
    case reset
    /// Nothing arrives any more and neither end is told: each notices by itself, soon if it has
    /// something to send, otherwise by its heartbeat.
    case silence
}

/// What a simulated network does to the connections made while these conditions apply.
public struct SimulatedConditions: Sendable {
    /// How long a piece is in transit; drawn for each one, but pieces never overtake each other.
    ///
    /// Connections may: one that was started later can be accepted first.
    public var latency: ClosedRange<Duration> = .milliseconds(5) ... .milliseconds(30)
    /// Bytes per second, for each direction of a connection.
    public var bytesPerSecond = 10_000_000
    /// Bytes that the network takes from a sender at a time; a message may need several.
    public var pieceByteCount = 1...65_536
    /// How long a connection lasts before it is lost; `nil` means for ever.
    public var lifetime: ClosedRange<Duration>?
    /// The ways in which such connections are lost; drawn for each.
    public var losses = SimulatedLoss.allCases
    /// How many of a hundred attempts to connect are refused.
    public var refusedPercentage = 0
    /// Silence after which an end asks whether the other is there.
    public var heartbeat: Duration = .seconds(300)
    /// Timeouts and marks, as on a real transport.
    public var limits = TransportLimits()

    /// Creates the conditions of a good network.
    public init() {}

    /// A network that loses every connection after some seconds or minutes, in any of the ways.
    public static var rough: SimulatedConditions {
        var conditions = SimulatedConditions()
        conditions.latency = .milliseconds(20) ... .milliseconds(400)
        conditions.bytesPerSecond = 200_000
        conditions.pieceByteCount = 1...2_000
        conditions.lifetime = .milliseconds(200) ... .seconds(60)
        conditions.refusedPercentage = 20
        return conditions
    }

    /// How long an end waits for the answer to its heartbeat (`websocket-and-urls.md` §4).
    var silenceTimeout: Duration { heartbeat + min(.seconds(20), heartbeat) }
}

/// Something that happened in a simulated network, for traces.
public struct SimulatedEvent: Hashable, Sendable {
    /// What can happen.
    public enum Kind: Hashable, Sendable {
        /// The connection is open.
        case opened
        /// The attempt failed.
        case refused
        /// Messages arrived together.
        case delivered(messageCount: Int, byteCount: Int, isToServer: Bool)
        /// The connection was lost.
        case lost(SimulatedLoss)
        /// An end closed with this code.
        case closed(code: UInt16, isByServer: Bool)
    }

    /// The virtual time.
    public let time: Duration
    /// The connection, counted from 1 in the order of attempts.
    public let connection: Int
    /// What happened.
    public let kind: Kind
}
