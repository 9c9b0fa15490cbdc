import Testing

@testable import CairnTransport
