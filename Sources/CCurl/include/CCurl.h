/// libcurl for Swift, which cannot call variadic functions: each option by a function of its type.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <curl/curl.h>

// MARK: options; see curl_easy_setopt(3), curl_multi_setopt(3)

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value);
/// Copied by libcurl; NULL takes the option back.
CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value);
/// Must outlive the transfer.
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
/// `buffer` has CURL_ERROR_SIZE bytes and outlives the handle.
CURLcode ccurl_set_error_buffer(CURL *easy, char *buffer);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

/// What libcurl calls, on the thread that drives it; `context` is that of ccurl_set_callbacks().
struct ccurl_callbacks {
    /// CURLOPT_HEADERFUNCTION, CURLOPT_WRITEFUNCTION, CURLOPT_READFUNCTION.
    size_t (*head)(char *bytes, size_t size, size_t count, void *context);
    size_t (*body)(char *bytes, size_t size, size_t count, void *context);
    size_t (*upload)(char *bytes, size_t size, size_t count, void *context);
    /// CURLOPT_PREREQFUNCTION: connected, and about to send. Anything but 0 ends the transfer.
    int (*connected)(void *context, char *, char *, int, int);
};
void ccurl_set_callbacks(CURL *easy, const struct ccurl_callbacks *callbacks, void *context);
/// Lets no more than `bytes` wait in the socket that the network has not been given: what libcurl
/// calls sent is then sent, but for what is under way.
void ccurl_limit_unsent(CURL *easy, int bytes);

// MARK: answers; see curl_easy_getinfo(3)

/// Bytes of the body that the connection has taken.
curl_off_t ccurl_uploaded(CURL *easy);
/// The errno of the last system call that failed, or 0.
long ccurl_system_error(CURL *easy);
/// Whether libcurl knows a file of the system's certificate authorities.
int ccurl_has_authorities_file(CURL *easy);
/// The next transfer that has ended: its context and its result; NULL when there is none.
void *ccurl_next_ended(CURLM *multi, CURLcode *result);

// MARK: certificates that are trusted beside the system's

struct ccurl_authorities;
/// Those of a PEM file; NULL when it holds none.
struct ccurl_authorities *ccurl_read_authorities(const char *path);
void ccurl_free_authorities(struct ccurl_authorities *authorities);
/// They must outlive the transfer.
CURLcode ccurl_set_authorities(CURL *easy, struct ccurl_authorities *authorities);

#endif
