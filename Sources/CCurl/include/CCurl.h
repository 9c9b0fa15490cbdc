#ifndef CAIRN_CCURL_H
#define CAIRN_CCURL_H

// curl checks the types of its variadic functions with macros, which Swift cannot use.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one function per
// argument type.

typedef size_t (*cairn_curl_data)(char *bytes, size_t size, size_t count, void *context);
typedef int (*cairn_curl_seek)(void *context, curl_off_t offset, int origin);

CURLcode cairn_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode cairn_curl_set_size(CURL *handle, CURLoption option, curl_off_t value);
CURLcode cairn_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode cairn_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode cairn_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode cairn_curl_set_data(CURL *handle, CURLoption option, cairn_curl_data value);
CURLcode cairn_curl_set_seek(CURL *handle, cairn_curl_seek value);
long cairn_curl_get_long(CURL *handle, CURLINFO info);
const char *cairn_curl_get_text(CURL *handle, CURLINFO info);

// The result of a message is in a union.
static inline CURLcode cairn_curl_result(const CURLMsg *message) { return message->data.result; }

// Macros that Swift does not read.
static const long cairn_curl_auth_basic = (long)CURLAUTH_BASIC;
static const size_t cairn_curl_read_abort = CURL_READFUNC_ABORT;
static const size_t cairn_curl_write_pause = CURL_WRITEFUNC_PAUSE;

#endif
