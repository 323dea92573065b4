import DivanDatabase
import DivanJSON
import DivanRevisions
import DivanSimulation
import DivanTransport

// What the plan does to the world.
extension World {
    /// Performs a planned action, at its time.
    func perform(_ planned: PlannedAction) {
        let action = planned.action
        countAction()
        note("\(planned)")
        switch action {
        case .save(let edit): save(edit)
        case .burst(let edit, let count):
            for number in 0..<count {
                var next = edit
                next.token += ".\(number)"
                save(next)
            }
        case .delete(let place): delete(place)
        case .purge(let place):
            let isDone = change(place) { _ = try $0.purge(place.documentID, in: $1) }
            if !isDone { model.purge(place) }  // it may be stored all the same
        case .expire(let place, let after):
            let time = nodes[place.node].clock + after.milliseconds
            change(place) { try $0.setExpiration(time, of: place.documentID, in: $1) }
            nodes[place.node].expiring.insert(place)
            nodes[place.node].armExpiry()
        case .compact(let node): _ = try? nodes[node].store?.compact()
        case .audit: auditCheckpoints()
        case .restart(let link, let isReset): connectors[link].restart(isReset: isReset)
        default: disturb(action)
        }
    }

    private func disturb(_ action: Action) {
        switch action {
        case .cut(let node, let loss): network.lose(loss, at: nodes[node].name)
        case .isolate(let node, let time):
            let name = nodes[node].name
            network.setIsolated(true, host: name)
            later(time) { world in world.network.setIsolated(false, host: name) }
        case .closePort(let node, let time):
            network.stopListening(at: nodes[node].name)
            later(time) { world in world.nodes[node].listenAgain() }
        case .crash(let node, let down):
            guard nodes[node].isUp else { return }
            crash(nodes[node])
            later(down) { world in world.restart(world.nodes[node]) }
        case .die(let node, let count, let isBeforeCommit, let down):
            guard nodes[node].isUp else { return }
            nodes[node].health.death = .init(commitCount: count, isBeforeCommit: isBeforeCommit)
            nodes[node].downTime = down
        case .decide(let node, let kind): nodes[node].resolver = kind
        case .backUp(let node): nodes[node].backUp()
        case .restore(let node, let down): restore(node, down: down)
        case .breakDisk(let node, let fault, let time):
            nodes[node].health.fault = fault
            later(time) { world in
                world.nodes[node].health.fault = nil
                guard world.nodes[node].health.isPoisoned, world.nodes[node].isUp else { return }
                world.crash(world.nodes[node])
                world.restart(world.nodes[node])
            }
        case .upgrade(let node):
            nodes[node].usesVectors = true
            guard nodes[node].isUp else { return }
            crash(nodes[node])
            restart(nodes[node])
        case .jump(let node, let by):
            nodes[node].jump(by)
            nodes[node].armExpiry()
        default: break
        }
    }

    /// A node has died in the middle of its work.
    func restartAfterDeath(_ node: Node) {
        guard node.isUp else { return }
        crash(node)
        guard !hasEndedFaults else { return restart(node) }
        later(node.downTime) { world in world.restart(world.nodes[node.number]) }
    }

    /// Does something later, unless all faults have ended before.
    private func later(_ delay: Duration, _ work: @escaping @Sendable (World) -> Void) {
        loop.schedule(at: loop.now + delay) { [weak self] in
            if let self, !hasEndedFaults { work(self) }
        }
    }

    private func restore(_ number: Int, down: Duration) {
        let node = nodes[number]
        guard node.isUp, node.backUpTime != nil else { return }
        guard isRestorable(node) else { return note("\(node.name): the copy is too young") }
        crash(node)
        node.restore()
        restoredNodes.insert(number)
        later(down) { world in world.restart(world.nodes[number]) }
    }

    /// Whether the peers can detect that the database was restored.
    ///
    /// They compare checkpoints. A copy that was made after the last save of a checkpoint looks the
    /// same to them, so what they delivered since would be missing (`checkpoints.md` §5).
    private func isRestorable(_ node: Node) -> Bool {
        connectors.filter { $0.plan.passive == node.number }.allSatisfy { connector in
            guard let active = nodes[connector.plan.active].store, let store = node.store else {
                return false
            }
            return scenario.collections.allSatisfy { path in
                let id = connector.checkpointID(path, of: active)
                let (copy, last) = node.backUpState(id, path)
                let now = try? store.read { try $0.lastSequence(in: path) }
                let kept = try? active.localCheckpoint(id)
                let old = copy.map { Array($0.drop { $0 != 0 }.dropFirst()) }
                return now == last || (kept != nil && kept != old)
            }
        }
    }

    // MARK: Edits

