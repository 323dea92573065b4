import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanSession

/// The values of a conflict that a decision does not keep although their side had changed them.
struct LostValues {
    /// A value of one side.
    struct Loss {
        /// Where it was, as a JSON pointer.
        var path: String
        /// `ours` or `theirs`.
        var side: String
        /// The value; `nil` if the side had removed it.
        var value: JSON?
    }

    private(set) var losses: [Loss] = []
    private let hasBase: Bool

    /// Compares both sides with what was merged from them; without a merge, nothing is listed.
    init(of conflict: StoredConflict, after decision: ConflictDecision) throws {
        hasBase = conflict.base != nil
        func value(_ body: [UInt8]) throws -> JSON { .object(try JSONObject(storedBody: body)) }
        let (local, remote) = (try value(conflict.local.body), try value(conflict.remote.body))
        let merged: JSON
        switch decision {
        case .keepLocal: merged = local
        case .keepRemote: merged = remote
        case .merge(let body, _): merged = try value(body)
        case .delete: return
        }
        let base = try conflict.base.map { try value($0.body) }
        guard !conflict.local.isTombstone, !conflict.remote.isTombstone else {
            addLoss(of: conflict, local, remote, base, decision)
            return
        }
        compare(local, remote, base, merged, at: "")
    }

    /// Notes what becomes of an edit next to a deletion: one of both is lost completely.
    private mutating func addLoss(
        of conflict: StoredConflict,
        _ local: JSON,
        _ remote: JSON,
        _ base: JSON?,
        _ decision: ConflictDecision
    ) {
        guard conflict.local.isTombstone != conflict.remote.isTombstone else { return }
        let keepsLocal = decision.isKeepLocal
        let body = conflict.local.isTombstone ? remote : local
        // The other side did not change the document.
        guard body != base else { return }
        let isEditLost = keepsLocal == conflict.local.isTombstone
        losses.append(
            Loss(path: "", side: keepsLocal ? "theirs" : "ours", value: isEditLost ? body : nil)
        )
    }

    private mutating func compare(
        _ local: JSON?,
        _ remote: JSON?,
        _ base: JSON?,
        _ merged: JSON?,
        at path: String
    ) {
        if let ours = local?.object, let theirs = remote?.object, let members = merged?.object,
            !ours.contains("@type"), !theirs.contains("@type")
        {
            let bases = base?.object.flatMap { $0.contains("@type") ? nil : $0 } ?? [:]
            for key in JSONObject(Array(ours) + Array(theirs)).keys {
                compare(
                    ours[key],
                    theirs[key],
                    bases[key],
                    members[key],
                    at: "\(path)/\(JSONPointer.step(to: key))"
                )
            }
            return
        }
        // Only a value that both sides changed can be lost.
        guard local != remote else { return }
        if hasBase {
            guard local != base, remote != base else { return }
        } else {
            guard local != nil, remote != nil else { return }
        }
        if local != merged { losses.append(Loss(path: path, side: "ours", value: local)) }
        if remote != merged { losses.append(Loss(path: path, side: "theirs", value: remote)) }
    }

    /// A line for each, for people.
    var lines: [String] {
        losses.map { loss in
            let place = loss.path.isEmpty ? "the document" : loss.path
            let line =
                "  \(place): \(loss.side) \(loss.value?.canonicalText ?? "removed it"), not kept"
            return line.escapingControlCharacters()
        }
    }

    /// An object for each, for machines; the path of the document itself is empty.
    var json: JSON {
        .array(
            losses.map { loss in
                var members: JSONObject = ["path": .string(loss.path), "side": .string(loss.side)]
                members["value"] = loss.value
                return .object(members)
            }
        )
    }
}

extension ConflictDecision {
    fileprivate var isKeepLocal: Bool {
        if case .keepLocal = self { true } else { false }
    }
}
