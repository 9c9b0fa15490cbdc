#include "CNoCertificates.h"

// libgit2, where it is built with Mbed TLS as on Debian, reads and decodes every certificate
// authority of the machine when it starts: some 4 ms, a sixth of a short command. Nothing here uses
// its TLS (libcurl, which remotes go through, has OpenSSL's), so it finds none; its connections, if ever
// one was made, would trust nobody.

int mbedtls_x509_crt_parse_file(void *chain, const char *path) {
  (void)chain;
  (void)path;
  return -1;
}

int mbedtls_x509_crt_parse_path(void *chain, const char *path) {
  return mbedtls_x509_crt_parse_file(chain, path);
}
