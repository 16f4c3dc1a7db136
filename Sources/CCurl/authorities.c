#include "CCurl.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdlib.h>

struct ccurl_authorities {
    STACK_OF(X509) *certificates;
};

struct ccurl_authorities *ccurl_read_authorities(const char *path)
{
    struct ccurl_authorities *authorities = malloc(sizeof *authorities);
    BIO *file = BIO_new_file(path, "r");
    X509 *certificate;
    if (!authorities)
        return NULL;
    authorities->certificates = sk_X509_new_null();
    while (file && (certificate = PEM_read_bio_X509(file, NULL, NULL, NULL)))
        sk_X509_push(authorities->certificates, certificate);
    BIO_free(file);
    ERR_clear_error();
    if (sk_X509_num(authorities->certificates) > 0)
        return authorities;
    ccurl_free_authorities(authorities);
    return NULL;
}

void ccurl_free_authorities(struct ccurl_authorities *authorities)
{
    if (!authorities)
        return;
    sk_X509_pop_free(authorities->certificates, X509_free);
    free(authorities);
}

static CURLcode add(CURL *easy, void *context, void *data)
{
    struct ccurl_authorities *authorities = data;
    X509_STORE *store = SSL_CTX_get_cert_store(context);
    int index;
    (void)easy;
    for (index = 0; index < sk_X509_num(authorities->certificates); index++)
        if (X509_STORE_add_cert(store, sk_X509_value(authorities->certificates, index)) != 1)
            return CURLE_SSL_CACERT_BADFILE;
    return CURLE_OK;
}

CURLcode ccurl_set_authorities(CURL *easy, struct ccurl_authorities *authorities)
{
    CURLcode result = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, add);
    return result ? result : curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, authorities);
}
