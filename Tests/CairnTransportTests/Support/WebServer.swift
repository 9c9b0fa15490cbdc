import CairnProcess
import Foundation
import SystemPackage
import TestSupport
import Testing

/// nginx with `git http-backend` on loopback, with TLS and a password, running while this object
/// lives.
final class WebServer {
  static let user = "ann"
  /// Unique to each server, because tests search this machine's processes for it.
  let password = "korrekt-\(UUID().uuidString.prefix(12))%Batterie"

  private static let backend = "/usr/lib/git-core/git-http-backend"
  static let isInstalled = [
    "/usr/sbin/nginx", "/usr/sbin/fcgiwrap", "/usr/bin/htpasswd", "/usr/bin/openssl", backend,
  ].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  static let missing: Comment =
    "a web server is missing: `make setup` installs nginx-light, fcgiwrap, apache2-utils, openssl"

  private(set) var port: UInt16 = 0
  let box: Sandbox
  private let lfs: Giftless?
  private var processes: [ChildProcess] = []

  /// - Parameter lfs: The Git LFS server that belongs to all repositories here.
  init(_ box: Sandbox, lfs: Giftless? = nil) throws {
    (self.box, self.lfs) = (box, lfs)
    try makeCertificates()
    let account = try box.run(
      "htpasswd", ["-i", "-c", "-B", "-C", "4", "passwords", WebServer.user],
      stdin: Data(password.utf8))
    try #require(account.status == 0, "\(account.all)")
    // git 2.39 waits forever for the rest of a truncated request.
    try box.write(
      "#!/bin/sh\nexec timeout 20 \(WebServer.backend)\n", to: "backend", isProgram: true)
    for number in 0..<3 {
      processes.append(
        try ChildProcess("/usr/sbin/fcgiwrap", ["-s", "unix:\(box.root)/fcgi\(number)"]))
    }
    let nginx = try startServer("nginx") { port in
      self.port = port
      try box.write(configuration, to: "nginx.conf")
      return try ChildProcess(
        "/usr/sbin/nginx",
        ["-p", box.root.string, "-c", box.root.appending("nginx.conf").string])
    }
    processes.append(nginx.process)
    try box.configure("http.sslCAInfo", "\(box.root)/ca.pem")
  }

  private func makeCertificates() throws {
    try box.write("subjectAltName=IP:127.0.0.1,DNS:localhost\n", to: "names")
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for arguments in [
      ["req", "-x509"] + key + ["-days", "2", "-subj", "/CN=Test", "-keyout", "ca.key"]
        + ["-out", "ca.pem", "-addext", "basicConstraints=critical,CA:TRUE"],
      ["req"] + key + ["-subj", "/CN=127.0.0.1", "-keyout", "tls.key", "-out", "tls.csr"],
      ["x509", "-req", "-in", "tls.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2"]
        + ["-CAcreateserial", "-extfile", "names", "-out", "tls.pem"],
    ] {
      let output = try box.run("openssl", arguments)
      try #require(output.status == 0, "\(output.all)")
    }
  }

