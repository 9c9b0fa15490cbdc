// In the place of Mbed TLS's functions of the same names, for libgit2.
int mbedtls_x509_crt_parse_file(void *chain, const char *path);
int mbedtls_x509_crt_parse_path(void *chain, const char *path);
