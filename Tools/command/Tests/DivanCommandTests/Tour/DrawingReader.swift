import Foundation
import FoundationXML
import Testing

/// Reads a drawing of a film as a viewer does: what is visible at each moment.
final class DrawingReader: NSObject, XMLParserDelegate {
    /// A line that appears and disappears.
    struct Strip {
        var top = 0.0
        var left = 0.0
        var text = ""
        var styles: [String] = []
        /// Each animated property, with values by time, 0 to 1.
        var display = Track()
        var cover: Track?
    }

    /// Values, each valid from a moment on.
    struct Track {
        var values: [String] = []
        var times: [Double] = []

        func value(at time: Double) -> String? {
            zip(values, times).reversed().first { $0.1 <= time + 0.000_01 }?.0
        }
    }

    private(set) var strips: [Strip] = []
    /// Lines that are not animated.
    private(set) var still: [Strip] = []
    /// Total seconds.
    private(set) var duration = 0.0
    private var strip = Strip()
    private var isMoving = false
    private var isCover = false
    private var isText = false

    init(_ drawing: String) throws {
        super.init()
        let parser = XMLParser(data: Data(drawing.utf8))
        parser.delegate = self
        try #require(parser.parse(), "\(String(describing: parser.parserError))")
    }

    /// The lines at a moment, by row.
    func rows(at seconds: Double, lineHeight: Double, cellWidth: Double) -> [Int: String] {
        let time = seconds / duration
        var rows: [Int: String] = [:]
        for strip in strips where strip.display.value(at: time) == "inline" {
            let indent = String(repeating: " ", count: Int((strip.left / cellWidth).rounded()))
            let line = indent + strip.text
            let end = strip.cover?.value(at: time).flatMap { Double($0) }
            let count = end.map { Int(($0 / cellWidth).rounded()) } ?? line.count
            rows[Int((strip.top / lineHeight).rounded(.down))] = String(line.prefix(count))
        }
        return rows
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        switch name {
        case "g" where attributes["class"] == "moving": isMoving = true
        case "g" where attributes["display"] == "none": strip = Strip()
        case "text" where attributes["class"] == nil:
            if !isMoving { strip = Strip() }
            strip.top = attributes["y"].flatMap { Double($0) } ?? -1
            strip.left = attributes["x"].flatMap { Double($0) } ?? -1
            isText = true
        case "tspan": strip.styles.append(attributes["class"] ?? "")
        case "rect": isCover = attributes["class"] == "cover"
        case "animate": take(attributes)
        default: break
        }
    }

    private func take(_ attributes: [String: String]) {
        let track = Track(
            values: attributes["values"]?.components(separatedBy: ";") ?? [],
            times: attributes["keyTimes"]?.split(separator: ";").compactMap { Double($0) } ?? []
        )
        duration = attributes["dur"].flatMap { Double($0.dropLast()) } ?? 0
        if attributes["attributeName"] == "display" { strip.display = track }
        if isCover { strip.cover = track }
    }

    func parser(
        _ parser: XMLParser,
        didEndElement name: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        switch name {
        case "text" where isText:
            isText = false
            if !isMoving { still.append(strip) }
        case "g" where isMoving && !strip.text.isEmpty:
            strips.append(strip)
            strip = Strip()
        case "rect": isCover = false
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if isText { strip.text += text }
    }
}