  private var configuration: String {
    let root = box.root
    return """
      daemon off;
      master_process off;
      pid \(root)/nginx.pid;
      error_log \(root)/nginx.log;
      events { worker_connections 64; }
      http {
        access_log \(root)/access.log;
        client_body_temp_path \(root)/nginx-body;
        fastcgi_temp_path \(root)/nginx-fastcgi;
        proxy_temp_path \(root)/nginx-proxy;
        uwsgi_temp_path \(root)/nginx-uwsgi;
        scgi_temp_path \(root)/nginx-scgi;
        client_max_body_size 0;
        limit_req_zone $binary_remote_addr zone=busy:1m rate=2r/s;
        limit_req_status 429;
        upstream git {
          server unix:\(root)/fcgi0 max_fails=0;
          server unix:\(root)/fcgi1 max_fails=0;
          server unix:\(root)/fcgi2 max_fails=0;
        }
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(root)/tls.pem;
          ssl_certificate_key \(root)/tls.key;
          location /moved/ { rewrite ^/moved/(.*)$ https://127.0.0.1:\(port)/$1 redirect; }
          location /circle/ { return 302 $request_uri; }
          location /plain/ { return 200 "hello"; }
          location /broken/ { return 503; }
          \(lfsLocations)
          location /busy/ {
            limit_req zone=busy;
            error_page 429 = @busy;
            proxy_ssl_verify off;
            proxy_set_header Host $http_host;
            proxy_pass https://127.0.0.1:\(port)/;
          }
          location @busy {
            add_header Retry-After 1 always;
            return 429;
          }
          location / { \(backend(path: "$uri")) }
          location /late/ { rewrite ^/late(/.*)$ $1 last; }
          location ~ ^/late(?<repository>/.*/git-receive-pack)$ {
            fastcgi_read_timeout 1s;
            \(backend(path: "$repository"))
          }
          location /cut/ { rewrite ^/cut(/.*)$ $1 last; }
          location ~ ^/cut(?<repository>/.*/git-receive-pack)$ {
            fastcgi_read_timeout 1s;
            fastcgi_buffering off;
            fastcgi_param NO_BUFFERING 1;
            \(backend(path: "$repository"))
          }
        }
      }
      """
  }

  /// Returns the lines of a location that serves repositories.
  private func backend(path: String) -> String {
    let root = box.root
    return """
      auth_basic "git";
      auth_basic_user_file \(root)/passwords;
      fastcgi_param SCRIPT_FILENAME \(root)/backend;
      fastcgi_param GIT_PROJECT_ROOT \(root);
      fastcgi_param GIT_HTTP_EXPORT_ALL "";
      fastcgi_param HOME \(root)/home;
      fastcgi_param PATH_INFO \(path);
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param REMOTE_USER $remote_user;
      fastcgi_param REMOTE_ADDR $remote_addr;
      fastcgi_pass git;
      """
  }

  /// Returns the number of times that clients asked for the refs in order to push.
  static func looks(_ root: FilePath) -> Int {
    let log =
      (try? String(contentsOfFile: root.appending("access.log").string, encoding: .utf8)) ?? ""
    return log.split(separator: "\n").count {
      $0.contains("/info/refs?service=git-receive-pack") && $0.contains("\" 200 ")
    }
  }

  /// The batch API requires the password; its transfers use tokens.
  private var lfsLocations: String {
    guard let lfs else { return "" }
    return """
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto https;
      location ~ /info/lfs/objects/batch$ {
        auth_basic "git";
        auth_basic_user_file \(box.root)/passwords;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-Host $http_host;
        proxy_set_header X-Forwarded-Proto https;
        proxy_set_header Authorization "";
        proxy_pass http://127.0.0.1:\(lfs.port);
      }
      location ~ /info/lfs/objects/storage/ { proxy_pass http://127.0.0.1:\(lfs.port); }
      """
  }

  func url(_ path: String, as user: String? = nil) -> String {
    let name = user.map { $0 + "@" } ?? ""
    return "https://\(name)127.0.0.1:\(port)/\(path.replacingOccurrences(of: " ", with: "%20"))"
  }

  /// The user and password as part of an address.
  var login: String {
    WebServer.user + ":" + password.replacingOccurrences(of: "%", with: "%25")
  }

  /// The user and password as in an Authorization header.
  var basic: String { Data("\(WebServer.user):\(password)".utf8).base64EncodedString() }

  /// Configures a credential helper that knows the password and logs its requests.
  func addHelper(password other: String? = nil) throws {
    try box.write(
      """
      #!/bin/sh
      echo "$1" >> "\(box.root)/asked"
      [ "$1" = get ] || exit 0
      echo username=\(WebServer.user)
      echo "password=\(other ?? password)"
      """, to: "helper", isProgram: true)
    try box.git("config", "--global", "credential.helper", "\(box.root)/helper")
  }

  /// Returns the requests to the helper, in order.
  func asked() -> [String] {
    ((try? box.text("asked")) ?? "").split(separator: "\n").map(String.init)
  }
}