    private func save(_ edit: Action.Edit) {
        let node = nodes[edit.place.node]
        guard let store = node.store else { return }
        let path = scenario.collections[edit.place.collection]
        let key = Model.Key(collection: edit.place.collection, documentID: edit.place.documentID)
        do {
            let digest = try edit.blob.flatMap { try node.write($0) }
            let saved = try store.write { writer -> RevisionID? in
                let old = try writer.document(
                    edit.place.documentID,
                    in: path,
                    includingTombstones: true
                )
                let body = try edit.body(on: old, blob: digest)
                let outcome = try writer.save(
                    edit.place.documentID,
                    in: path,
                    body: body,
                    hasBlobs: try !BlobReferences.digests(in: body).isEmpty
                )
                guard case .saved(let new) = outcome else { return nil }
                attempt(new, on: old, key, at: node.number)
                return new.revisionID
            }
            if let saved { acknowledge(saved, key) }
        } catch {
            note("  refused: \(error)")
        }
    }

    private func delete(_ place: Action.Place) {
        guard let store = nodes[place.node].store else { return }
        let path = scenario.collections[place.collection]
        let key = Model.Key(collection: place.collection, documentID: place.documentID)
        do {
            let saved = try store.write { writer -> RevisionID? in
                guard let old = try writer.document(place.documentID, in: path) else { return nil }
                let outcome = try writer.save(
                    place.documentID,
                    in: path,
                    body: Array("{}".utf8),
                    isTombstone: true
                )
                guard case .saved(let new) = outcome else { return nil }
                attempt(new, on: old, key, at: place.node)
                return new.revisionID
            }
            if let saved { acknowledge(saved, key) }
        } catch {
            note("  refused: \(error)")
        }
    }

    private func attempt(
        _ new: StoredDocument,
        on old: StoredDocument?,
        _ key: Model.Key,
        at node: Int
    ) {
        model.attempt(
            new.revisionID,
            of: key,
            Model.Revision(
                parent: old?.revisionID,
                body: new.body,
                isTombstone: new.isTombstone,
                node: node,
                time: loop.now
            )
        )
    }

    private func acknowledge(_ id: RevisionID, _ key: Model.Key) {
        model.acknowledge(id, of: key)
        note("  \(id.short)")
    }

    /// Makes another merge of a merge that was received (`SeededBug.pingPong`).
    func answerMerge(_ place: Action.Place) {
        let path = scenario.collections[place.collection]
        let document = try? nodes[place.node].store?.read { reader in
            try reader.document(place.documentID, in: path)
        }
        guard let document, document.body.starts(with: "{\"by\":".utf8) else { return }
        loop.schedule(at: loop.now + .milliseconds(100)) { [weak self] in
            self?.save(
                Action.Edit(place: place, token: "by \(place.node)", field: 0, textByteCount: 0)
            )
        }
    }

    @discardableResult
    private func change(
        _ place: Action.Place,
        _ body: (StoreWriter, CollectionPath) throws -> Void
    ) -> Bool {
        let path = scenario.collections[place.collection]
        do {
            try nodes[place.node].store?.write { try body($0, path) }
            return true
        } catch {
            note("  refused: \(error)")
            return false
        }
    }

    /// Edits every document that a node purged, at a node that still has it, so that all get it again.
    func healPurges() {
        for place in model.purged.sorted(by: { $0.description < $1.description }) {
            let path = scenario.collections[place.collection]
            let holder = nodes.first { node in
                let found = try? node.store?.read { try $0.document(place.documentID, in: path) }
                return found != nil && node.number != place.node
            }
            guard let holder, scenario.flow == .both || holder.number == 0 else { continue }
            var there = place
            there.node = holder.number
            note("heal \(there)")
            save(Action.Edit(place: there, token: "healed", field: 0, textByteCount: 0))
        }
    }
}

extension Action.Edit {
    /// The bytes of the new blob.
    var blob: [UInt8]? {
        blobByteCount.map { count in
            Array((token + String(repeating: "b", count: count)).utf8)
        }
    }

    /// The body that the edit makes from the current one; a new one if there is none.
    func body(on old: StoredDocument?, blob: BlobDigest?) throws -> [UInt8] {
        var members: [JSONObject.Member] = []
        if let old, !old.isTombstone, let object = try JSON(parsing: old.body.span).object {
            let replaced = ["f\(field)"] + (blob == nil ? [] : ["picture"])
            members = object.filter { !replaced.contains($0.key) }
        } else {
            members = [
                ("title", .string(place.documentID.text)),
                ("text", .string(String(repeating: "lorem ipsum ", count: 20))),
            ]
        }
        if textByteCount > 0 {
            members.removeAll { $0.key == "note" }
            members.append(("note", .string(String(repeating: "n", count: textByteCount))))
        }
        members.append(("f\(field)", .string(token)))
        if let blob, let count = blobByteCount {
            let picture: JSON = [
                "@type": "blob",
                "digest": .string(blob.description),
                "length": JSON(count + token.utf8.count),
            ]
            members.append(("picture", picture))
        }
        return try JSON.object(JSONObject(members)).canonicalBytes()
    }
}
