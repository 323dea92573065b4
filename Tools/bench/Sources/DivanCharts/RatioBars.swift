/// Horizontal bars of the ratio of our figure to the other's, one below the other, with a line
/// where both are equal.
public struct RatioBars {
    /// One bar.
    public struct Bar {
        /// What was measured.
        public var name: String
        /// Our figure divided by the other's; more is better.
        public var ratio: Double
        /// Both figures in words.
        public var remark: String

        /// Describes a bar.
        public init(name: String, ratio: Double, remark: String) {
            self.name = name
            self.ratio = ratio
            self.remark = remark
        }
    }

    private let title: String
    private let remark: String
    private let unity: String
    private let least: Double?
    private let bars: [Bar]

    /// Describes a picture; `unity` labels the line where ours is as good as the other's.
    ///
    /// Bars below `least` have a different colour; none has in a comparison with something
    /// unreachable.
    public init(
        title: String,
        remark: String,
        unity: String,
        least: Double? = 1,
        bars: [Bar]
    ) {
        self.title = title
        self.remark = remark
        self.unity = unity
        self.least = least
        self.bars = bars
    }

    /// The picture as SVG; a bar that is much longer than the others is truncated and labelled with its ratio.
    public var source: String {
        let (left, right, top, step) = (300.0, 230.0, 74.0, 24.0)
        let width = 900.0
        let height = top + Double(bars.count) * step + 14
        var picture = SVGPicture(width: width, height: height, title: title)
        picture.text(title, 12, 22, .strong)
        picture.text(remark, 12, 40, .faint)
        let longest = bars.map(\.ratio).filter(\.isFinite).max() ?? 1
        let scale = (width - left - right) / min(max(longest, 1.2), 8)
        let unit = left + scale
        picture.line([(unit, top - 8), (unit, height - 10)], .faint, isDashed: true)
        picture.text(unity, unit, top - 12, .faint, .middle)
        for (index, bar) in bars.enumerated() {
            let y = top + Double(index) * step
            let length = min(max(bar.ratio, 0) * scale, width - left - right)
            picture.text(bar.name, left - 8, y + 13, .plain, .end)
            picture.bar(
                x: left,
                y: y,
                width: length.isFinite ? length : 0,
                height: 16,
                least.map { bar.ratio < $0 } == true ? .behind : .ours
            )
            picture.text(Tick.ratio(bar.ratio), left + length + 6, y + 13, .strong)
            picture.text(bar.remark, width - 12, y + 13, .faint, .end)
        }
        return picture.source
    }
}
