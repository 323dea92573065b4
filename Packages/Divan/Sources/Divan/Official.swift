internal import CouchbaseLiteSwift
internal import DivanRevisions

// Types of the layers below, under names that cannot be mistaken for those of this module.

typealias OfficialDatabase = CouchbaseLiteSwift.Database
typealias OfficialCollection = CouchbaseLiteSwift.Collection
typealias OfficialConfiguration = CouchbaseLiteSwift.DatabaseConfiguration
typealias OfficialDocument = CouchbaseLiteSwift.Document
typealias OfficialQuery<Model: Decodable> = CouchbaseLiteSwift.DocumentQuery<Model>
typealias OfficialCondition<Model: Decodable> = CouchbaseLiteSwift.DocumentCondition<Model>
typealias OfficialOrder<Model: Decodable> = CouchbaseLiteSwift.DocumentOrder<Model>
typealias StoredID = DivanRevisions.DocumentID
