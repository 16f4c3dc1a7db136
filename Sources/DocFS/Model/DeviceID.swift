/// What a ``DeviceID`` identifies: one state directory.
package enum DeviceSubject {}

/// The random identity of one device (one state directory).
///
/// Its name is for people only.
package typealias DeviceID = Identifier<DeviceSubject>
