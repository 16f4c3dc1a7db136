/// What an ``OperationID`` identifies: one intended change of a container.
package enum OperationSubject {}

/// The identity of one intended change of a container.
///
/// It travels with the object, the change record, the version and the trash, so that an unknown
/// outcome can be settled.
package typealias OperationID = Identifier<OperationSubject>
