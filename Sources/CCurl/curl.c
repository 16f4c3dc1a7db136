#include "CCurl.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value)
{
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value)
{
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value)
{
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value)
{
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_error_buffer(CURL *easy, char *buffer)
{
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value)
{
    return curl_multi_setopt(multi, option, value);
}

void ccurl_set_callbacks(CURL *easy, const struct ccurl_callbacks *callbacks, void *context)
{
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks->head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks->body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, callbacks->upload);
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callbacks->connected);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
}

static int limit_unsent(void *context, curl_socket_t socket, curlsocktype type)
{
    int bytes = (int)(intptr_t)context;
    (void)type;
    // A socket that has no such limit is as good as it can be.
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
    return CURL_SOCKOPT_OK;
}

void ccurl_limit_unsent(CURL *easy, int bytes)
{
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, limit_unsent);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, (void *)(intptr_t)bytes);
}

curl_off_t ccurl_uploaded(CURL *easy)
{
    curl_off_t bytes = 0;
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &bytes);
    return bytes;
}

long ccurl_system_error(CURL *easy)
{
    long number = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    return number;
}

int ccurl_has_authorities_file(CURL *easy)
{
    char *path = NULL;
    curl_easy_getinfo(easy, CURLINFO_CAINFO, &path);
    return path != NULL;
}

void *ccurl_next_ended(CURLM *multi, CURLcode *result)
{
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        void *context = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        *result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&context);
        return context;
    }
    return NULL;
}
