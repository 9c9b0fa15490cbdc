internal import CairnDocument
internal import CairnFiles
internal import CairnHTTP
internal import CairnProcess
internal import CairnTransport
internal import LibC
internal import SystemPackage

/// The sources of credentials for a bucket: the environment, the shared AWS files, a program that
/// they name, a service on this machine. Credentials are kept only in memory.
///
/// Source: AWS SDKs and Tools Reference Guide, “Standardized credential providers”, in botocore's
/// order.
struct S3CredentialSource: Sendable {
  let address: S3Address
  let context: TransportContext
  let now: @Sendable () -> Int64
  let environment: @Sendable (String) -> String?

  /// Returns the selected profile of the configuration files.
  ///
  /// - Throws: ``TransferError`` when a file cannot be read.
  func configuration() throws -> AWSConfiguration {
    do throws(FileError) {
      return try AWSConfiguration(
        profile: address.profile, files: FileSystem(), environment: environment)
    } catch {
      throw failure("\(error)")
    }
  }

  /// Returns credentials; nil when there are none, which leaves only public objects accessible.
  ///
  /// - Throws: ``TransferError`` when configured credentials cannot be obtained.
  func load(_ configuration: AWSConfiguration) throws -> S3Credentials? {
    // The profile in an address is that of the person who set it up; others may not have it.
    if address.profile != nil, configuration.isKnown {
      return try fromProfile(configuration)
    }
    if let found = try fromEnvironment() { return found }
    if let found = try fromProfile(configuration) { return found }
    if let found = try fromService() { return found }
    let name = address.profile ?? environment("AWS_PROFILE")
    if let name, !configuration.isKnown {
      throw failure("there is no AWS profile “\(ServerMessages.printable(name))”")
    }
    return nil
  }

  private func failure(_ reason: String) -> TransferError {
    TransferError(TransportError(.authentication, "\(address)", reason), scope: .remote)
  }

  private func credentials(
    _ origin: String, _ keyID: String?, _ secret: String?, _ token: String?, expires: String? = nil
  ) throws -> S3Credentials {
    guard
      let credentials = S3Credentials(
        keyID: keyID, secret: secret, token: token,
        expires: expires.flatMap(S3CredentialSource.milliseconds))
    else { throw failure("\(origin) has no complete access key") }
    return credentials
  }

  // MARK: Sources

  private func fromEnvironment() throws -> S3Credentials? {
    guard let keyID = environment("AWS_ACCESS_KEY_ID") else { return nil }
    return try credentials(
      "the environment", keyID, environment("AWS_SECRET_ACCESS_KEY"),
      environment("AWS_SESSION_TOKEN"))
  }

  private func fromProfile(_ configuration: AWSConfiguration) throws -> S3Credentials? {
    let name = "the AWS profile “\(ServerMessages.printable(configuration.profile))”"
    let other = ["role_arn", "web_identity_token_file"].first { configuration[$0] != nil }
    if let other { throw unsupported(other, in: name) }
    for section in [configuration.credentials, configuration.settings] {
      if let keyID = section?["aws_access_key_id"] {
        return try credentials(
          name, keyID, section?["aws_secret_access_key"], section?["aws_session_token"])
      }
      if let command = section?["credential_process"] { return try fromProgram(command, name) }
    }
    let login = ["sso_session", "sso_start_url", "login_session"].first { configuration[$0] != nil }
    if let login { throw unsupported(login, in: name) }
    return nil
  }

  private func unsupported(_ setting: String, in profile: String) -> TransferError {
    failure(
      "\(profile) uses \(setting), which cairn does not support; give it a `credential_process` "
        + "such as `aws configure export-credentials --profile NAME`")
  }

