public import DivanTransport

/// The way in which a connection is lost before either end has closed it.
public enum SimulatedLoss: CaseIterable, Sendable {
    /// Data in transit arrives; then both ends reach the end of the stream.
    case end
    /// Both ends fail at once; data in transit is lost.
    case reset
    /// Nothing arrives any more, and neither end is notified: each detects the loss when it sends, or by its
    /// heartbeat.
    case silence
}

/// The behaviour of a simulated network for the connections that are opened under these conditions.
public struct SimulatedConditions: Sendable {
    /// The transit time of a piece, selected randomly; pieces of a connection arrive in order.
    ///
    /// Connections can overtake each other: one that was started later can be accepted first.
    public var latency: ClosedRange<Duration> = .milliseconds(5) ... .milliseconds(30)
    /// Bytes per second, for each direction of a connection.
    public var bytesPerSecond = 10_000_000
    /// Bytes that the network accepts from a sender at a time; a message can consist of several pieces.
    public var pieceByteCount = 1...65_536
    /// The time after which a connection is lost; `nil` means never.
    public var lifetime: ClosedRange<Duration>?
    /// The ways in which such connections are lost, selected randomly.
    public var losses = SimulatedLoss.allCases
    /// The percentage of connection attempts that are refused.
    public var refusedPercentage = 0
    /// The time without data after which an end sends a heartbeat.
    public var heartbeat: Duration = .seconds(300)
    /// Timeouts and limits, as in a real transport.
    public var limits = TransportLimits()

    /// Creates the conditions of a good network.
    public init() {}

    /// A network that loses every connection after seconds or minutes, in any of the ways.
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

/// An event in a simulated network, for traces.
public struct SimulatedEvent: Hashable, Sendable {
    /// The kind of an event.
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
    /// The number of the connection, counted from 1 in the order of attempts.
    public let connection: Int
    /// The kind of the event.
    public let kind: Kind
}
