/// What a ``ContainerID`` identifies: a cloud-side home of documents.
package enum ContainerSubject {}

/// The random identity that a container's marker carries.
package typealias ContainerID = Identifier<ContainerSubject>
