public import DivanJSON

/// The reason why a delta cannot be applied, and the place in the old value.
public struct DeltaError: Error, Equatable {
    /// The violated rule.
    public enum Reason: Equatable, Sendable {
        /// A patch or a deletion of a value that does not exist.
        case nothingToChange
        /// A patch of members or items of a value of this kind, which has no members or items.
        case notAContainer(JSON.Kind)
        /// An operation of four or more elements, or with a code other than 0 and 2.
        case unknownOperation
        /// The deletion of an item within an array, which would leave a gap.
        case deletionInsideArray
        /// The deletion of the whole value.
        case rootDeleted
        /// The replacement for the end of an array is not an array.
        case remainderNotAnArray
        /// A text patch of a value that is not a string, or a text patch that is not a string.
        case notAString
        /// A text patch that does not match the old string.
        case textPatch(TextPatch.Problem)
    }

    /// What went wrong.
    public let reason: Reason
    /// Keys and offsets from the root to the place.
    public let path: [String]
}

extension DeltaError: CustomStringConvertible {
    /// Bytes of the place in the message: its keys are the peer's, and the message is sent back to it.
    private static let placeByteCount = 256

    /// One line: place, problem, remedy.
    public var description: String {
        var told: [UInt8] = []
        for step in path where told.count <= Self.placeByteCount {
            told.append(UInt8(ascii: "/"))
            told += step.utf8.prefix(Self.placeByteCount)
        }
        let end = told.count > Self.placeByteCount ? "…" : ""
        let place = String(decoding: told.prefix(Self.placeByteCount), as: UTF8.self) + end
        return """
            JSON delta at \(place.isEmpty ? "the root" : place.debugDescription): \
            \(reason.explanation); request the full body
            """
    }
}

extension DeltaError.Reason {
    fileprivate var explanation: String {
        switch self {
        case .nothingToChange: "there is no old value to change"
        case .notAContainer(let kind): "the old value is \(kind.rawValue), not an object or array"
        case .unknownOperation: "unknown operation"
        case .deletionInsideArray: "array items cannot be deleted"
        case .rootDeleted: "the root cannot be deleted"
        case .remainderNotAnArray: "the end of an array must be replaced with an array"
        case .notAString: "a text patch requires strings"
        case .textPatch(let problem): "text patch: \(problem.explanation)"
        }
    }
}

extension TextPatch.Problem {
    fileprivate var explanation: String {
        switch self {
        case .empty: "no operations"
        case .badCount(let offset): "invalid count at byte \(offset)"
        case .unknownOperator(let offset): "unknown operator at byte \(offset)"
        case .unclosedInsertion(let offset): "insertion not closed with '|' at byte \(offset)"
        case .wrongLength(let count): "counts do not add up to the old string's \(count) bytes"
        case .splitCharacter: "an edit splits a character"
        }
    }
}
