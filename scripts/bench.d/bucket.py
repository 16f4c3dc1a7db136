"""One bucket of an S3 store, as a direct client sees it: the limit of what anybody can reach there,
and the eye that looks for what others have put there.

Every request is signed beforehand, in its address (Signature Version 4, query), so that curl can
send many of them over connections that it keeps.
"""

import datetime
import hashlib
import hmac
import http.client
import os
import re
import subprocess
import threading
import time
from urllib.parse import quote, urlsplit

from processes import Failure, end_group

# What start-rgw makes.
ACCOUNT, SECRET = "docfs", "docfssecret"
REGION = "us-east-1"
# Seconds for which a signed address is good.
EXPIRES = 86_400


def hmac256(key, words):
    return hmac.new(key, words.encode(), hashlib.sha256).digest()


def escaped(words, safe=""):
    return quote(words, safe=safe + "-_.~")


class Bucket:
    """Requests to one bucket through one address, which may be a proxy's."""

    def __init__(self, endpoint, name):
        self.endpoint, self.name = endpoint, name
        self.host = urlsplit(endpoint).netloc
        # Connects by itself when it is not.
        self.link = http.client.HTTPConnection(self.host, timeout=60)

    def through(self, endpoint):
        """The same bucket by another way."""
        return Bucket(endpoint, self.name)

    def address(self, method, key="", query=None, copied=None):
        """A signed address. Who copies has to send the header x-amz-copy-source, too."""
        now = datetime.datetime.now(datetime.timezone.utc)
        stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        scope = f"{day}/{REGION}/s3/aws4_request"
        headers = {"host": self.host, **({"x-amz-copy-source": copied} if copied else {})}
        names = ";".join(headers)
        pairs = {**(query or {}), "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
                 "X-Amz-Credential": f"{ACCOUNT}/{scope}", "X-Amz-Date": stamp,
                 "X-Amz-Expires": str(EXPIRES), "X-Amz-SignedHeaders": names}
        words = "&".join(f"{escaped(name)}={escaped(value)}"
                         for name, value in sorted(pairs.items()))
        path = f"/{self.name}" + (f"/{escaped(key, '/')}" if key else "")
        request = "\n".join([method, path, words,
                             *(f"{name}:{value}" for name, value in headers.items()), "", names,
                             "UNSIGNED-PAYLOAD"])
        text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope,
                          hashlib.sha256(request.encode()).hexdigest()])
        signing = ("AWS4" + SECRET).encode()
        for word in (day, REGION, "s3", "aws4_request"):
            signing = hmac256(signing, word)
        return f"{path}?{words}&X-Amz-Signature={hmac256(signing, text).hex()}"

    # One request at a time, over one connection that is kept

    def ask(self, method, key="", query=None, body=None, headers=None, wanted=(200, 204, 206)):
        return self.send(method, self.address(method, key, query), body, headers, wanted)

    def send(self, method, address, body=None, headers=None, wanted=(200, 204, 206)):
        try:
            try:
                answer, got = self.exchange(method, address, body, headers or {})
            except ConnectionError:
                # The server has ended a connection that nobody used.
                self.link.close()
                answer, got = self.exchange(method, address, body, headers or {})
        except (OSError, http.client.HTTPException) as error:
            self.link.close()
            raise Failure(f"{method} {address.partition('?')[0]}: {error}") from None
        if answer.status not in wanted:
            raise Failure(f"{method} {address.partition('?')[0]}: {answer.status} {got[:200]!r}")
        return answer, got

    def exchange(self, method, address, body, headers):
        self.link.request(method, address, body, headers)
        answer = self.link.getresponse()
        return answer, answer.read()

    def make(self):
        self.ask("PUT", wanted=(200, 409))

    def put(self, key, body):
        self.ask("PUT", key, body=body)

    def copy(self, source, key):
        copied = escaped(f"/{self.name}/{source}", "/")
        self.send("PUT", self.address("PUT", key, copied=copied),
                  headers={"x-amz-copy-source": copied})

    def listing(self, prefix):
        """Keys below a prefix with their sizes; a request for each thousand."""
        found, query = {}, {"list-type": "2", "prefix": prefix}
        while True:
            words = self.ask("GET", query=query)[1].decode()
            # Our own names: nothing in them is escaped.
            found.update((key, int(size)) for key, size in re.findall(
                r"<Key>([^<]*)</Key>.*?<Size>(\d+)</Size>", words))
            token = re.search(r"<NextContinuationToken>([^<]*)<", words)
            if not token:
                return found
            query["continuation-token"] = token[1]

    def clear(self, prefix=""):
        """Removes all objects below a prefix."""
        keys = list(self.listing(prefix))
        for first in range(0, len(keys), 1000):
            self.curl(self.deletes(keys[first:first + 1000]), 8)

    def remove(self):
        self.clear()
        self.ask("DELETE")

    # Many requests, by curl

    def curl(self, transfers, at_once, timeout=300):
        """Sends transfers, each a list of curl's options with the address last, so many at once;
        answers curl's seconds from its start to its end, its processor time and peak in MiB."""
        lines = "\nnext\n".join("\n".join([*options, "silent", "show-error", "fail", *(
            ["parallel", f"parallel-max = {at_once}"] if at_once > 1 else [])])
            for options in transfers)
        begun = time.perf_counter()
        process = subprocess.Popen(
            ["curl", "--disable", "--config", "-"], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        late = threading.Timer(timeout, end_group, [process])
        late.start()
        try:
            process.stdin.write(lines.encode())
            process.stdin.close()
            words = process.stderr.read().decode(errors="replace").strip()
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - begun
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            late.cancel()
        if process.returncode:
            raise Failure(f"curl: {process.returncode} {words}")
        return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def url(self, method, key, **more):
        return f'url = "{self.endpoint}{self.address(method, key, **more)}"'

    def gets(self, keys, bytes_=None):
        ranged = [f"range = 0-{bytes_ - 1}"] if bytes_ else []
        return [[*ranged, 'output = "/dev/null"', self.url("GET", key)] for key in keys]

    def puts(self, keys, file):
        return [[f'upload-file = "{file}"', self.url("PUT", key)] for key in keys]

    def deletes(self, keys):
        return [['request = "DELETE"', self.url("DELETE", key)] for key in keys]

    def copies(self, pairs):
        found = []
        for source, key in pairs:
            copied = escaped(f"/{self.name}/{source}", "/")
            found.append(['request = "PUT"', f'header = "x-amz-copy-source: {copied}"',
                          self.url("PUT", key, copied=copied)])
        return found
