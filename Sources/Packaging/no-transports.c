// Stand-ins for libgit2's connections to servers and their TLS, which cairn does not use: remotes go
// through libcurl and ssh. Without them, libgit2 needs none of Mbed TLS, libssh2 and Kerberos.

int git_http__expect_continue = 0;

int git_mbedtls_stream_global_init(void) { return 0; }
int git_transport_ssh_global_init(void) { return 0; }

int git_mbedtls__set_cert_location(const char *file, const char *path) {
  (void)file, (void)path;
  return -1;
}

int git_mbedtls_stream_new(void **stream, const char *host, const char *port) {
  (void)stream, (void)host, (void)port;
  return -1;
}

int git_mbedtls_stream_wrap(void **stream, void *inner, const char *host) {
  (void)stream, (void)inner, (void)host;
  return -1;
}

int git_smart_subtransport_http(void **transport, void *owner, void *parameter) {
  (void)transport, (void)owner, (void)parameter;
  return -1;
}

int git_smart_subtransport_ssh(void **transport, void *owner, void *parameter) {
  return git_smart_subtransport_http(transport, owner, parameter);
}
