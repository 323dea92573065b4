import DivanDatabase
import DivanRevisions

extension Collection {
    /// Returns the document IDs that begin with `prefix` and are in `range`, in ascending order of their bytes.
    ///
    /// Deleted documents are not included. To read page by page, pass `limit`, and start the next page after the last
    /// ID of the previous one. An addition to the official API.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the IDs.
    ///   - range: The range of the IDs, by their bytes; `nil` for all.
    ///   - last: The ID after which to start; `nil` for the first one.
    ///   - limit: The maximum number of IDs; `nil` for all.
    /// - Returns: The IDs.
    /// - Throws: `CBLError.notOpen`; `CBLError.corruptData` if all are requested and a damaged document is missing;
    ///   file system errors.
    public func documentIDs(
        prefix: String = "",
        range: Range<String>? = nil,
        after last: String? = nil,
        limit: Int? = nil
    ) throws -> [String] {
        let limit = limit ?? .max
        var ids: [String] = []
        var page = try page(IDRange(prefix, range, after: last))
        while ids.count < limit {
            if ids.count + page.ids.count <= limit, let problem = page.problem { throw problem }
            ids += page.ids.prefix(limit - ids.count).map(\.text)
            guard let rest = page.rest else { break }
            page = try self.page(rest, behind: page)
        }
        return ids
    }

    /// Returns the documents whose IDs begin with `prefix` and are in `range`, in the order of their IDs, for
    /// `for try await`.
    ///
    /// Documents are read on demand, so memory use does not depend on their number. Documents saved during the loop may
    /// or may not be included. A loop over all documents throws `CBLError.corruptData` at the end if a damaged document
    /// is missing. An addition to the official API.
    public func documents(
        prefix: String = "",
        range: Range<String>? = nil
    ) -> CollectionDocuments {
        CollectionDocuments(collection: self, ids: IDRange(prefix, range, after: nil))
    }

    /// Consecutive IDs, and where the next ones lie.
    fileprivate struct Page: Sendable {
        var ids: [StoredID] = []
        var rest: IDRange?
        /// In a list of all documents, how many there were up to here.
        var list: ListCount?
        /// Why the list that ends here is incomplete.
        var problem: (any Error)?
    }

    private static let pageSize = 1_000

    fileprivate func page(_ wanted: IDRange, behind before: Page? = nil) throws -> Page {
        let (path, size) = (path, Self.pageSize)
        return try read { reader in
            var ids: [StoredID] = []
            var list = try wanted.isWhole ? ListCount(of: path, reader) : before?.list
            // The query returns the IDs after another, so the first possible one is looked up separately.
            if let first = wanted.first, try reader.document(first, in: path) != nil {
                ids.append(first)
            }
            let start = wanted.last ?? wanted.first
            let found = try reader.documentIDs(in: path, after: start, limit: size)
            ids += found.prefix { wanted.contains($0) }
            list?.count += ids.count
            let isFull = found.count == size && ids.last == found.last
            guard isFull, let last = found.last else {
                return Page(ids: ids, problem: list.flatMap { problem(of: $0, reader) })
            }
            return Page(ids: ids, rest: wanted.behind(last), list: list)
        }
    }
}

extension Collection {
    private func problem(of list: ListCount, _ reader: StoreReader) -> (any Error)? {
        do {
            try translatingErrors { try reader.confirm(list) }
            return nil
        } catch {
            return error
        }
    }
}

/// A range of IDs.
struct IDRange: Sendable {
    private let prefix: StoredID
    private let end: StoredID?
    /// The first possible ID; `nil` if they begin after another, or with any.
    private(set) var first: StoredID?
    /// The ID after which they begin.
    private(set) var last: StoredID?

    init(_ prefix: String, _ range: Range<String>?, after last: String?) {
        self.prefix = StoredID(unchecked: prefix)
        end = range.map { StoredID(unchecked: $0.upperBound) }
        let start = range.map { StoredID(unchecked: $0.lowerBound) }
        let first = start.map { max($0, self.prefix) } ?? self.prefix
        if let last = last.map({ StoredID(unchecked: $0) }), last >= first {
            self.last = last
        } else {
            self.first = first.text.isEmpty ? nil : first
        }
        if let first = self.first, !contains(first) {
            self.first = nil
            self.last = first
        }
    }

    /// Whether every ID is in the range.
    var isWhole: Bool { first == nil && last == nil && end == nil && prefix.text.isEmpty }

    func contains(_ id: StoredID) -> Bool {
        id.text.utf8.starts(with: prefix.text.utf8) && end.map { id < $0 } ?? true
    }

    func behind(_ id: StoredID) -> IDRange {
        var rest = self
        (rest.first, rest.last) = (nil, id)
        return rest
    }
}

/// The documents of a collection, one after another; see `Collection.documents(prefix:)`.
public struct CollectionDocuments: AsyncSequence, Sendable {
    /// A document.
    public typealias Element = Document

    let collection: Collection
    let ids: IDRange

    /// Returns an iterator that begins with the first document.
    public func makeAsyncIterator() -> Iterator {
        Iterator(collection: collection, ids: ids)
    }

    /// Iterates over the documents.
    public struct Iterator: AsyncIteratorProtocol {
        private let collection: Collection
        private let ids: IDRange
        private var page: Collection.Page?
        private var position = 0

        init(collection: Collection, ids: IDRange) {
            self.collection = collection
            self.ids = ids
        }

        /// Returns the next document, or `nil` after the last one.
        ///
        /// - Throws: `CBLError.notOpen`; `CBLError.corruptData` for a damaged document, and after the last one if a
        ///   damaged document is missing; `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> Document? {
            while true {
                try Task.checkCancellation()
                let page = try await currentPage()
                guard position < page.ids.count else {
                    if let problem = page.problem { throw problem }
                    return nil
                }
                let id = page.ids[position].text
                position += 1
                let collection = collection
                let document = try await collection.database.inBackground {
                    try collection.document(id: id)
                }
                if let document { return document }
            }
        }

        /// The page that has more IDs, or the last one.
        private mutating func currentPage() async throws -> Collection.Page {
            if let page, position < page.ids.count || page.rest == nil { return page }
            let (collection, ids, before) = (collection, page?.rest ?? ids, page)
            let fresh = try await collection.database.inBackground {
                try collection.page(ids, behind: before)
            }
            page = fresh
            position = 0
            return fresh
        }
    }
}
