internal import DivanJSON

/// The path from the root of a body to a value in it.
///
/// Blobs below one container share its part of the path, so that a long key above many blobs is
/// held only once; the text of a path is made only on request.
final class BlobPath: Sendable {
    enum Step: Sendable {
        case key(String)
        case index(Int)
    }

    private let parent: BlobPath?
    private let step: Step
    /// Bytes of the pointer.
    let byteCount: Int

    init(_ step: Step, below parent: BlobPath?) {
        self.step = step
        self.parent = parent
        byteCount = (parent?.byteCount ?? 0) + 1 + step.byteCount
    }

    /// The path as a JSON Pointer (RFC 6901).
    var pointer: String {
        var steps = [step]
        var next = parent
        while let path = next {
            steps.append(path.step)
            next = path.parent
        }
        var pointer = ""
        pointer.reserveCapacity(byteCount)
        for step in steps.reversed() { pointer += "/" + step.text }
        return pointer
    }
}

extension BlobPath.Step {
    fileprivate var byteCount: Int {
        switch self {
        case .index(let index): String(index).utf8.count
        case .key(let key):
            key.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "~") || $1 == UInt8(ascii: "/") ? 2 : 1) }
        }
    }

    fileprivate var text: String {
        switch self {
        case .key(let key): JSONPointer.step(to: key)
        case .index(let index): String(index)
        }
    }
}
