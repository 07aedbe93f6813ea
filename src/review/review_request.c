/* review/review_request.c - see review_request.h. */
#define _DEFAULT_SOURCE /* getentropy() */
#include "review/review_request.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool jsni_token_draw(char token[JSNI_TOKEN_DIGITS + 1])
{
    uint8_t bytes[JSNI_TOKEN_DIGITS / 2];
    if (getentropy(bytes, sizeof bytes) != 0)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* A loopback name, and a port or none behind it. */
static bool is_loopback(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; host != NULL && i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(host, names[i], length) != 0)
            continue;
        const char *rest = host + length;
        if (*rest == '\0')
            return true;
        const size_t digits = *rest == ':' ? strspn(rest + 1, "0123456789") : 0;
        return digits >= 1 && digits <= 5 && rest[1 + digits] == '\0';
    }
    return false;
}

static bool is_own_origin(const jsni_request *r)
{
    static const char scheme[] = "http://";
    return strncmp(r->origin, scheme, sizeof scheme - 1) == 0 &&
           strcmp(r->origin + sizeof scheme - 1, r->host) == 0;
}

/* Looks at all digits, whichever differs: how long it takes says nothing. */
static bool has_token(const char *path, const char *token)
{
    unsigned difference = 0;
    if (path[0] != '/' || strlen(path) < JSNI_TOKEN_DIGITS + 2 ||
        path[JSNI_TOKEN_DIGITS + 1] != '/')
        return false;
    for (size_t i = 0; i < JSNI_TOKEN_DIGITS; i++)
        difference |= (unsigned)(path[1 + i] ^ token[i]);
    return difference == 0;
}

const char *jsni_request_rest(const jsni_request *request)
{
    return request->path + JSNI_TOKEN_DIGITS + 2;
}

static bool is_json(const char *type)
{
    static const char json[] = "application/json";
    return type != NULL && strncmp(type, json, sizeof json - 1) == 0 &&
           (type[sizeof json - 1] == '\0' || type[sizeof json - 1] == ';');
}

/* Whether the browser says that it fetches this for the page itself, for the person, or for a
 * window that shows it; without a word about it the request is none of a page's. */
static bool is_fetched_well(const jsni_request *r, bool get)
{
    if (r->fetch_site == NULL || strcmp(r->fetch_site, "same-origin") == 0)
        return true;
    if (!get)
        return false;
    return strcmp(r->fetch_site, "none") == 0 ||
           (r->fetch_mode != NULL && strcmp(r->fetch_mode, "navigate") == 0 &&
            r->fetch_dest != NULL && strcmp(r->fetch_dest, "document") == 0);
}

int jsni_request_refuse(const jsni_request *r, const char *token, const char **why)
{
    const bool get = strcmp(r->method, "GET") == 0;
    const bool post = strcmp(r->method, "POST") == 0;
    *why = "This address is not the one that 'jensen review' has printed.";
    if (!is_loopback(r->host))
        return 403;
    if (r->origin != NULL && !is_own_origin(r))
        return 403;
    if (!is_fetched_well(r, get))
        return 403;
    if (!has_token(r->path, token))
        return 403;
    *why = "Only GET and POST are answered.";
    if (!get && !post)
        return 405;
    *why = "A decision is sent as application/json.";
    if (post && !is_json(r->content_type))
        return 415;
    return 0;
}
