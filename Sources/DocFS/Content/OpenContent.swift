/// placeholder, filled in soon
package final class OpenContent: Sendable {
    package init() {}
}
