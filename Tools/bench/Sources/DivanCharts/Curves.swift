/// Lines over one horizontal scale, such as rates by time or by the size of a database.
public struct Curves {
    /// One line; points in the order of `x`.
    public struct Curve {
        /// What was measured, with its unit.
        public var name: String
        /// The points; values that are not numbers are left out.
        public var points: [(x: Double, y: Double)]

        /// Describes a line.
        public init(name: String, points: [(x: Double, y: Double)]) {
            self.name = name
            self.points = points.filter { $0.x.isFinite && $0.y.isFinite }
        }
    }

    private let title: String
    private let remark: String
    private let axis: String
    private let isLogarithmic: Bool
    private let curves: [Curve]

    private static let roles: [SVGPicture.Role] = [.ours, .behind, .other, .third, .fourth]

    /// Describes a picture; `axis` names the horizontal scale, in powers of ten if
    /// `isLogarithmic`.
    public init(
        title: String,
        remark: String,
        axis: String,
        isLogarithmic: Bool = false,
        curves: [Curve]
    ) {
        self.title = title
        self.remark = remark
        self.axis = axis
        self.isLogarithmic = isLogarithmic
        self.curves = curves.filter { !$0.points.isEmpty }
    }

    /// The picture as SVG.
    public var source: String {
        let (width, height) = (880.0, 320.0 + Double(curves.count) * 18)
        var picture = SVGPicture(width: width, height: height, title: title)
        picture.text(title, 12, 22, .strong)
        picture.text(remark, 12, 40, .faint)
        let frame = Frame(
            xs: curves.flatMap { $0.points.map { place($0.x) } },
            ys: curves.flatMap { $0.points.map(\.y) }
        )
        drawScales(frame, in: &picture)
        for (index, curve) in curves.enumerated() {
            let role = Self.roles[index % Self.roles.count]
            let points = curve.points.map { (x: frame.x(place($0.x)), y: frame.y($0.y)) }
            if points.count > 1 { picture.line(points, role) }
            if points.count <= 20 { for point in points { picture.dot(point.x, point.y, role) } }
            let y = 312 + Double(index) * 18
            picture.bar(x: 62, y: y - 9, width: 12, height: 10, role)
            picture.text(curve.name, 82, y)
        }
        return picture.source
    }

    private func place(_ x: Double) -> Double { isLogarithmic ? Tick.logarithm(x) : x }

    private func drawScales(_ frame: Frame, in picture: inout SVGPicture) {
        for tick in Tick.marks(upTo: frame.highest) {
            let y = frame.y(tick)
            picture.line([(Frame.left, y), (Frame.right, y)], .faint)
            picture.text(Tick.text(tick), Frame.left - 6, y + 4, .faint, .end)
        }
        let marks =
            isLogarithmic
            ? stride(from: frame.first.rounded(.up), through: frame.last, by: 1).map { $0 }
            : Tick.marks(upTo: frame.last).filter { $0 >= frame.first }
        for mark in marks {
            let text = isLogarithmic ? Tick.text(Tick.power(of: mark)) : Tick.text(mark)
            picture.text(text, frame.x(mark), Frame.bottom + 16, .faint, .middle)
        }
        picture.text(axis, Frame.right, Frame.bottom + 32, .faint, .end)
    }

    /// The places of values in the picture.
    private struct Frame {
        static let (left, right, top, bottom) = (62.0, 846.0, 60.0, 254.0)
        let first: Double
        let last: Double
        let highest: Double

        init(xs: [Double], ys: [Double]) {
            first = xs.min() ?? 0
            last = max(xs.max() ?? 1, first + 1e-9)
            highest = max(ys.max() ?? 1, 1e-9) * 1.05
        }

        func x(_ value: Double) -> Double {
            Self.left + (value - first) / (last - first) * (Self.right - Self.left)
        }

        func y(_ value: Double) -> Double {
            Self.bottom - min(max(value / highest, 0), 1) * (Self.bottom - Self.top)
        }
    }
}