  /// Source: AWS SDKs and Tools Reference Guide, “Process credential provider”.
  private func fromProgram(_ command: String, _ profile: String) throws -> S3Credentials {
    let origin = "the credential_process of \(profile)"
    guard let arguments = commandArguments(command), let program = arguments.first else {
      throw failure("\(origin) is not a valid command")
    }
    do {
      let child = try ChildProcess(
        program, Array(arguments.dropFirst()), isCancelled: context.isCancelled)
      child.closeInput()
      let output = try child.output(
        limit: S3CredentialSource.outputLimit, timeout: context.timeout.first)
      let status = child.end()
      guard status == 0 else {
        let stderr = child.stderrText.sentence
        throw failure(
          "\(origin) exited with status \(status)" + (stderr.isEmpty ? "" : " (\(stderr))"))
      }
      return try credentials(output, token: "SessionToken", origin)
    } catch let error as ChildProcess.Failure {
      let cause: TransportError.Kind = error == .cancelled ? .cancelled : .authentication
      throw TransferError(
        TransportError(cause, "\(address)", "\(origin) could not be run: \(error)"), scope: .remote)
    }
  }

  /// Source: AWS SDKs and Tools Reference Guide, “Container credential provider”.
  private func fromService() throws -> S3Credentials? {
    let origin = "the service at AWS_CONTAINER_CREDENTIALS_FULL_URI"
    let relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
    guard
      let url = relative.map({ "http://169.254.170.2\($0)" })
        ?? environment("AWS_CONTAINER_CREDENTIALS_FULL_URI")
    else { return nil }
    guard let target = WebAddress(url), target.user == nil,
      target.scheme == "https" || S3CredentialSource.isLocal(target.host)
    else { throw failure("\(origin) is neither on this machine nor reached over https") }
    var headers: HTTPHeaders = [:]
    if let token = try serviceToken() { headers["Authorization"] = token }
    var settings = HTTPSettings(context, for: target, remote: nil)
    (settings.redirects, settings.usesNetrc) = (.none, false)
    if target.scheme == "http" { settings.proxy = "" }
    settings.connectTimeoutMilliseconds = 5000
    do {
      let response = try HTTPClient(settings).send(
        HTTPRequest(.get, url, headers: headers), limit: S3CredentialSource.outputLimit)
      guard response.status == 200 else { throw response.failure(now: now()) }
      return try credentials(response.body, token: "Token", origin)
    } catch let error as HTTPError {
      throw failure("\(origin) returned no credentials: \(error)")
    }
  }

  private func serviceToken() throws -> String? {
    guard let name = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") else {
      return environment("AWS_CONTAINER_AUTHORIZATION_TOKEN")
    }
    do throws(FileError) {
      let bytes = try FileSystem().read(FilePath(name), limit: 64 << 10) ?? []
      return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first
        .map(String.init)
    } catch {
      throw failure("\(error)")
    }
  }

  private static let outputLimit = 64 << 10

  /// Whether a host is this machine, or the one that Amazon provides next to a container.
  private static func isLocal(_ host: String) -> Bool {
    if ["localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"].contains(host) {
      return true
    }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// Reads the output of a program or a service.
  private func credentials(
    _ output: [UInt8], token: String, _ origin: String
  ) throws -> S3Credentials {
    guard let json = try? JSON(bytes: output), json.object != nil else {
      throw failure("\(origin) did not return a JSON object")
    }
    return try credentials(
      origin, json["AccessKeyId"]?.string, json["SecretAccessKey"]?.string, json[token]?.string,
      expires: json["Expiration"]?.string)
  }

  /// Returns the milliseconds since 1970 of a time such as `2019-05-29T00:21:43Z`; nil when it is
  /// not in UTC.
  static func milliseconds(_ text: String) -> Int64? {
    let fraction = text.dropFirst(19).drop { $0 == "." || ("0"..."9").contains($0) }
    guard ["Z", "+00:00"].contains(fraction) else { return nil }
    return Stamp("\(text.prefix(19)).000Z-0000-00000000")?.milliseconds
  }
}
