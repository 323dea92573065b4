import DivanRevisions
import DivanStore

extension Collection {
    /// The IDs of all documents that begin with `prefix`, ascending by their bytes.
    ///
    /// Deleted documents are not among them. An addition to the official API.
    ///
    /// - Throws: `CBLError.notOpen`; what the file system reports.
    public func documentIDs(prefix: String = "") throws -> [String] {
        var ids: [String] = []
        var page = try firstPage(prefix)
        while true {
            ids += page.ids.map(\.text)
            guard let next = page.next else { return ids }
            page = try self.page(after: next, prefix)
        }
    }

    /// All documents whose IDs begin with `prefix`, in the order of their IDs, for `for try await`.
    ///
    /// They are read as they are asked for, a page of IDs at a time: memory does not grow with
    /// their number, and what is saved meanwhile may or may not be seen. An addition to the
    /// official API.
    public func documents(prefix: String = "") -> CollectionDocuments {
        CollectionDocuments(collection: self, prefix: prefix)
    }

    /// IDs in a row, and behind which one the next page begins.
    fileprivate struct Page: Sendable {
        var ids: [StoredID] = []
        var next: StoredID?
    }

    private static let pageSize = 1_000

    /// The page that begins with `prefix` itself, if it is a document.
    fileprivate func firstPage(_ prefix: String) throws -> Page {
        guard !prefix.isEmpty else { return try page(after: nil, prefix) }
        var page = try page(after: StoredID(unchecked: prefix), prefix)
        if try document(id: prefix) != nil { page.ids.insert(StoredID(unchecked: prefix), at: 0) }
        return page
    }

    fileprivate func page(after last: StoredID?, _ prefix: String) throws -> Page {
        let (path, size) = (path, Self.pageSize)
        let ids = try read { try $0.documentIDs(in: path, after: last, limit: size) }
        let fitting = ids.prefix { $0.text.utf8.starts(with: prefix.utf8) }
        return Page(ids: Array(fitting), next: fitting.count == size ? fitting.last : nil)
    }
}

/// The documents of a collection, one after the other; see `Collection.documents(prefix:)`.
public struct CollectionDocuments: AsyncSequence, Sendable {
    /// A document.
    public typealias Element = Document

    let collection: Collection
    let prefix: String

    /// Returns an iterator that begins with the first document.
    public func makeAsyncIterator() -> Iterator {
        Iterator(collection: collection, prefix: prefix)
    }

    /// Goes through the documents.
    public struct Iterator: AsyncIteratorProtocol {
        let collection: Collection
        let prefix: String
        private var page: Collection.Page?
        private var position = 0

        init(collection: Collection, prefix: String) {
            self.collection = collection
            self.prefix = prefix
        }

        /// Returns the next document, or `nil` behind the last one.
        ///
        /// - Throws: `CBLError.notOpen`; `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> Document? {
            while true {
                try Task.checkCancellation()
                let page = try await currentPage()
                guard position < page.ids.count else { return nil }
                let id = page.ids[position].text
                position += 1
                let collection = collection
                let document = try await collection.database.inBackground {
                    try collection.document(id: id)
                }
                if let document { return document }
            }
        }

        /// The page that has more to give, or the last one.
        private mutating func currentPage() async throws -> Collection.Page {
            if let page, position < page.ids.count || page.next == nil { return page }
            let (collection, prefix, last) = (collection, prefix, page?.next)
            let fresh = try await collection.database.inBackground {
                guard let last else { return try collection.firstPage(prefix) }
                return try collection.page(after: last, prefix)
            }
            page = fresh
            position = 0
            return fresh
        }
    }
}
