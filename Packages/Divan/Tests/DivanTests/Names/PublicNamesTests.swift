import DivanTestKit
import Foundation
import Testing

/// The public names of the module, read from its sources.
@Suite struct PublicNamesTests {
    private struct Source {
        let name: String
        let lines: [Substring]
    }

    private static let sources: [Source] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/Divan")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .compactMap { file in
                guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
                return Source(
                    name: file.lastPathComponent,
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false)
                )
            }
    }()

    /// The names that `import Divan` adds: public declarations that begin at the start of a line.
    private static var topLevelNames: Set<String> {
        var names: Set<String> = []
        let declaration =
            /^public (?:final )?(?:struct|class|enum|actor|protocol|typealias|func|let|var) (\w+)/
        for line in sources.flatMap(\.lines) {
            if let match = line.firstMatch(of: declaration) { names.insert(String(match.1)) }
        }
        return names
    }

    /// Names of swift-log and swift-nio that programs use unqualified.
    private static let neighbours: Set = [
        "Logger", "LogHandler", "LoggingSystem", "StreamLogHandler", "SwiftLogNoOpLogHandler",
        "MultiplexLogHandler", "Channel", "ChannelHandler", "ChannelPipeline", "ChannelOption",
        "ChannelHandlerContext", "ByteBuffer", "ByteBufferAllocator", "EventLoop",
        "EventLoopGroup", "EventLoopFuture", "EventLoopPromise", "EmbeddedChannel",
        "EmbeddedEventLoop", "SocketAddress", "ServerBootstrap", "ClientBootstrap", "TimeAmount",
        "NIODeadline", "CircularBuffer", "IOData", "FileRegion", "RepeatedTask", "Scheduled",
        "MultiThreadedEventLoopGroup", "Counter", "Gauge", "Timer", "Recorder", "Meter",
        "MetricsSystem", "MetricsFactory", "HTTPRequestHead", "HTTPHeaders", "Router", "Request",
        "Response", "Application", "Service", "ServiceGroup", "Argument", "Option", "Flag",
    ]

    /// Names of the standard library and Foundation; `CommonNamesTests` compiles most of them.
    private static let platform: Set = [
        "Collection", "Result", "Function", "Sequence", "Error", "Task", "Clock", "Duration",
        "Predicate", "Expression", "Notification", "Operation", "Process", "Stream", "Data",
        "Date", "URL", "Bundle", "Progress", "Host", "Port", "Scanner", "Thread", "Unit",
        "Measurement", "Range", "Set", "Array", "Dictionary", "String", "Character", "Regex",
        "Encoder", "Decoder", "SortOrder", "Selector", "Dimension", "Locale", "Calendar",
    ]

    @Test("The module adds at most 60 names, none of which a program would confuse")
    func count() {
        let names = Self.topLevelNames
        #expect(names.count > 15)
        #expect(names.count <= 60, "\(names.sorted())")
        #expect(names.isDisjoint(with: Self.neighbours))
        #expect(names.isDisjoint(with: Self.platform))
        for name in names {
            #expect(!name.hasPrefix("Sec") && !name.hasPrefix("NS") && !name.hasPrefix("CBL"))
            #expect(!name.hasSuffix("Protocol") && !name.hasSuffix("Router"))
        }
    }

    @Test("Nothing public is deprecated, throws NSError, or is unchecked")
    func declarations() {
        #expect(!Self.sources.isEmpty)
        for source in Self.sources {
            for (number, line) in source.lines.enumerated() {
                let place = "\(source.name):\(number + 1)"
                #expect(!line.contains("deprecated"), "\(place)")
                #expect(!line.contains("@unchecked Sendable"), "\(place)")
                guard line.contains("public ") else { continue }
                #expect(!line.contains("NSError"), "\(place)")
                #expect(!line.contains("TimeInterval"), "\(place)")
                #expect(!line.contains("default") || !line.contains("static let"), "\(place)")
                #expect(!line.contains("public import CouchbaseLiteSwift"), "\(place)")
            }
        }
    }
}
