package import Foundation

/// The top of the package, found from the path of this file.
package let packageDirectory = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()
