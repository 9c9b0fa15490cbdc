import CairnGit
import CairnImages
import CairnStore
import CairnTransport
import TestSupport
import Testing

extension StrictLFSServer {
  func remote(
    ssh: SSHAddress? = nil, _ configure: (inout TransportContext) -> Void = { _ in }
  ) throws -> LFSImages {
    var context = TransportContext(GitSettings(), git: nil)
    configure(&context)
    let endpoint = LFSEndpoint(web: try #require(WebAddress(url)), ssh: ssh)
    return LFSImages(endpoint, context, environment: .machine)
  }
}
